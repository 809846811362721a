import { Slugger } from '../base/slug.js';
import { readBlocks } from './markdown-blocks.js';
import { plainHeading } from './passages.js';

const PLACES = /<a id="([^"<>]*)"><\/a>/g;

/**
 * The part of a page under a heading, with what is below it: by the words of the heading, or by a place, as an anchor of its URL names it. Null where
 * the page has neither.
 */
export function sectionOf(markdown: string, wanted: string): string | null {
  const words = wordsOf(wanted);
  const place = wanted.replace(/^#/, '');
  const slugs = new Slugger();
  const blocks = readBlocks(markdown);
  const headings = blocks.map((block) => {
    const title = block.kind === 'heading' ? plainHeading(block.title) : '';
    return { title, slug: block.kind === 'heading' ? slugs.idOf(title) : null };
  });
  const found = [
    headings.findIndex(({ title }) => title !== '' && wordsOf(title) === words),
    headings.findIndex(({ slug }) => slug === place),
    blocks.findIndex(({ lines }) => [...lines.join('\n').matchAll(PLACES)].some(([, id]) => id === place)),
    // As a reader shortens it, without its number.
    headings.findIndex(({ title }) => title !== '' && wordsOf(title.replace(/^[\d.]+\s+/, '')) === words),
  ].find((at) => at >= 0);
  if (found === undefined) {
    return null;
  }
  // A place within a section stands for all of that.
  let from = found;
  while (from > 0 && blocks[from]!.kind !== 'heading') {
    from--;
  }
  const { level } = blocks[from]!;
  const end = blocks.findIndex((block, i) => i > from && block.kind === 'heading' && block.level <= Math.max(1, level));
  return blocks
    .slice(from, end < 0 ? undefined : end)
    .map(({ lines, gap }, i) => (i === 0 ? '' : '\n'.repeat(Math.min(gap, 1) + 1)) + lines.join('\n'))
    .join('');
}

/** The headings of a page, as they are asked for. */
export function headingsOf(markdown: string, most: number): string[] {
  const titles = readBlocks(markdown).flatMap(({ kind, title }) => (kind === 'heading' ? [plainHeading(title)] : []));
  return titles.slice(0, most);
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
