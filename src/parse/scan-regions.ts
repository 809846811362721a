import {
  BANG,
  GREATER_THAN,
  HYPHEN,
  isSpace,
  LESS_THAN,
  MATH_INTEGRATION_POINTS,
  SLASH,
  SVG_INTEGRATION_POINTS,
} from './html-rules.js';
import type { ScannablePage } from './scan-page.js';

/** What of a page is read by other rules than plain markup: comments, raw text, scripts, and SVG and MathML at the end of the file. */

/** Behind the `>` that ends the comment whose `<!--` ends at `from`, or -1. `<!-->`, `<!--->` and `--!>` end one too. */
export function endOfComment(page: ScannablePage, from: number): number {
  const { bytes } = page;
  for (let close = page.find(GREATER_THAN, from); close !== -1; close = page.find(GREATER_THAN, close + 1)) {
    if (close === from || (close === from + 1 && bytes[from] === HYPHEN)) {
      return close + 1;
    }
    const dashesEnd = bytes[close - 1] === BANG ? close - 1 : close;
    if (dashesEnd - 2 >= from && bytes[dashesEnd - 1] === HYPHEN && bytes[dashesEnd - 2] === HYPHEN) {
      return close + 1;
    }
  }
  return -1;
}

/** Behind the next `>`, where bogus comments, processing instructions and document types end, or -1. */
export function endOfBogusComment(page: ScannablePage, from: number): number {
  const close = page.find(GREATER_THAN, from);
  return close === -1 ? -1 : close + 1;
}

export function endOfCdata({ bytes }: ScannablePage, from: number): number {
  const close = bytes.indexOf(']]>', from);
  return close === -1 ? -1 : close + 3;
}

/** Whether the lower-case `name` stands at `at` in any case and ends there as a tag's name does. */
function hasTagName(bytes: Buffer, at: number, name: string): boolean {
  const end = at + name.length;
  if (end >= bytes.length) {
    return false;
  }
  for (let i = 0; i < name.length; i++) {
    if ((bytes[at + i]! | 0x20) !== name.charCodeAt(i)) {
      return false;
    }
  }
  return isSpace(bytes[end]) || bytes[end] === SLASH || bytes[end] === GREATER_THAN;
}

/** The place of the `</name` that ends a raw text element whose content starts at `from`, or -1. */
export function endOfRawText(page: ScannablePage, from: number, name: string): number {
  const { bytes } = page;
  for (let open = page.find(LESS_THAN, from); open !== -1; open = page.find(LESS_THAN, open + 1)) {
    if (bytes[open + 1] === SLASH && hasTagName(bytes, open + 2, name)) {
      return open;
    }
  }
  return -1;
}

/**
 * The place of the `</script` that ends a script, or -1. After `<!--` a script may hold `<script>…</script>` without
 * ending, until `-->`: the escaped and double escaped states of the standard.
 */
export function endOfScript(page: ScannablePage, from: number): number {
  const { bytes } = page;
  let open = page.find(LESS_THAN, from);
  while (open !== -1) {
    if (bytes[open + 1] === SLASH && hasTagName(bytes, open + 2, 'script')) {
      return open;
    }
    let next = open + 1;
    if (bytes[open + 1] === BANG && bytes[open + 2] === HYPHEN && bytes[open + 3] === HYPHEN) {
      const escaped = leaveEscaped(bytes, open + 2);
      if (escaped === -1 || bytes[escaped] === LESS_THAN) {
        return escaped;
      }
      next = escaped;
    }
    open = page.find(LESS_THAN, next);
  }
  return -1;
}

/** From the dashes of `<!--` to the `<` of an end tag, or to the `>` of the `-->` that ends the escape, or -1. */
function leaveEscaped(bytes: Buffer, dashes: number): number {
  let isDouble = false;
  for (let i = dashes; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === GREATER_THAN) {
      if (bytes[i - 1] === HYPHEN && bytes[i - 2] === HYPHEN) {
        return i;
      }
    } else if (byte === LESS_THAN) {
      const isEndTag = bytes[i + 1] === SLASH;
      if (!hasTagName(bytes, isEndTag ? i + 2 : i + 1, 'script')) {
        continue;
      }
      if (isEndTag && !isDouble) {
        return i;
      }
      isDouble = !isEndTag;
    }
  }
  return -1;
}

/** One svg or math element and what is open in it, down to the integration point in which HTML starts again. */
class ForeignTree {
  readonly isMath: boolean;
  atIntegrationPoint = false;
  readonly #names: string[] = [];
  readonly #counts = new Map<string, number>();

  constructor(root: string) {
    this.isMath = root === 'math';
    this.push(root);
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  get top(): string | undefined {
    return this.#names.at(-1);
  }

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  push(name: string): void {
    this.#names.push(name);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Closes the innermost element of this name and all that is in it; there must be one. */
  popTo(name: string): void {
    this.atIntegrationPoint = false;
    for (let popped = this.#names.pop(); popped !== undefined; popped = this.#names.pop()) {
      this.#counts.set(popped, this.#counts.get(popped)! - 1);
      if (popped === name) {
        return;
      }
    }
  }
}

/**
 * Where a page is inside SVG or MathML, whose text and elements follow other rules: no raw text, CDATA sections, no HTML
 * title. Elements of HTML are not followed, so one left open inside an integration point does not keep its end tag from
 * counting, as it would for a browser. Every step is amortised constant time, whatever the nesting.
 */
export class ForeignContent {
  /** Whether any svg or math element is open. Fields, not getters: both are asked at every tag of a page. */
  isOpen = false;
  /** Whether a tag that comes now is one of SVG or MathML. */
  isForeign = false;
  readonly #trees: ForeignTree[] = [];

  #update(): void {
    const tree = this.#trees.at(-1);
    this.isOpen = tree !== undefined;
    this.isForeign = tree !== undefined && !tree.atIntegrationPoint;
  }

  /** An svg or math element that starts in HTML. */
  enter(root: string): void {
    this.#trees.push(new ForeignTree(root));
    this.#update();
  }

  /** A start tag in foreign content that is not closed by itself. */
  open(name: string, holdsHtml: boolean): void {
    const tree = this.#trees.at(-1)!;
    if (name === 'svg' && tree.isMath && tree.top === 'annotation-xml') {
      this.enter(name);
      return;
    }
    tree.push(name);
    tree.atIntegrationPoint = tree.isMath
      ? MATH_INTEGRATION_POINTS.has(name) || (name === 'annotation-xml' && holdsHtml)
      : SVG_INTEGRATION_POINTS.has(name);
    this.#update();
  }

  /** Back to HTML: out of everything up to the innermost integration point. */
  breakOut(): void {
    while (this.isForeign) {
      this.#trees.pop();
      this.#update();
    }
  }

  /** Whether the end tag closed something foreign; if not, it is one of HTML or of nothing. */
  close(name: string): boolean {
    const tree = this.#trees.at(-1)!;
    const isKnown = tree.atIntegrationPoint
      ? name === tree.top || ((name === 'svg' || name === 'math') && tree.has(name))
      : tree.has(name);
    if (!isKnown) {
      return false;
    }
    tree.popTo(name);
    if (tree.isEmpty) {
      this.#trees.pop();
    }
    this.#update();
    return true;
  }
}
