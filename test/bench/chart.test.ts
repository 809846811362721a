import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import { type Bar, barChart, escapeXml } from '../../bench/chart.js';

const bar = (label: string, median: number, kind: Bar['kind'] = 'peer'): Bar => ({
  label,
  text: `${median}`,
  low: median - 1,
  median,
  high: median + 1,
  kind,
});

const widthOf = (svg: string, kind: string) =>
  Number(new RegExp(`<g class="${kind}">[^]*?<rect [^>]*width="([\\d.]+)"`).exec(svg)![1]);

test('what is written into the chart cannot become markup', () => {
  expect(escapeXml('a < b & "c" > d')).toBe('a &lt; b &amp; &quot;c&quot; &gt; d');
});

test('the chart is well-formed whatever names it is given', () => {
  const svg = barChart({
    title: '"Speed" & <more>',
    subtitle: '</text>',
    bars: [bar('<peer>', 10), bar('&ours', 20, 'ours')],
    footnotes: ['not measured: <x>'],
  });
  const parser = new SaxesParser();
  const texts: string[] = [];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('text', (text) => texts.push(text));
  parser.write(svg).close();
  expect(texts).toEqual(
    expect.arrayContaining(['"Speed" & <more>', '</text>', '<peer>', '&ours', 'not measured: <x>']),
  );
});

test('bars are as long as their medians', () => {
  const svg = barChart({ title: '', subtitle: '', bars: [bar('a', 100, 'ours'), bar('b', 50)], footnotes: [] });
  expect(widthOf(svg, 'ours') / widthOf(svg, 'peer')).toBeCloseTo(2, 1);
});
