import type { SeenByBrowser } from '../store/rendering-reader.js';
import { Rendering } from '../store/url-state.js';
import { originOf, pathOf } from '../url/host.js';
import { isRoute } from '../url/routes.js';
import { shapeOf } from '../url/traps.js';

/** What happens to a page that looks as if it needed a browser: it is rendered now, later when more is known, or not at all. */
export type Decision = 'render' | 'wait' | 'leave';

interface Shape {
  pages: number;
  thin: number;
  /** Pages of the sample that are with the browser. */
  underWay: number;
  /** The growth of each page's text by rendering, as a factor, in the order in which it was measured. */
  gains: number[];
}

export type ShapeFacts = [shape: string, facts: Shape][];

const SAMPLE = 3;
/** This many pages that look empty are a reason to try, whatever the rest of the site is like. */
const ENOUGH = 10;
/** Rendering has to add at least half of the text again. */
const WORTH_IT = 1.5;
const FOLDERS = 2;
const MOST_SHAPES = 1_000;
/** Stands for all further folders of a site that has too many. */
const ALL_OTHERS = '';

/**
 * Decides which pages are worth a browser, by their shape: the site and the first two folders of the path, digits folded. One program makes
 * the pages of a folder. A shape is tried if at least half of its pages look empty, so that one odd page starts no browser; three
 * rendered pages then decide about the others.
 */
export class RenderShapes {
  readonly #shapes: Map<string, Shape>;
  readonly #whole = { pages: 0, thin: 0 };

  constructor(facts: ShapeFacts = []) {
    this.#shapes = new Map(facts);
    for (const [, { pages, thin }] of facts) {
      this.#whole.pages += pages;
      this.#whole.thin += thin;
    }
  }

  get facts(): ShapeFacts {
    return [...this.#shapes];
  }

  static of(pages: Iterable<SeenByBrowser>): RenderShapes {
    const shapes = new RenderShapes();
    for (const { url, rendering, text, renderedText } of pages) {
      if (isRoute(url)) {
        continue;
      }
      shapes.came(url, rendering !== Rendering.none);
      if (rendering === Rendering.rendered || rendering === Rendering.futile) {
        note(shapes.#of(url), text ?? 0, renderedText);
      }
    }
    return shapes;
  }

  /** A page was fetched. */
  came(url: string, isThin: boolean): void {
    const shape = this.#of(url);
    for (const each of [shape, this.#whole]) {
      each.pages++;
      each.thin += isThin ? 1 : 0;
    }
  }

  /** `isOver`: no more pages come before this one is decided on. */
  decide(url: string, isOver: boolean): Decision {
    const shape = this.#of(url);
    if (shape.gains.length >= SAMPLE) {
      return median(shape.gains) > WORTH_IT ? 'render' : 'leave';
    }
    if (shape.gains.length + shape.underWay >= SAMPLE) {
      return 'wait';
    }
    return this.#isWorthATry(shape, isOver) ? 'render' : 'wait';
  }

  began(url: string): void {
    this.#of(url).underWay++;
  }

  /** Returns true if that decides about the shape. `after` is null if the browser did not finish. */
  ended(url: string, before: number, after: number | null): boolean {
    const shape = this.#of(url);
    shape.underWay--;
    return note(shape, before, after);
  }

  /** The rendering was called off. */
  leftOff(url: string): void {
    this.#of(url).underWay--;
  }

  /** Pages that a browser would have been tried on. */
  get wanting(): number {
    let pages = 0;
    for (const shape of this.#shapes.values()) {
      pages += shape.gains.length === 0 && this.#isWorthATry(shape, true) ? shape.thin : 0;
    }
    return pages;
  }

  /** Few pages say little about their folder: they are tried if the whole site looks like them, once all of it is there. */
  #isWorthATry(shape: Shape, isOver: boolean): boolean {
    return isMostlyThin(shape) && (shape.thin >= ENOUGH || (isOver && isMostlyThin(this.#whole)));
  }

  #of(url: string): Shape {
    const folder = folderOf(url);
    const name = this.#shapes.has(folder) || this.#shapes.size < MOST_SHAPES ? folder : ALL_OTHERS;
    let shape = this.#shapes.get(name);
    if (shape === undefined) {
      shape = { pages: 0, thin: 0, underWay: 0, gains: [] };
      this.#shapes.set(name, shape);
    }
    return shape;
  }
}

const isMostlyThin = ({ pages, thin }: Pick<Shape, 'pages' | 'thin'>): boolean => thin * 2 >= pages;

/** Returns true if it completes the sample. */
function note(shape: Shape, before: number, after: number | null): boolean {
  if (shape.gains.length >= SAMPLE) {
    return false;
  }
  return shape.gains.push((after ?? before) / Math.max(1, before)) === SAMPLE;
}

function folderOf(url: string): string {
  const [path] = pathOf(url).split('?');
  const folders = path!.split('/').slice(1, -1).slice(0, FOLDERS);
  return shapeOf(`${originOf(url)}/${folders.map((folder) => `${folder}/`).join('')}`);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
