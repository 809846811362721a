import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import { markdownLinks } from '../../src/parse/markdown/markdown-links.js';
import { projectFiles, read } from '../shell/repository.js';

/** The addresses that a page made by micromark leads to, in any order; those of footnotes are its own. */
function judged(markdown: string): string[] {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml({ clobberPrefix: '' })],
  });
  const found: string[] = [];
  const waiting: DefaultTreeAdapterTypes.Node[] = [parseFragment(html)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const attribute = node.nodeName === 'a' ? 'href' : node.nodeName === 'img' ? 'src' : '';
    const url = 'attrs' in node ? node.attrs.find(({ name }) => name === attribute)?.value : undefined;
    if (url !== undefined && !url.startsWith('#fn')) {
      found.push(comparable(url));
    }
    waiting.push(...('childNodes' in node ? node.childNodes : []));
  }
  return found;
}

/** Definitions that nothing uses have no text; they and labels that are not defined are no link to micromark. */
function expectSame(markdown: string): void {
  const expected = judged(markdown);
  const links = markdownLinks(markdown).filter(({ kind }) => kind !== 'undefined');
  const urls = links.map(({ href }) => comparable(href));
  const used = urls.filter(
    (url, i) => links[i]!.kind !== 'reference' || links[i]!.text !== '' || expected.includes(url),
  );
  expect(new Set(used)).toEqual(new Set(expected));
}

/** micromark writes what is no ASCII percent-encoded. */
const comparable = (url: string): string => encodeURI(url.trim()).replace(/%25(?=[0-9a-f]{2})/gi, '%');

describe('links are those that micromark finds', () => {
  test.each(projectFiles().filter((path) => path.endsWith('.md')))('%s', (path) => {
    const markdown = read(path).replace(/^---\n[\s\S]*?\n---\n/, '');
    expectSame(markdown);
  });

  /** Not in it: bare URLs, on whose ends micromark and GitHub differ, and what a parser of HTML repairs when it is left open. */
  const soup = fc
    .array(
      fc.oneof(
        fc.constantFrom(...'] ( ) > ! ` ~ " \' \\ & # * _ - + : ; = \t a 1'.split(' '), ' ', '\n', '\n\n', '    '),
        fc.constantFrom('[a]', '[a](b)', '[c [d](e)', '![a](b)', '[x][a]', '![x][a]', '[', '](b)', '](<b c>)', '][a]'),
        fc.constantFrom('\n\n[a]: d\n\n', '\n[a]: e "f"\n', '```', '> ', '- ', '1. ', '&amp;', '<http://a.test/>'),
        fc.constantFrom('<!-- x -->', '<a href="x">y</a>', '<img src=z>', '# ', '\n---\n'),
      ),
      { maxLength: 14 },
    )
    .map((parts) => `a${parts.join('')}`)
    .filter((markdown) => !/\\<http|\[(?:a|x)\]\[(?!a\])/.test(markdown));

  test('the marks of Markdown in any order', () => {
    fc.assert(fc.property(soup, expectSame), { numRuns: 3000, seed: 3 });
  });
});
