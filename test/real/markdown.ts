import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { Slugger } from '../../src/base/slug.js';
import { toMarkdown } from '../../src/content/markdown/markdown.js';
import { parseTree } from '../../src/content/tree-builder.js';

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.DocumentFragment;
type Element = DefaultTreeAdapterTypes.Element;

/** As many pages of a site, spread over it. */
export const PAGES_A_SITE = 300;

/** What a page is when its Markdown is read again by another parser. */
interface Reread {
  readonly words: string;
  readonly headings: readonly string[];
  readonly codes: readonly string[];
  readonly targets: ReadonlySet<string>;
  readonly fragments: readonly string[];
}

/** Sentences on pages whose Markdown does not say what was meant; none where all is well. */
export function markdownFaults(root: string): { pages: number; faults: string[] } {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const step = Math.max(1, Math.floor(files.length / PAGES_A_SITE));
  const sample = files.filter((_, i) => i % step === 0).slice(0, PAGES_A_SITE);
  return { pages: sample.length, faults: sample.flatMap((file) => faultsOf(file)) };
}

function faultsOf(file: string): string[] {
  const html = readFileSync(file, 'utf8');
  const linkFor = (url: string, fragment: string): string => (fragment === '' ? url : `${url}#${fragment}`);
  const { markdown, text, headings } = toMarkdown(parseTree(html).children, {
    pageUrl: `http://a.test/${encodeURI(file)}`,
    linkFor,
  });
  const again = reread(markdown);
  const expectedHeadings = headings.map(({ level, text: title }) => `${level} ${bare(title)}`);
  const faults = [
    difference('words', bare(text), again.words),
    difference('headings', expectedHeadings.join('\n'), again.headings.join('\n')),
    ...again.fragments.filter((each) => !again.targets.has(each)).map((each) => `no target for #${each}`),
    ...codesOf(html).flatMap((code) => (again.codes.includes(code) ? [] : [`lost code: ${code.slice(0, 80)}`])),
  ];
  return faults.filter((fault) => fault !== null).map((fault) => `${file}: ${fault}`);
}

/** Without white space, and without the signs that Markdown has for formulas and boxes. */
const bare = (text: string): string => text.replace(/[\s$`]|\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]/g, '');

function difference(what: string, expected: string, actual: string): string | null {
  if (expected === actual) {
    return null;
  }
  let at = 0;
  while (expected[at] === actual[at]) {
    at++;
  }
  const piece = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 20), at + 30));
  return `${what} differ: expected ${piece(expected)}, read ${piece(actual)}`;
}

function reread(markdown: string): Reread {
  const rendered = micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  const words: string[] = [];
  const headings: string[] = [];
  const codes: string[] = [];
  const targets = new Set<string>();
  const fragments: string[] = [];
  const slugger = new Slugger();
  const visit = (node: Node): void => {
    if (node.nodeName === '#text' && 'value' in node) {
      words.push(node.value);
    }
    if (!('childNodes' in node)) {
      return;
    }
    if ('tagName' in node) {
      const id = attribute(node, 'id');
      if (isOfFootnotes(node)) {
        return;
      }
      if (id !== '') {
        targets.add(id);
      }
      const href = attribute(node, 'href');
      if (href.startsWith('#')) {
        fragments.push(decodeURIComponent(href.slice(1)));
      }
      if (/^h[1-6]$/.test(node.tagName)) {
        targets.add(slugger.idOf(textOf(node)));
        headings.push(`${node.tagName[1]} ${bare(textOf(node))}`);
      }
      if (node.tagName === 'pre' || node.tagName === 'code') {
        codes.push(bareCode(textOf(node)));
      }
      if (node.tagName === 'img') {
        words.push(attribute(node, 'alt'));
      }
    }
    for (const child of node.childNodes) {
      visit(child);
    }
  };
  visit(parseFragment(rendered));
  return { words: bare(words.join('')), headings, codes, targets, fragments };
}

const attribute = (element: Element, name: string): string =>
  element.attrs.find((each) => each.name === name)?.value ?? '';

/** What the renderer adds to footnotes. */
function isOfFootnotes(element: Element): boolean {
  const has = (name: string): boolean => element.attrs.some((each) => each.name === name);
  return has('data-footnote-ref') || has('data-footnote-backref') || attribute(element, 'id') === 'footnote-label';
}

function textOf(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) {
    return node.value;
  }
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

const bareCode = (text: string): string =>
  text
    .replaceAll('\u00a0', ' ')
    .replaceAll('\u200b', '')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();

/** The code blocks of a page that hold nothing but code: no line numbers, buttons or hidden lines. */
function codesOf(html: string): string[] {
  const codes: string[] = [];
  const visit = (node: Node, isHidden: boolean): void => {
    if (!('childNodes' in node)) {
      return;
    }
    const hides = isHidden || ('tagName' in node && isUnread(node));
    if ('tagName' in node && node.tagName === 'pre' && !hides && isPlain(node)) {
      const code = bareCode(textOf(node));
      if (code !== '') {
        codes.push(code);
      }
    } else {
      for (const child of node.childNodes) {
        visit(child, hides);
      }
    }
  };
  visit(parseFragment(html), false);
  return codes;
}

const isUnread = (element: Element): boolean =>
  /^(?:script|style|template|noscript|svg)$/.test(element.tagName) ||
  /display:\s*none/.test(attribute(element, 'style'));

/** Elements of one line with no class that says they are something beside the code. */
function isPlain(node: Element): boolean {
  return node.childNodes.every((child) => {
    if (!('tagName' in child)) {
      return true;
    }
    if (!/^(?:a|b|i|em|strong|span|code|var|tt|font|u|sup|sub|small|kbd|samp)$/.test(child.tagName)) {
      return false;
    }
    return !/lineno|linenos|boring|headerlink|copy/.test(attribute(child, 'class')) && isPlain(child);
  });
}
