import type { Child } from '../element.js';
import { findFootnotes } from './footnotes.js';
import { baseOf, LinkMaker, type LinkOptions } from './links.js';
import type { Block } from './model.js';
import { BlockReader } from './read-blocks.js';
import { survey } from './survey.js';
import { type WrittenHeading, writeBlocks } from './write-blocks.js';
import { writeText } from './write-text.js';

export interface MarkdownOptions extends LinkOptions {
  /** Ids of the page that others link to, beside those that its own links lead to. */
  readonly linkedIds?: ReadonlySet<string>;
}

export interface Markdown {
  readonly markdown: string;
  /** The words alone. */
  readonly text: string;
  readonly headings: readonly WrittenHeading[];
}

/** Parts of a page as CommonMark with the extensions of GitHub. */
export function toMarkdown(nodes: readonly Child[], options: MarkdownOptions): Markdown {
  const known = survey(nodes, options.pageUrl, baseOf(options));
  const footnotes = findFootnotes(known);
  const linkedIds = [...known.linkedIds, ...(options.linkedIds ?? [])];
  const reader = new BlockReader({
    survey: known,
    footnotes,
    links: new LinkMaker(options, known.byId),
    wantedIds: new Set(linkedIds.filter((id) => !footnotes.ids.has(id))),
  });
  const blocks = reader.read(nodes);
  for (const { label, content } of footnotes.notes) {
    reader.nest(content, (children): Block => ({ type: 'footnote', label, children }), blocks);
  }
  reader.addAnchors(blocks);
  return { ...writeBlocks(blocks), text: writeText(blocks) };
}
