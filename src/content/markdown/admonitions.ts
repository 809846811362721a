import type { Child, Element } from '../element.js';
import type { Alert } from './model.js';
import { HEADINGS } from './names.js';

export interface Admonition {
  readonly alert: Alert;
  /** Null if the box has none. */
  readonly title: Element | null;
  readonly body: readonly Child[];
}

/** The kinds of boxes that documentation systems have, as the five that Markdown viewers know. */
const ALERTS = new Map<string, Alert>(
  Object.entries({
    NOTE: 'note info information abstract summary tldr seealso example quote cite question help faq todo versionadded default secondary primary',
    TIP: 'tip hint success check done',
    IMPORTANT: 'important',
    WARNING: 'warning warn attention deprecated',
    CAUTION: 'caution danger error failure fail missing bug',
  }).flatMap(([alert, words]) => words.split(' ').map((word) => [word, alert as Alert] as const)),
);

/** Classes that make a box of an element, whatever else it is called. */
const BOXES = new Set(
  'admonition alert custom-block markdown-alert theme-admonition callout admonitionblock nextra-callout hint-box notice starlight-aside'.split(
    ' ',
  ),
);
/** Enough by themselves, as DocBook has them. */
const BARE = new Set('note tip warning caution important danger attention hint'.split(' '));
const ELEMENTS = new Set(['div', 'aside', 'section', 'details', 'blockquote', 'dl']);
const PREFIX =
  /^(?:markdown-alert|theme-admonition|admonition|alert|callout|hint|is|custom-block|starlight-aside|notice)-{1,2}/;

export function admonitionOf(element: Element): Admonition | null {
  if (!ELEMENTS.has(element.name) || element.classes.length === 0) {
    return null;
  }
  const alert = alertOf(element);
  if (alert === null) {
    return null;
  }
  return asciidocBody(element, alert) ?? { alert, ...parts(element) };
}

function alertOf(element: Element): Alert | null {
  const { classes } = element;
  if (classes.includes('stab')) {
    return classes.includes('deprecated') ? 'WARNING' : 'NOTE';
  }
  if (classes.includes('deprecation-block')) {
    return 'WARNING';
  }
  if (classes.includes('preview-block')) {
    return 'NOTE';
  }
  if (element.name === 'details') {
    return ALERTS.get(classes.find((each) => ALERTS.has(each)) ?? '') ?? null;
  }
  const isBox = classes.some((each) => BOXES.has(each));
  if (!isBox) {
    const bare = classes.find((each) => BARE.has(each.toLowerCase()));
    return bare === undefined ? null : ALERTS.get(bare.toLowerCase())!;
  }
  for (const each of classes) {
    const alert = ALERTS.get(each.toLowerCase()) ?? ALERTS.get(each.toLowerCase().replace(PREFIX, ''));
    if (alert !== undefined) {
      return alert;
    }
  }
  return 'NOTE';
}

const isElement = (child: Child): child is Element => typeof child !== 'string';

function parts(element: Element): Pick<Admonition, 'title' | 'body'> {
  const at = element.children.findIndex((child) => isElement(child) || child.trim() !== '');
  const first = element.children[at];
  if (first === undefined || !isElement(first) || !isTitle(first)) {
    return { title: null, body: element.children };
  }
  return { title: first, body: element.children.slice(at + 1) };
}

function isTitle(element: Element): boolean {
  if (HEADINGS.has(element.name) || element.name === 'summary') {
    return true;
  }
  return element.classes.some((each) => /title|heading/i.test(each) && !/subtitle/i.test(each));
}

/** Asciidoctor puts an icon and the text into the cells of a table. */
function asciidocBody(element: Element, alert: Alert): Admonition | null {
  if (!element.hasClass('admonitionblock')) {
    return null;
  }
  let content: Element | null = null;
  const find = (node: Element): void => {
    for (const child of node.children) {
      if (!isElement(child) || content !== null) {
        continue;
      }
      if (child.name === 'td' && child.hasClass('content')) {
        content = child;
      } else {
        find(child);
      }
    }
  };
  find(element);
  return content === null ? null : { alert, title: null, body: (content as Element).children };
}

/** The word that a viewer shows by itself; a title that says no more is left out. */
const OWN_WORDS: Readonly<Record<Alert, readonly string[]>> = {
  NOTE: ['note', 'notes', 'info', 'information'],
  TIP: ['tip', 'hint'],
  IMPORTANT: ['important'],
  WARNING: ['warning', 'attention'],
  CAUTION: ['caution', 'danger'],
};

export function saysMore(title: string, alert: Alert): boolean {
  const words = title
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .trim()
    .toLowerCase();
  return words !== '' && !OWN_WORDS[alert].includes(words);
}
