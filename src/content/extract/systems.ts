import type { Element } from '../element.js';
import type { Head } from './head.js';
import type { Outline } from './outline.js';

/** One part of a selector: what an element has to be and have. */
interface Compound {
  readonly name: string;
  readonly id: string;
  readonly classes: readonly string[];
  readonly attributes: readonly { readonly name: string; readonly value: string | null }[];
}

interface Selector {
  readonly own: Compound;
  /** What has to stand around it, the nearest first. */
  readonly around: readonly Compound[];
}

const PIECE = /([#.]?)([A-Za-z_][\w-]*)|\[([\w-]+)(?:=([^\]]*))?\]/g;

/**
 * The few selectors that rules are written in, as in style sheets: `div#id.class[attribute=value]`, and `around own` for what stands anywhere
 * in another. Found by id, class or name, so that many of them cost little.
 */
class Selectors {
  readonly #byId = new Map<string, Selector[]>();
  readonly #byClass = new Map<string, Selector[]>();
  readonly #byName = new Map<string, Selector[]>();

  constructor(list: readonly string[]) {
    for (const selector of list.map(parse)) {
      const { id, classes, name } = selector.own;
      if (id !== '') {
        add(this.#byId, id, selector);
      } else if (classes.length > 0) {
        add(this.#byClass, classes[0]!, selector);
      } else {
        add(this.#byName, name, selector);
      }
    }
  }

  matches(element: Element): boolean {
    if (isAny(this.#byName.get(element.name), element)) {
      return true;
    }
    if (element.attributes.length === 0) {
      return false;
    }
    if (this.#byId.size > 0 && isAny(this.#byId.get(element.id), element)) {
      return true;
    }
    return this.#byClass.size > 0 && element.classes.some((each) => isAny(this.#byClass.get(each), element));
  }
}

function add(map: Map<string, Selector[]>, key: string, selector: Selector): void {
  const known = map.get(key);
  if (known === undefined) {
    map.set(key, [selector]);
  } else {
    known.push(selector);
  }
}

const isAny = (selectors: readonly Selector[] | undefined, element: Element): boolean =>
  selectors?.some((selector) => isMatch(selector, element)) ?? false;

function parse(text: string): Selector {
  const compounds = text.split(' ').map((part): Compound => {
    let name = '';
    let id = '';
    const classes: string[] = [];
    const attributes: { name: string; value: string | null }[] = [];
    for (const [, sign, word, attribute, value] of part.matchAll(PIECE)) {
      if (attribute !== undefined) {
        attributes.push({ name: attribute, value: value ?? null });
      } else if (sign === '#') {
        id = word!;
      } else if (sign === '.') {
        classes.push(word!);
      } else {
        name = word!;
      }
    }
    return { name, id, classes, attributes };
  });
  return { own: compounds.at(-1)!, around: compounds.slice(0, -1).reverse() };
}

function isMatch({ own, around }: Selector, element: Element): boolean {
  if (!fits(own, element)) {
    return false;
  }
  let up = element.parent;
  for (const compound of around) {
    while (up !== null && !fits(compound, up)) {
      up = up.parent;
    }
    if (up === null) {
      return false;
    }
    up = up.parent;
  }
  return true;
}

function fits({ name, id, classes, attributes }: Compound, element: Element): boolean {
  if (name !== '' && element.name !== name) {
    return false;
  }
  if (id !== '' && element.id !== id) {
    return false;
  }
  if (!classes.every((each) => element.hasClass(each))) {
    return false;
  }
  return attributes.every((wanted) => {
    const value = element.attribute(wanted.name);
    return value !== null && (wanted.value === null || value === wanted.value);
  });
}

/** A documentation system: how to know it, where its content is and what in it is none. */
interface Rule {
  readonly name: string;
  /** What it calls itself in the page's head. */
  readonly generator?: RegExp;
  /** Any of these is on its pages and on no others. */
  readonly marks: readonly string[];
  /** The first of these that the page has is the content. */
  readonly content: readonly string[];
  /** Beside the content: the title that stands outside of it. */
  readonly beside?: readonly string[];
  readonly drop: readonly string[];
}

const RULES: readonly Rule[] = [
  {
    name: 'Sphinx',
    marks: ['div.sphinxsidebar', 'div.documentwrapper', '#furo-main-content', 'div.rst-content', '.bd-article'],
    content: [
      '#furo-main-content',
      'div[itemprop=articleBody]',
      '.bd-article',
      'div.body',
      'div[role=main]',
      '#yui-main div.yui-g',
    ],
    drop: [
      '.headerlink',
      '.viewcode-link',
      'div.topic.contents',
      'nav',
      '.genindex-jumpbox',
      '.console-block label',
      '.sphinxsidebar',
      '.related',
    ],
  },
  {
    name: 'Docusaurus',
    generator: /docusaurus/i,
    marks: ['#__docusaurus'],
    content: ['.theme-doc-markdown', 'main'],
    drop: [
      'nav',
      '.theme-doc-toc-mobile',
      '.hash-link',
      'article footer',
      '.theme-edit-this-page',
      '.pagination-nav',
      '.table-of-contents',
      'main aside',
    ],
  },
  {
    name: 'javadoc',
    generator: /^javadoc/i,
    marks: ['.class-declaration-page', '.package-declaration-page', '.module-declaration-page'],
    content: ['main', '.contentContainer'],
    beside: ['div.header'],
    drop: ['nav', '.table-tabs', 'footer', '.sub-nav', '.package-hierarchy-label', 'ul.horizontal'],
  },
  {
    name: 'Doxygen',
    generator: /doxygen/i,
    marks: ['div.contents div.fragment'],
    content: ['div.contents'],
    beside: ['div.headertitle'],
    drop: ['.summary', '.ingroups', '.ttc', '.permalink', '.dynheader', '.levels', '.arrow'],
  },
  {
    name: 'gtk-doc',
    generator: /gtk-doc/i,
    marks: ['table.navigation#top'],
    content: ['body'],
    drop: ['table.navigation', 'div.footer'],
  },
  {
    name: 'Texinfo',
    generator: /makeinfo|texi2any/i,
    marks: ['a.copiable-anchor', 'a.copiable-link'],
    content: ['body'],
    drop: ['div.header', 'div.nav-panel', '.copiable-anchor', '.copiable-link'],
  },
  {
    name: 'QDoc',
    marks: ['div.mainContent div.sidebar-content'],
    content: ['div.mainContent'],
    drop: ['div.sidebar', '.naviNextPrevious'],
  },
  {
    name: 'AsciiDoc',
    generator: /asciidoc/i,
    marks: [],
    content: ['body'],
    drop: ['#footer', '#toc', '.toc'],
  },
  {
    name: 'Apache',
    marks: ['#page-content #preamble'],
    content: ['#page-content'],
    drop: ['.toplang', '.bottomlang', '#quickview', 'div.top', '.permalink', '#comments_section', 'div.category'],
  },
  {
    name: 'gi-docgen',
    marks: ['nav.sidebar.devhelp-hidden'],
    content: ['#main'],
    drop: ['nav', '.srclink', '.anchor', '.toc'],
  },
  {
    name: 'Haddock',
    marks: ['#package-header'],
    content: ['#content'],
    drop: [
      '#table-of-contents',
      '.link',
      '.selflink',
      'table.info',
      '.details-toggle-control',
      '.hide-when-js-enabled',
    ],
  },
  {
    name: 'Erlang',
    marks: ['.leftnav-tube .erlang-logo-wrapper'],
    content: ['#content'],
    beside: ['.topbar-title'],
    drop: ['nav', '.footer', '.title_link', '.pencil'],
  },
  {
    name: 'rustdoc',
    generator: /rustdoc/i,
    marks: ['#main-content.content'],
    content: ['#main-content', '#main'],
    drop: [
      '.out-of-band',
      'a.src',
      '.rightside',
      '.since',
      '.test-arrow',
      '.information',
      '.tooltip',
      '.notable-traits',
      '.anchor',
      '#copy-path',
      'summary.hideme',
      '.srclink',
    ],
  },
  {
    name: 'MediaWiki',
    generator: /mediawiki/i,
    marks: ['#mw-content-text'],
    content: ['#mw-content-text'],
    beside: ['#firstHeading'],
    drop: [
      '#toc',
      '.toc',
      '.mw-editsection',
      '.editsection',
      '.printfooter',
      '.catlinks',
      '.t-navbar',
      '.navbox',
      '.t-example-live-link',
      '.noprint',
      '.coliru-btn',
    ],
  },
];

export interface System {
  readonly name: string;
  readonly generator: RegExp | null;
  readonly marks: Selectors;
  readonly content: readonly Selectors[];
  readonly beside: Selectors;
  readonly drop: Selectors;
}

const SYSTEMS: readonly System[] = RULES.map((rule) => ({
  name: rule.name,
  generator: rule.generator ?? null,
  marks: new Selectors(rule.marks),
  content: rule.content.map((each) => new Selectors([each])),
  beside: new Selectors(rule.beside ?? []),
  drop: new Selectors(rule.drop),
}));

/** All that is looked for on a page to begin with, so that one look is enough for most elements. */
const LANDMARKS = new Selectors(
  RULES.flatMap(({ marks, content, beside }) => [...marks, ...content, ...(beside ?? [])]),
);

/** Where a page has something that a rule names. */
export class Landmarks {
  readonly #outline: Outline;
  readonly #places: readonly number[];

  constructor(outline: Outline) {
    this.#outline = outline;
    const places: number[] = [];
    for (let i = 0; i < outline.count; i++) {
      if (!outline.isGone(i) && LANDMARKS.matches(outline.elements[i]!)) {
        places.push(i);
      }
    }
    this.#places = places;
  }

  /** The first that matches; -1 where none does. */
  first(selectors: Selectors): number {
    return this.#places.find((i) => selectors.matches(this.#outline.elements[i]!)) ?? -1;
  }
}

/** The system that made a page, by what the page says or has; null where none is known. */
export function recognise(head: Head, landmarks: Landmarks): System | null {
  const named = SYSTEMS.find(({ generator }) => generator?.test(head.generator) === true);
  return named ?? SYSTEMS.find(({ marks }) => landmarks.first(marks) !== -1) ?? null;
}

/** Where a system has put the content; null where it is not there after all. */
export function findBySystem(outline: Outline, landmarks: Landmarks, system: System): number[] | null {
  for (const selectors of system.content) {
    const content = landmarks.first(selectors);
    if (content === -1) {
      continue;
    }
    const beside = landmarks.first(system.beside);
    for (const place of beside === -1 ? [content] : [beside, content]) {
      for (const i of outline.within(place)) {
        if (system.drop.matches(outline.elements[i]!)) {
          outline.drop(i);
        }
      }
    }
    if (outline.text(content) === 0) {
      return null;
    }
    return beside === -1 || outline.isIn(beside, content) ? [content] : [beside, content];
  }
  return null;
}
