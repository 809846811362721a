import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOSTILE_PAGES } from './scan-hostile-pages.js';
import { expectedFacts, kindsAndUrls, scannedFacts, scanText } from './scan-oracle.js';
import { characterSoup, foreignSoup, tagSoup } from './scan-soup.js';

/** Compares all facts, on the fast way over plain markup and on the slow one that listens to everything. */
function expectSameFacts(source: string): void {
  const { eofErrors, ...expected } = expectedFacts(source);
  const { truncated, ...scanned } = scannedFacts(source);
  // A title that was cut off is not reported: it would be the rest of the page.
  const unless = truncated ? { title: null } : {};
  expect([
    { ...scanned, ...unless },
    kindsAndUrls(scanText(source)),
    scanText(source, { ignoreMarks: true }).links.ignored,
    scanText(source, { anchors: true }).anchors,
    eofErrors.length === 0 || truncated,
  ]).toEqual([{ ...expected, ...unless }, expected.links, expected.ignored, expected.anchors, true]);
}

describe('the scanner reads what parse5 reads', () => {
  test.each(HOSTILE_PAGES)('%j', (source) => {
    expectSameFacts(source);
    expectSameFacts(`<!doctype html><p class="x">\r\né😀\n<div>${source}</div> <a href="end">`);
  });
});

describe('the scanner reads generated tag soup as parse5 does', () => {
  test('tags, attributes, comments and raw text in any order', () => {
    fc.assert(fc.property(tagSoup, expectSameFacts), { numRuns: 5000, seed: 20_240_517 });
  });

  test('foreign content among them', () => {
    fc.assert(fc.property(foreignSoup, expectSameFacts), { numRuns: 3000, seed: 7 });
  });

  test('characters that matter, in any order', () => {
    fc.assert(
      fc.property(characterSoup, (soup) => {
        expectSameFacts(soup);
        expectSameFacts(`<p>${soup}"><a href=end>`);
      }),
      { numRuns: 5000, seed: 42 },
    );
  });
});

describe('a page that was cut off', () => {
  const page = `<!doctype html><html lang=en><title>T &amp; t</title><!-- c --><link rel=canonical href="/c"><script>if (a<b) "<a href=no>"</script>
<p id=é>text <a href="/x?a=1&amp;b=2" rel="NoFollow">é😀</a><svg><title>s</title><![CDATA[<a href=no>]]></svg><template><a href=no></template>
<img src=1 srcset="a 1x, b 2x"><style>p{}</style><textarea>x</textarea><meta http-equiv=refresh content="1;url=/r"><a href='/end'>end</a></html>`;
  const whole = scanText(page);

  test('gives the links that were complete, at every byte, and never throws', () => {
    const bytes = Buffer.from(page);
    const all = kindsAndUrls(whole);
    expect(all.length).toBe(7);
    for (let length = 0; length <= bytes.length; length++) {
      const prefix = bytes.subarray(0, length).toString('latin1');
      const found = kindsAndUrls(
        scanText(Buffer.from(prefix, 'latin1').toString('utf8'), {
          anchorText: true,
          positions: true,
          textHash: true,
          anchors: true,
        }),
      );
      expect(found).toEqual(all.slice(0, found.length));
    }
  });

  test('says so exactly when it ends inside a tag, a comment or raw text', () => {
    for (const source of [
      '<',
      '</',
      '<a',
      '<a href="x',
      '<!--',
      '<!-- -',
      '<!x',
      '<?x',
      '</ x',
      '<title>x',
      '<script>',
      '<style></styl',
      '<svg><![CDATA[x',
      '<!doctype',
    ]) {
      expect([source, scanText(source).truncated]).toEqual([source, true]);
    }
    for (const source of [
      '',
      'x',
      '<a>',
      '<a>x',
      'a < b',
      '<plaintext>x<',
      '<!---->',
      '<svg>',
      '<template>',
      '<title></title>',
    ]) {
      expect([source, scanText(source).truncated]).toEqual([source, false]);
    }
    expect(whole.truncated).toBe(false);
  });
});
