import { describe, expect, it } from 'vitest';
import { CHECK_FORMATS } from '../../src/check/report/index.js';
import { textOf } from './fixture.js';
import { HOSTILE, hostileReport } from './hostile.js';
import { readXml, type XmlElement } from './xml.js';

/** C0 save the line end, C1, and the marks that reorder or hide text. */
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

describe('hostile text', () => {
  // CSV may hold tabs and line ends in its cells; its own test looks at them.
  it.each(CHECK_FORMATS.filter((format) => format !== 'csv'))('reaches no terminal, by %s', (format) => {
    expect(textOf(format, hostileReport(), { verbose: true })).not.toMatch(UNPRINTABLE);
  });

  it('begins no line, and is no command of a CI system', () => {
    for (const format of ['terminal', 'github'] as const) {
      const text = textOf(format, hostileReport(), { verbose: true });
      expect(text).not.toMatch(/##\w*\[/);
      const lines = text.split('\n').filter((line) => /^\s*::/.test(line));
      expect(
        lines.filter(
          (line) => !/^::(?:error|warning|notice)(?: title=Link%3A \w+| file=[^:]*title=Link%3A \w+)?::/.test(line),
        ),
      ).toEqual([]);
      expect(lines.filter((line) => line.startsWith(' '))).toEqual([]);
    }
    expect(textOf('terminal', hostileReport())).not.toMatch(/^::/m);
  });

  it('makes no line of a terminal longer than can be read', () => {
    const lengths = textOf('terminal', hostileReport(), { verbose: true })
      .split('\n')
      .map((line) => line.length);
    expect(Math.max(...lengths)).toBeLessThan(2500);
  });

  it('is text in JUnit, never an element: the names are those that are written without it', () => {
    const names = new Set<string>();
    const texts: string[] = [];
    const walk = (element: XmlElement): void => {
      names.add(element.name);
      texts.push(element.text, ...Object.values(element.attributes));
      element.children.forEach(walk);
    };
    walk(readXml(textOf('junit', hostileReport())));
    expect([...names].sort()).toEqual([
      'failure',
      'properties',
      'property',
      'skipped',
      'system-err',
      'system-out',
      'testcase',
      'testsuite',
      'testsuites',
    ]);
    for (const text of [HOSTILE[0], HOSTILE[6], HOSTILE[22]]) {
      expect(texts.some((each) => each.includes(text!))).toBe(true);
    }
  });

  it('comes back from SARIF as it was, outside of messages', () => {
    const { runs } = JSON.parse(textOf('sarif', hostileReport())) as {
      runs: { results: { properties: { href: string } }[] }[];
    };
    const hrefs = new Set(runs[0]!.results.map(({ properties }) => properties.href));
    expect([...hrefs].sort()).toEqual([...HOSTILE].sort());
  });
});
