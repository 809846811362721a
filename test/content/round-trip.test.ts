import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../../src/content/markdown/markdown.js';
import { parseTree } from '../../src/content/tree-builder.js';
import { outlineOf, rendered } from './outline.js';

const URL = 'https://a.test/dir/page';

function markdownOf(html: string): string {
  const linkFor = (url: string, fragment: string) => (fragment === '' ? url : `${url}#${fragment}`);
  return toMarkdown(parseTree(html).children, { pageUrl: URL, linkFor }).markdown;
}

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const joined = (part: fc.Arbitrary<string>, size: { minLength?: number; maxLength: number }) =>
  fc.array(part, size).map((parts) => parts.join(''));

/** Text that is full of signs that mean something in Markdown. */
const sign = fc.constantFrom(
  ...[
    '*',
    '**',
    '_',
    '__',
    '`',
    '``',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '#',
    '##',
    '-',
    '+',
    '1.',
    '2)',
    '&',
    '&amp;',
    '&#35;',
    '\\',
    '~',
  ],
  ...[
    '~~',
    '$',
    '|',
    '!',
    ':',
    '=',
    '---',
    '===',
    '***',
    '~~~',
    '```',
    '[x]',
    '[ ]',
    '[^1]',
    '[a](b)',
    '![a](b)',
    '<b>',
    '</b>',
    '<!--',
  ],
  ...[
    '[a]:',
    '[!NOTE]',
    '>',
    '> ',
    '- ',
    '* ',
    '+ ',
    '|-|',
    ':-',
    '\t',
    '"',
    "'",
    '😀',
    '。',
    '「',
    'é',
    '\\n',
    '{',
    '}',
    '/',
    '.',
    ',',
  ],
);
const word = fc.constantFrom('a', 'b', 'word', 'snake_case', 'x2', '1', 'Z', 'é', '字');
const text = joined(fc.oneof(sign, word, word, fc.constant(' '), fc.constant(' ')), { minLength: 1, maxLength: 8 });
const written = text.map(escapeHtml);

const inline: fc.Arbitrary<string> = fc.letrec<{ inline: string; line: string }>((tie) => ({
  inline: fc.oneof(
    { maxDepth: 3 },
    { weight: 5, arbitrary: written },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('b', 'em', 'del', 'kbd', 'sub', 'sup', 'mark', 'ins', 'span'), tie('line'))
        .map(([name, content]) => `<${name}>${content}</${name}>`),
    },
    { weight: 2, arbitrary: written.map((content) => `<code>${content}</code>`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(href(), tie('line'))
        .map(([target, content]) => `<a href="${target}">${content.replace(/<\/?a\b[^>]*>/g, '')}</a>`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          href().filter((target) => target.startsWith('https:')),
          written,
        )
        .map(([src, alt]) => `<img src="${src}" alt="${alt.replaceAll('"', '').trim().replace(/\s+/g, ' ')}">`),
    },
    { weight: 1, arbitrary: fc.constant('<br>x') },
  ),
  line: joined(tie('inline'), { minLength: 1, maxLength: 5 }),
})).line;

function href(): fc.Arbitrary<string> {
  return fc.constantFrom(
    ...[
      'https://a.test/x',
      'https://a.test/x_y_z?a=1&amp;b=2#f',
      'https://a.test/(a)',
      'https://a.test/(a',
      'https://a.test/a)b',
      'https://b.test/%20*x*',
    ],
    ...[
      'mailto:a@b.test',
      'https://a.test/|',
      'https://a.test/[x]',
      "https://a.test/'x'",
      'https://a.test/?&amp;copy;=1',
    ],
  );
}

const code = joined(fc.oneof(sign, word, fc.constantFrom(' ', '  ', '\n', '\n\n', '\t')), {
  minLength: 1,
  maxLength: 12,
})
  .filter((content) => content.trim() !== '')
  .map((content) => content.replace(/^\s+/, '').trimEnd())
  .chain((content) =>
    fc
      .constantFrom('', 'language-java', 'language-c')
      .map((name) => `<pre><code class="${name}">${escapeHtml(content)}\n</code></pre>`),
  );

const cell = inline.map((line) => line.replaceAll('<br>', ' '));
const table = fc.integer({ min: 2, max: 4 }).chain((columns) =>
  fc
    .tuple(
      fc.array(cell, { minLength: columns, maxLength: columns }),
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 3 }),
    )
    .map(([head, rows]) => {
      const row = (cells: string[], name: string) =>
        `<tr>${cells.map((each) => `<${name}>x ${each}</${name}>`).join('')}</tr>`;
      return `<table><thead>${row(head, 'th')}</thead><tbody>${rows.map((each) => row(each, 'td')).join('')}</tbody></table>`;
    }),
);

const block: fc.Arbitrary<string> = fc.letrec<{ block: string; blocks: string }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: inline.map((line) => `<p>${line}</p>`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.integer({ min: 1, max: 6 }), cell)
        .map(([level, line]) => `<h${level}>x ${line.replaceAll('#f', '')}</h${level}>`),
    },
    { weight: 1, arbitrary: code },
    { weight: 1, arbitrary: table },
    { weight: 1, arbitrary: fc.constant('<p>x</p><hr><p>y</p>') },
    { weight: 1, arbitrary: tie('blocks').map((content) => `<blockquote>${content}</blockquote>`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom('ul', 'ol', 'ol start="7"'),
          fc.array(fc.oneof(tie('blocks'), inline), { minLength: 1, maxLength: 3 }),
        )
        .map(
          ([name, items]) =>
            `<${name}>${items.map((item) => `<li>${item.replace(/<(\/?)h\d>/g, '<$1p>')}</li>`).join('')}</${name.slice(0, 2)}>`,
        ),
    },
  ),
  blocks: joined(tie('block'), { minLength: 1, maxLength: 4 }),
})).blocks;

function expectSame(html: string): void {
  const markdown = markdownOf(html);
  const [outline, meant] = [outlineOf(rendered(markdown)), outlineOf(html)];
  if (!isDeepStrictEqual(outline, meant)) {
    expect({ html, markdown, outline }).toEqual({ html, markdown, outline: meant });
  }
}

describe('Markdown means what the page said', () => {
  it('in lines with every sign that means something in Markdown', () => {
    fc.assert(
      fc.property(inline, (line) => expectSame(`<p>${line}</p>`)),
      { numRuns: 2000, seed: 7 },
    );
  });

  it('in headings, lists, quotes, code and tables, one in another', () => {
    fc.assert(fc.property(block, expectSame), {
      numRuns: 1000,
      seed: 11,
    });
  });
});
