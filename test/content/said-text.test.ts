import { describe, expect, it } from 'vitest';
import { Outline } from '../../src/content/extract/outline.js';
import { folded, SaidText } from '../../src/content/extract/said-text.js';
import { parseTree } from '../../src/content/tree-builder.js';

const said = (head: string): SaidText => new SaidText(new Outline(parseTree(`<head>${head}</head><body>x</body>`)));
const TEXT =
  'The bridge was closed at noon. Nobody knows when it opens again, and the ferry waits for wind on both sides.';
const data = (text: string): string => `<script type="application/ld+json">{"articleBody":${text}}</script>`;

describe('what a page says of itself for machines', () => {
  it('knows a block by how it begins, whatever its signs and white space', () => {
    const page = said(
      `<meta name="description" content="A bridge, closed: the whole story.">${data(JSON.stringify(TEXT))}`,
    );
    expect(page.inDescription(folded('A bridge – closed'))).toBe(1);
    expect(page.inDescription(folded('Another story'))).toBe(0);
    expect(page.inText(folded('Nobody knows\n when it opens'))).toBe(1);
  });

  it('is -1 where there is none, and a few letters are in nothing', () => {
    expect(said('').isEmpty).toBe(true);
    expect(said('').inText(folded(TEXT))).toBe(-1);
    expect(said(data('"Too short"')).inText('tooshorttooshort')).toBe(-1);
    expect(said(data(JSON.stringify(TEXT))).inText('the')).toBe(0);
  });

  it('reads escapes and markup in JSON, and ends with what is no JSON', () => {
    const page = said(data(JSON.stringify(`<p>Caf\u00e9 au lait</p>\n${TEXT}`).replace('\u00e9', '\\u00e9')));
    expect(page.inText(folded('Café au lait The bridge'))).toBe(1);
    expect(said(data(`"${'\\'.repeat(100_001)}`)).inText(folded(TEXT))).toBe(-1);
    expect(said(data(`"${'a\\"'.repeat(100_000)}`)).inText(folded(TEXT))).toBe(-1);
  });
});
