/** Elements of HTML that cannot stand in SVG or MathML: their start tag ends it, as if it had been closed. */
const BREAKING = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
const SVG_INTEGRATION_POINTS = new Set(['foreignobject', 'desc', 'title']);
const MATH_INTEGRATION_POINTS = new Set(['mi', 'mo', 'mn', 'ms', 'mtext']);

export const breaksOutOfForeign = (name: string): boolean => BREAKING.has(name);

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
      if (popped === name) return;
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
    if (!isKnown) return false;
    tree.popTo(name);
    if (tree.isEmpty) this.#trees.pop();
    this.#update();
    return true;
  }
}
