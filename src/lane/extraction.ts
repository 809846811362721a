import { RE2JS } from 're2js';
import { UsageError } from '../base/errors.js';
import { type ElementPart, type ExtractRule, readExtractRule } from '../base/extract-rule.js';
import { printable } from '../base/text.js';
import type { Element } from '../content/element.js';
import { JsonLdBlocks, type JsonPath, readJsonPath } from '../content/json-ld.js';
import {
  attributeOf,
  compileSelector,
  htmlOf,
  Selection,
  SelectionTooLong,
  type Selector,
  textOf,
} from '../content/select.js';
import { type TokenHandler, tokenize } from '../content/tokenizer.js';
import { parseWhole } from '../content/tree-builder.js';

/** What was taken from a page. */
export interface Extracted {
  /** By name, as JSON. */
  data: string;
  /** Which values were cut or stopped, by name. */
  notes: string[];
}

/** Characters of one value; a longer one is cut. */
const LONGEST_VALUE = 65_536;
/** Values of one list. */
const LONGEST_LIST = 1_000;
/** Characters of all values of a page, in JSON. */
const MOST_OF_PAGE = 262_144;
/** Finding all matches of an expression can take time quadratic in a page's length; the search is given up after this time. */
const SEARCH_MS = 1_000;

type Value = string | number | boolean | null | object;

/** A page that rules are applied to: what several of them need is made once, and only if one needs it. */
class ExtractedPage {
  readonly html: string;
  #selection: Selection | null = null;
  #facts: PageFacts | null = null;
  readonly #selectors: readonly Selector[];

  /** @param selectors all selectors that will be used */
  constructor(html: string, selectors: readonly Selector[]) {
    this.html = html;
    this.#selectors = selectors;
  }

  get selection(): Selection {
    if (this.#selection === null) {
      const { root, elements } = parseWhole(this.html);
      this.#selection = new Selection(root, elements);
      this.#selection.announce(this.#selectors);
    }
    return this.#selection;
  }

  get facts(): PageFacts {
    this.#facts ??= this.#selectors.length > 0 ? factsOfTree(this.selection) : factsOfTags(this.html);
    return this.#facts;
  }
}

/** A prepared rule: gives at most that many values, and says what else there is to note. */
type Take = (page: ExtractedPage, most: number, note: (what: string) => void) => Value[];

interface ReadyRule {
  readonly name: string;
  readonly isList: boolean;
  readonly take: Take;
}

/** The rules of `--extract`, to be used on any number of pages. */
export class Extractor {
  readonly #rules: readonly ReadyRule[];
  readonly #selectors: Selector[] = [];

  /** @throws UsageError that names the rule and the place in it */
  constructor(texts: readonly string[]) {
    const rules = texts.map((text) => {
      const rule = readExtractRule(text);
      if (typeof rule === 'string') {
        throw refusal(text, rule);
      }
      return { ...rule, text };
    });
    this.#rules = rules.map((rule) => ({
      name: rule.name,
      isList: rule.isList,
      take: takeOf(rule, rule.text, this.#selectors),
    }));
  }

  /** @param html the page, decoded */
  extract(html: string): Extracted {
    const page = new ExtractedPage(html, this.#selectors);
    const data: Record<string, Value> = {};
    const notes = new Set<string>();
    let left = MOST_OF_PAGE;
    for (const { name, isList, take } of this.#rules) {
      const note = (what: string): void => void notes.add(`${what}:${name}`);
      const values: Value[] = [];
      for (const found of take(page, isList ? LONGEST_LIST + 1 : 1, note)) {
        const value = cutValue(found, note);
        const size = sizeOf(value);
        if (values.length === LONGEST_LIST || size > left) {
          note('extract_cut');
          break;
        }
        left -= size;
        values.push(value);
      }
      data[name] = isList ? values : (values[0] ?? null);
    }
    return { data: JSON.stringify(data), notes: [...notes] };
  }
}

const refusal = (text: string, problem: string): UsageError =>
  new UsageError(`--extract "${printable(text, 100)}": ${problem}`);

function cutValue(value: Value, note: (what: string) => void): Value {
  if (typeof value === 'string' && value.length > LONGEST_VALUE) {
    note('extract_cut');
    // A page may hold half a surrogate pair; a cut makes none.
    return value.slice(0, LONGEST_VALUE).replace(/[\ud800-\udbff]$/, '');
  }
  if (typeof value === 'object' && value !== null && sizeOf(value) > LONGEST_VALUE) {
    note('extract_cut');
    return null;
  }
  return value;
}

