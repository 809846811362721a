import { type LinkPlace, withoutFragment } from './document.js';
import { writeFrontMatter } from './front-matter.js';
import { relativeLink } from './page-paths.js';

/** What a file of the tree is made of. */
export interface PageContent {
  url: string;
  title: string;
  description: string | null;
  lang: string | null;
  markdown: string;
  hash: string;
  crawled: string;
  tokens: number;
}

/** One file of the tree: front matter, a blank line, the page. */
export function renderPage(page: PageContent, markdown: string, isEstimate: boolean): Buffer {
  const { url: source, title, description, crawled, hash, tokens, lang } = page;
  const estimated = isEstimate ? { tokensEstimated: true as const } : {};
  const head = writeFrontMatter({ source, title, description, crawled, hash, tokens, ...estimated, lang });
  return Buffer.from(`${head}\n${markdown}${markdown.endsWith('\n') ? '' : '\n'}`);
}

/** The Markdown of a page as it stands at `path`: links to pages of the corpus lead to their files, those to a duplicate to the copy that is kept. */
export function relinkMarkdown(
  { markdown, path, links }: { markdown: string; path: string; links: readonly LinkPlace[] },
  keptPage: (url: string) => { path: string } | null,
): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, url } of links) {
    const base = withoutFragment(url);
    const kept = keptPage(base);
    if (kept === null) {
      continue;
    }
    pieces.push(markdown.slice(at, start), destination(`${relativeLink(path, kept.path)}${url.slice(base.length)}`));
    at = end;
  }
  return at === 0 ? markdown : [...pieces, markdown.slice(at)].join('');
}

const NEEDS_BRACKETS = /[\s()<>]/;

const destination = (link: string): string => (NEEDS_BRACKETS.test(link) ? `<${link.replace(/[<>]/g, '\\$&')}>` : link);
