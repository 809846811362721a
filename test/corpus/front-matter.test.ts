import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type FrontMatter, readFrontMatter, writeFrontMatter } from '../../src/corpus/front-matter.js';

/** No half of a character. */
const isWellFormed = (text: string): boolean => Buffer.from(text).toString() === text;

const PLAIN: FrontMatter = {
  source: 'https://docs.test/a',
  title: 'A page',
  description: null,
  crawled: '2026-01-02T03:04:05.000Z',
  hash: 'ab'.repeat(32),
  tokens: 12,
  lang: 'en',
};

/** As a YAML reader sees the head of a file. */
function readByYaml(file: string): unknown {
  const end = file.indexOf('\n---\n', 3);
  expect(file.startsWith('---\n')).toBe(true);
  return parse(file.slice(4, end + 1), { strict: true, version: '1.2' });
}

const HOSTILE = [
  '---',
  '\n---\n',
  '...\n---\ninjected: true\n',
  'a: b',
  '# not a comment',
  '"quoted" and \'single\'',
  'back\\slash \\n \\x41',
  'nul \0 bell \x07 escape \x1b[31m',
  '\u202eright to left\u202c \u2066isolated\u2069 \u200bzero',
  'lone \ud800 surrogate \udc00',
  '😀 pair',
  '!!js/function "function(){}"',
  '&anchor *alias',
  '{a: 1}',
  '[1, 2]',
  '| block',
  '> folded',
  '%YAML 1.2',
  '@at `tick`',
  'null',
  'true',
  '0123',
  '2026-01-01',
  '  leading and trailing  ',
  '\t',
  '',
  '\u0085next\u2028line\u2029paragraph',
  '\ufeffmark \ufffe \uffff \u007f \u009f',
  '? key',
  '- item',
  '<<: *x',
  '\r\n',
  'x'.repeat(200_000),
];

describe('front matter', () => {
  it('is what the documentation shows', () => {
    expect(writeFrontMatter({ ...PLAIN, tokensEstimated: true })).toBe(
      `---\nsource: "https://docs.test/a"\ntitle: "A page"\ndescription: null\ncrawled: "2026-01-02T03:04:05.000Z"\n` +
        `hash: "${'ab'.repeat(32)}"\ntokens: 12\ntokensEstimated: true\nlang: "en"\n---\n`,
    );
  });

  it.each(HOSTILE.map((text) => [JSON.stringify(text).slice(0, 60), text]))(
    'reads back exactly with %s in it',
    (_, text) => {
      const fields = { ...PLAIN, title: text, description: text, lang: text };
      const file = `${writeFrontMatter(fields)}\nbody\n`;
      expect(readByYaml(file)).toEqual(fields);
      expect(readFrontMatter(file)).toEqual({ fields, body: '\nbody\n' });
    },
  );

  it('reads back exactly with anything in it, and is printable', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.option(fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) })),
        (title, description) => {
          const file = writeFrontMatter({ ...PLAIN, title, description });
          expect(readByYaml(file)).toEqual({ ...PLAIN, title, description });
          expect(readFrontMatter(file)?.fields).toEqual({ ...PLAIN, title, description });
          expect(file).not.toMatch(
            /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/,
          );
          expect(file.split('\n').length).toBe(10);
          expect(isWellFormed(file)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('of another hand is not taken for ours', () => {
    for (const file of ['# Title\n', '---\ntitle: plain\n---\n', '---\ntitle: "open"\n', '']) {
      expect(readFrontMatter(file)).toBeNull();
    }
  });
});