/** In JSON, about; more than anything may have where it cannot be written. */
function sizeOf(value: Value): number {
  if (typeof value === 'string') {
    return value.length + 3;
  }
  try {
    return JSON.stringify(value).length + 1;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function takeOf(rule: ExtractRule, text: string, selectors: Selector[]): Take {
  try {
    switch (rule.from) {
      case 'selector': {
        const selector = compileSelector(rule.source);
        selectors.push(selector);
        return takeElements(selector, rule.take);
      }
      case 'jsonld':
        return takeJsonLd(readJsonPath(rule.source));
      case 'meta':
        return takeMeta(rule.source.trim().toLowerCase());
      case 're':
        return takeMatches(compileExpression(rule.source));
    }
  } catch (error) {
    throw error instanceof UsageError ? refusal(text, error.message) : error;
  }
}

const takeElements =
  (selector: Selector, part: ElementPart): Take =>
  ({ selection }, most, note) => {
    try {
      return selection.all(selector, most).map((element) => partOf(element, part));
    } catch (error) {
      if (error instanceof SelectionTooLong) {
        note('extract_stopped');
        return [];
      }
      throw error;
    }
  };

/** One character more than a value may have, so that a value that has to be cut is recognised. */
function partOf(element: Element, part: ElementPart): string | null {
  switch (part.kind) {
    case 'text':
      return textOf(element, LONGEST_VALUE + 1);
    case 'html':
      return htmlOf(element, LONGEST_VALUE + 1);
    case 'attribute':
      return attributeOf(element, part.name);
  }
}

const takeMeta =
  (name: string): Take =>
  ({ facts }, most) =>
    facts.metas
      .filter((meta) => meta.names.includes(name))
      .map(({ content }) => content)
      .slice(0, most);

const takeJsonLd =
  (path: JsonPath): Take =>
  ({ facts }, most, note) => {
    const { blocks } = facts;
    if (blocks.areDamaged) {
      note('extract_bad_jsonld');
    }
    return blocks.find(path, most);
  };

function compileExpression(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const { error: what, input } = error as { error?: string; input?: string };
    const place = input === undefined ? 0 : Math.max(source.indexOf(input), 0);
    throw new UsageError(
      `expression "${printable(source)}", character ${place + 1}: ${printable(what ?? (error as Error).message)}`,
    );
  }
}

/** The first group of each match, or the whole match if the expression has no group. */
const takeMatches =
  (expression: RE2JS): Take =>
  ({ html }, most, note) => {
    const matcher = expression.matcher(html);
    const group = matcher.groupCount() > 0 ? 1 : 0;
    const found: Value[] = [];
    const until = performance.now() + SEARCH_MS;
    while (found.length < most && matcher.find()) {
      found.push(matcher.group(group));
      if (performance.now() > until) {
        note('extract_stopped');
        break;
      }
    }
    return found;
  };

interface Meta {
  /** In lower case. */
  readonly names: readonly string[];
  readonly content: string;
}

interface PageFacts {
  readonly metas: readonly Meta[];
  readonly blocks: JsonLdBlocks;
}

const JSON_LD = /^\s*application\/ld\+json\s*(?:;|$)/i;
const META_NAMES = ['name', 'property', 'itemprop', 'http-equiv'];

function metaOf(attribute: (name: string) => string | null): Meta | null {
  const content = attribute('content');
  const names = META_NAMES.flatMap((name) => attribute(name)?.trim().toLowerCase() ?? []);
  return content === null || names.length === 0 ? null : { names, content };
}

let metaSelector: Selector | undefined;
let scriptSelector: Selector | undefined;

function factsOfTree(selection: Selection): PageFacts {
  metaSelector ??= compileSelector('meta');
  scriptSelector ??= compileSelector('script');
  const metas = selection.all(metaSelector).flatMap((element) => metaOf((name) => element.attribute(name)) ?? []);
  const scripts = selection.all(scriptSelector).filter((element) => JSON_LD.test(element.attribute('type') ?? ''));
  return { metas, blocks: new JsonLdBlocks(scripts.map((element) => element.children.join(''))) };
}

/** Without a tree: no rule needs one. */
function factsOfTags(html: string): PageFacts {
  const reader = new TagReader();
  tokenize(html, reader);
  return { metas: reader.metas, blocks: new JsonLdBlocks(reader.scripts) };
}

class TagReader implements TokenHandler {
  readonly isForeign = false;
  readonly metas: Meta[] = [];
  readonly scripts: string[] = [];
  /** The content of a template is not part of the page. */
  #templates = 0;

  start(name: string, attributes: readonly string[], _selfClosing: boolean, content: string | null): void {
    if (name === 'template') {
      this.#templates++;
    } else if (this.#templates === 0 && (name === 'meta' || name === 'script')) {
      const attribute = (wanted: string): string | null => {
        const at = attributes.findIndex((each, i) => i % 2 === 0 && each === wanted);
        return at === -1 ? null : attributes[at + 1]!;
      };
      const meta = name === 'meta' ? metaOf(attribute) : null;
      if (meta !== null) {
        this.metas.push(meta);
      } else if (name === 'script' && JSON_LD.test(attribute('type') ?? '')) {
        this.scripts.push(content ?? '');
      }
    }
  }

  end(name: string): void {
    if (name === 'template' && this.#templates > 0) {
      this.#templates--;
    }
  }

  text(): void {}
}
