import { Slugger } from '../../base/slug.js';
import { BlockReader } from './blocks.js';
import { type FoundLink, HtmlFacts, readHtmlBlock } from './html.js';
import { InlineReader } from './inline.js';
import { PlainText } from './plain-text.js';
import { MarkdownSource } from './source.js';

/**
 * - `inline` `[text](url)` and `reference` `[text][label]`, `[label][]`, `[label]`, and definitions that nothing uses
 * - `autolink` `<https://…>`, `bare` a URL as it stands in the text
 * - `image` `![text](url)` and `![text][label]`, `html` `<a href>` and `<img src>`
 * - `undefined` `[text][label]` where the label is not defined: it leads nowhere
 */
export type MarkdownLinkKind = FoundLink['kind'];

export interface MarkdownLink {
  kind: MarkdownLinkKind;
  /** What it is on the page that is made of it. */
  element: 'a' | 'img';
  /** Escapes and character references taken away; not yet resolved. Of an `undefined` one, its label. */
  href: string;
  /** Without markup, white space folded; '' where there is none. */
  text: string;
  /** Of the destination, both from 1: of a reference, where it is defined. */
  line: number;
  column: number;
  /** The element is marked with data-gossamer-ignore. */
  ignored: boolean;
}

/** The links of a Markdown file (CommonMark and GFM) in the order of their uses; definitions that nothing uses come last. */
export function markdownLinks(text: string): MarkdownLink[] {
  const source = new MarkdownSource(text);
  const { blocks, definitions } = new BlockReader(source);
  const links: FoundLink[] = [];
  for (const { kind, content } of blocks) {
    if (kind === 'html') {
      const plain = new PlainText();
      readHtmlBlock(content, new HtmlFacts(content, links, plain), plain);
    } else {
      new InlineReader(content, definitions, links, true).read();
    }
  }
  for (const { href, offset, isUsed } of definitions.all) {
    if (!isUsed) {
      links.push({ kind: 'reference', element: 'a', href, text: '', offset });
    }
  }
  return links.map(({ kind, element, href, text: label, offset, isIgnored }) => {
    return { kind, element, href, text: label, ...source.placeOf(offset), ignored: isIgnored ?? false };
  });
}

const CUSTOM_ID = /\{#([^{}\s]+)\}$/;

/** What a fragment of a Markdown file can point at: the ids that GitHub gives to headings, `{#id}`, and those of HTML. */
export function markdownAnchors(text: string): Set<string> {
  const { blocks, definitions } = new BlockReader(new MarkdownSource(text));
  const slugger = new Slugger();
  const anchors = new Set<string>();
  for (const { kind, content } of blocks) {
    const plain = new PlainText();
    let facts = new HtmlFacts(content, [], plain);
    if (kind === 'html') {
      readHtmlBlock(content, facts, plain);
    } else {
      const reader = new InlineReader(content, definitions, [], false);
      reader.read();
      facts = reader.html;
      if (kind === 'heading') {
        const heading = reader.plain.line;
        const custom = CUSTOM_ID.exec(heading)?.[1];
        if (custom !== undefined) {
          anchors.add(custom);
        }
        anchors.add(slugger.idOf(heading));
      }
    }
    for (const heading of facts.headings) {
      anchors.add(slugger.idOf(heading));
    }
    for (const id of facts.ids) {
      anchors.add(id);
    }
  }
  return anchors;
}
