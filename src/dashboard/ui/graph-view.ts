import Graph from 'graphology';
import Sigma from 'sigma';
import type { Settings } from 'sigma/settings';
import type { NodeDisplayData, PartialButFor } from 'sigma/types';
import { type Cut, FoldedPicture, type Unit } from '../../graph/cut.js';
import { COLORS, colorOf, LeafMark, type Picture, REST_COLOR } from '../../graph/picture-shape.js';
import { count, counted, shown } from './format.js';

/** So many nodes are seen at first: more would be a cloud. */
const MOST_AT_FIRST = 2_500;
const ROWS_AT_ONCE = 100;
const MOST_NEIGHBOURS = 30;

/** From near to far; behind them, what no click leads to. */
const DEPTHS = ['#1f4e8c', '#3b78c3', '#6aa3d8', '#9cc5e8', '#c3b58a', '#d99a4e', '#d0652f', '#b3261e'];

const COLOURINGS = ['community', 'clicks from the start', 'orphans, dead ends, failures'] as const;
type Colouring = (typeof COLOURINGS)[number];

interface Theme {
  readonly text: string;
  readonly back: string;
  /** How much an edge has of its colour; the rest is that of the background. */
  readonly edge: number;
  readonly faded: string;
}

const LIGHT: Theme = { text: '#1c2126', back: '#ffffff', edge: 0.32, faded: '#e3e7eb' };
const DARK: Theme = { text: '#e6e9ec', back: '#1d2126', edge: 0.42, faded: '#2c3239' };

export interface ShownGraph {
  /** Gives the canvas and all listeners back. */
  close(): void;
}

/** Draws a picture into an element: a canvas to move about in, and beside it a list that says the same in words and can be used with keys. */
export function showGraph(
  root: HTMLElement,
  picture: Picture,
  explain: ((url: string) => void) | null = null,
): ShownGraph {
  const view = new GraphView(root, picture, explain);
  return { close: () => view.close() };
}

type Child = Node | string | null;

/** Texts become text nodes, never markup. */
function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children.flatMap((child) => child ?? []));
  return element;
}

function button(text: string, press: () => void, attributes: Readonly<Record<string, string>> = {}): HTMLButtonElement {
  const element = make('button', { type: 'button', ...attributes }, text);
  element.addEventListener('click', press);
  return element;
}

class GraphView {
  readonly #folded: FoldedPicture;
  readonly #explain: ((url: string) => void) | null;
  readonly #graph = new Graph({ type: 'directed', multi: false, allowSelfLoops: false });
  readonly #canvas = make('div', { class: 'graph-canvas', 'aria-hidden': 'true' });
  readonly #list = make('ol', { class: 'graph-list' });
  readonly #status = make('p', { class: 'graph-status', role: 'status' });
  readonly #facts = make('section', { class: 'graph-facts', 'aria-label': 'What is chosen', tabindex: '-1' });
  readonly #legend = make('ul', { class: 'graph-legend', 'aria-label': 'Colours' });
  readonly #search = make('input', {
    type: 'search',
    class: 'search',
    placeholder: 'Search title or URL',
    'aria-label': 'Search title or URL',
  });
  readonly #folding = make('div', { class: 'graph-folding' });
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');
  readonly #leave = new AbortController();
  #sigma: Sigma | null = null;
  #cut: Cut = { units: [], edges: [] };
  #byId = new Map<number, Unit>();
  #chosen: number | null = null;
  #near: ReadonlySet<string> = new Set();
  #colouring: Colouring = 'community';
  #rows = ROWS_AT_ONCE;

  constructor(root: HTMLElement, picture: Picture, explain: ((url: string) => void) | null) {
    this.#folded = new FoldedPicture(picture, MOST_AT_FIRST);
    this.#explain = explain;
    const { signal } = this.#leave;
    const colours = make(
      'select',
      { 'aria-label': 'Colour by' },
      ...COLOURINGS.map((name) => make('option', {}, name)),
    );
    colours.addEventListener('change', () => {
      this.#colouring = COLOURINGS[colours.selectedIndex]!;
      this.#paint();
    });
    this.#search.addEventListener('input', () => {
      this.#rows = ROWS_AT_ONCE;
      this.#fillList();
      this.#sigma?.refresh({ skipIndexation: true });
    });
    const views = make(
      'div',
      { class: 'graph-zoom' },
      button('+', () => void this.#sigma?.getCamera().animatedZoom(), { 'aria-label': 'Larger' }),
      button('−', () => void this.#sigma?.getCamera().animatedUnzoom(), { 'aria-label': 'Smaller' }),
      button('⤢', () => void this.#sigma?.getCamera().animatedReset(), { 'aria-label': 'All of it' }),
    );
    const label = make('label', { class: 'graph-colours' }, 'Colour by ', colours);
    const drawing = make('div', { class: 'graph-drawing' }, this.#canvas, views);
    const side = make(
      'div',
      { class: 'graph-side' },
      this.#search,
      label,
      this.#folding,
      this.#facts,
      this.#status,
      this.#list,
    );
    const notes = picture.notes.map((note) => make('p', { class: 'graph-note' }, note));
    root.replaceChildren(...notes, make('div', { class: 'graph' }, make('div', {}, drawing, this.#legend), side));
    this.#dark.addEventListener('change', () => this.#paint(), { signal });
    root.addEventListener(
      'keydown',
      (event) => {
        if (event.key === 'Escape') {
          this.#choose(null);
        }
      },
      { signal },
    );
    this.#fold();
    this.#begin();
  }

  close(): void {
    this.#leave.abort();
    this.#sigma?.kill();
    this.#sigma = null;
  }

  /** Without WebGL there is no drawing, and the list says all the same. */
  #begin(): void {
    try {
      this.#sigma = new Sigma(this.#graph, this.#canvas, this.#settings());
    } catch (error) {
      this.#canvas.replaceChildren(
        make(
          'p',
          { class: 'graph-note' },
          `This browser cannot draw it (${(error as Error).message}); the list has all of it.`,
        ),
      );
      return;
    }
    this.#sigma.on('clickNode', ({ node }) => this.#press(Number(node)));
    this.#sigma.on('clickStage', () => this.#choose(null));
    this.#sigma.on('enterNode', () => this.#canvas.classList.add('over-node'));
    this.#sigma.on('leaveNode', () => this.#canvas.classList.remove('over-node'));
  }

  #settings(): Partial<Settings> {
    const large = this.#folded.picture.leaves.names.length > 1_000;
    return {
      labelFont: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
      labelSize: 12,
      labelDensity: 0.6,
      labelGridCellSize: 120,
      labelRenderedSizeThreshold: 5,
      hideEdgesOnMove: large,
      zIndex: true,
      minCameraRatio: 0.02,
      maxCameraRatio: 3,
      stagePadding: 40,
      defaultDrawNodeHover: (context, data, settings) => drawHover(context, data, settings, this.#theme),
      defaultDrawNodeLabel: (context, data, settings) => drawLabel(context, data, settings, this.#theme),
      nodeReducer: (node, data) => this.#nodeLook(node, data),
      edgeReducer: (edge, data) => this.#edgeLook(edge, data),
    };
  }

  get #theme(): Theme {
    return this.#dark.matches ? DARK : LIGHT;
  }

  #nodeLook(node: string, data: Record<string, unknown>): Partial<NodeDisplayData> {
    const id = Number(node);
    if (this.#chosen !== null && !this.#near.has(node)) {
      return { ...data, color: this.#theme.faded, label: null, zIndex: 0 };
    }
    const text = this.#search.value.trim().toLowerCase();
    if (text !== '' && !matches(this.#byId.get(id)!, text)) {
      return { ...data, color: this.#theme.faded, label: null, zIndex: 0 };
    }
    return {
      ...data,
      highlighted: id === this.#chosen,
      forceLabel: id === this.#chosen,
      zIndex: this.#chosen === null ? 0 : 1,
    };
  }

  #edgeLook(edge: string, data: Record<string, unknown>): Record<string, unknown> {
    const [from, to] = this.#graph.extremities(edge) as [string, string];
    if (this.#chosen === null) {
      return {
        ...data,
        hidden: data.isQuiet,
        color: mixed(this.#graph.getNodeAttribute(from, 'color'), this.#theme),
      };
    }
    const chosen = String(this.#chosen);
    return from === chosen || to === chosen
      ? { ...data, color: from === chosen ? COLORS[0] : COLORS[1], size: 1.2, zIndex: 1 }
      : { ...data, hidden: true };
  }

  /** Takes over what is open now. */
  #fold(): void {
    this.#cut = this.#folded.cut();
    const { units, edges } = this.#cut;
    this.#byId = new Map(units.map((unit) => [unit.id, unit]));
    const most = units.reduce((a, { rank }) => Math.max(a, rank), 0) || 1;
    this.#graph.clear();
    const smallest = units.length > 800 ? 2 : 3.5;
    for (const unit of units) {
      const size = smallest + 13 * Math.sqrt(unit.rank / most) + (unit.isFolder ? 3 : 0);
      const label = `${unit.isFolder ? '▸ ' : ''}${shown(unit.label)}`;
      this.#graph.addNode(String(unit.id), { x: unit.x, y: -unit.y, size, label, color: this.#colorOf(unit) });
    }
    const told = leastTelling(this.#cut, Math.max(LEAST_EDGES, units.length * EDGES_A_NODE));
    for (const { from, to, weight } of edges) {
      const size = 0.4 + Math.min(3, Math.log10(weight) * 0.6);
      const isQuiet = told({ from, to });
      this.#graph.addEdge(String(units[from]!.id), String(units[to]!.id), { size, isQuiet });
    }
    if (this.#chosen !== null && !this.#byId.has(this.#chosen)) {
      this.#chosen = null;
    }
    this.#near = this.#nearOf(this.#chosen);
    this.#sayFolding();
    this.#fillList();
    this.#fillFacts();
    this.#fillLegend();
  }

  #paint(): void {
    for (const unit of this.#cut.units) {
      this.#graph.setNodeAttribute(String(unit.id), 'color', this.#colorOf(unit));
    }
    this.#fillLegend();
    this.#sigma?.refresh();
  }

  #colorOf({ community, depth, marks }: Unit): string {
    switch (this.#colouring) {
      case 'community':
        return colorOf(community);
      case 'clicks from the start':
        return depth === -1 ? REST_COLOR : DEPTHS[Math.min(depth, DEPTHS.length - 1)]!;
      default:
        return PROBLEMS.find(({ mark }) => (marks & mark) !== 0)?.color ?? (this.#dark.matches ? '#5a646e' : '#b9c1c9');
    }
  }

  #fillLegend(): void {
    this.#legend.replaceChildren(
      ...this.#legendRows().map(([color, text]) => {
        const dot = make('span', { class: 'graph-dot', 'aria-hidden': 'true' });
        dot.style.background = color;
        return make('li', {}, dot, make('bdi', {}, shown(text)));
      }),
    );
  }

  #legendRows(): (readonly [color: string, text: string])[] {
    if (this.#colouring === 'clicks from the start') {
      const deepest = this.#cut.units.reduce((a, { depth }) => Math.max(a, depth), 0);
      const rows = DEPTHS.slice(0, deepest + 1).map(
        (color, depth) =>
          [color, `${depth}${depth === DEPTHS.length - 1 && deepest > depth ? ' and more' : ''}`] as const,
      );
      return this.#cut.units.some(({ depth }) => depth === -1)
        ? [...rows, [REST_COLOR, 'no way there by clicks']]
        : rows;
    }
    if (this.#colouring !== 'community') {
      return PROBLEMS.map(({ color, text }) => [color, text]);
    }
    const heads = new Map<number, Unit>();
    for (const unit of this.#cut.units) {
      const head = heads.get(unit.community);
      if (head === undefined || unit.rank > head.rank) {
        heads.set(unit.community, unit);
      }
    }
    const named = [...heads].filter(([community]) => community <= COLORS.length).sort(([a], [b]) => a - b);
    const rows = named.map(([community, { label }]) => [COLORS[community - 1]!, label] as const);
    const others = heads.size - named.length;
    return others === 0 ? rows : [...rows, [REST_COLOR, counted(others, 'smaller community', 'smaller communities')]];
  }

  #sayFolding(): void {
    const folded = this.#folded;
    const again = (change: () => void) => () => {
      change();
      this.#fold();
      this.#sigma?.refresh();
    };
    this.#folding.replaceChildren(
      ...(folded.hasFolders
        ? [
            button(
              'Close all folders',
              again(() => folded.closeAll()),
            ),
            ...(folded.hasClosed
              ? [
                  button(
                    'Open all',
                    again(() => folded.openAll()),
                  ),
                ]
              : []),
          ]
        : []),
    );
  }

  /** A folder opens, a page is chosen. */
  #press(id: number): void {
    if (this.#byId.get(id)?.isFolder === true) {
      this.#openFolder(id);
    } else {
      this.#choose(id === this.#chosen ? null : id);
    }
  }

  #openFolder(id: number): void {
    this.#folded.open(id);
    this.#chosen = null;
    this.#fold();
    this.#sigma?.refresh();
  }

  #closeFolder(id: number): void {
    const branch = this.#folded.closeAround(id);
    this.#fold();
    this.#choose(branch);
  }

  #choose(id: number | null, isFound = false): void {
    this.#chosen = id;
    this.#near = this.#nearOf(id);
    this.#fillFacts();
    this.#markRow();
    this.#sigma?.refresh();
    if (isFound && id !== null && this.#sigma !== null) {
      const place = this.#sigma.getNodeDisplayData(String(id));
      if (place !== undefined) {
        const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
        void this.#sigma.getCamera().animate({ x: place.x, y: place.y, ratio: 0.4 }, { duration: still ? 0 : 300 });
      }
    }
  }

  #nearOf(id: number | null): ReadonlySet<string> {
    return id === null || !this.#graph.hasNode(String(id))
      ? new Set()
      : new Set([String(id), ...this.#graph.neighbors(String(id))]);
  }

  #fillList(): void {
    const text = this.#search.value.trim().toLowerCase();
    const found = this.#cut.units
      .filter((unit) => text === '' || matches(unit, text))
      .sort((a, b) => b.rank - a.rank || a.id - b.id);
    const { picture } = this.#folded;
    this.#status.textContent =
      text === ''
        ? `${counted(picture.nodes, picture.level)}, ${counted(picture.links, 'link')}; ${counted(found.length, 'node')} here, by PageRank`
        : `${counted(found.length, 'node')} found`;
    const rows = found.slice(0, this.#rows).map((unit) => this.#row(unit));
    const more = found.length - rows.length;
    const next = button(`Show ${count(Math.min(more, ROWS_AT_ONCE))} of ${count(more)} more`, () => {
      this.#rows += ROWS_AT_ONCE;
      this.#fillList();
    });
    this.#list.replaceChildren(...rows, ...(more > 0 ? [make('li', {}, next)] : []));
    this.#markRow();
  }

  #row(unit: Unit): HTMLLIElement {
    const dot = make('span', { class: 'graph-dot', 'aria-hidden': 'true' });
    dot.style.background = this.#colorOf(unit);
    const text = make('bdi', { class: 'graph-name' }, shown(unit.label || unit.name));
    const press = button('', () => (unit.isFolder ? this.#openFolder(unit.id) : this.#choose(unit.id, true)), {
      class: 'graph-row',
      'data-id': String(unit.id),
      title: shown(unit.name),
    });
    const aside = unit.isFolder ? `folder, ${counted(unit.size, 'page')}` : percent(unit.rank);
    press.append(dot, text, make('small', {}, aside));
    return make('li', {}, press);
  }

  #markRow(): void {
    for (const row of this.#list.querySelectorAll('.graph-row')) {
      if (row.getAttribute('data-id') === String(this.#chosen)) {
        row.setAttribute('aria-current', 'true');
      } else {
        row.removeAttribute('aria-current');
      }
    }
  }

  #fillFacts(): void {
    const unit = this.#chosen === null ? undefined : this.#byId.get(this.#chosen);
    this.#facts.hidden = unit === undefined;
    if (unit === undefined) {
      this.#facts.replaceChildren();
      return;
    }
    const outside = !unit.isFolder && (unit.marks & LeafMark.folded) === 0 && /^https?:\/\//.test(unit.name);
    const name = shown(unit.name);
    const link = outside
      ? make('a', { href: unit.name, target: '_blank', rel: 'noreferrer noopener' }, name)
      : make('span', {}, name);
    const marks = PROBLEMS.filter(({ mark }) => (unit.marks & mark) !== 0).map(({ text }) => text);
    const facts: [string, string][] = [
      ['PageRank', percent(unit.rank)],
      ['Linked from', counted(unit.inDegree, 'node')],
      ['Links to', counted(unit.outDegree, 'node')],
      ['Clicks from the start', unit.depth === -1 ? 'no way there' : count(unit.depth)],
      ['Community', count(unit.community)],
      ...(unit.size > 1 ? [['Stands for', counted(unit.size, 'page')] as [string, string]] : []),
    ];
    const explain = this.#explain;
    this.#facts.replaceChildren(
      make('h2', {}, make('bdi', {}, shown(unit.title || unit.label))),
      make('p', { class: 'graph-url' }, link),
      ...(marks.length === 0 ? [] : [make('p', { class: 'graph-marks' }, marks.join(', '))]),
      make('dl', {}, ...facts.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)])),
      make(
        'div',
        { class: 'graph-folding' },
        ...(unit.isFolder ? [button('Open folder', () => this.#openFolder(unit.id))] : []),
        ...(this.#folded.isInFolder(unit.id) ? [button('Close its folder', () => this.#closeFolder(unit.id))] : []),
        ...(explain !== null && outside ? [button('Why this URL', () => explain(unit.name))] : []),
        button('Done', () => this.#choose(null)),
      ),
      ...this.#neighbours('Links to', this.#graph.outNeighbors(String(unit.id))),
      ...this.#neighbours('Linked from', this.#graph.inNeighbors(String(unit.id))),
    );
  }

  #neighbours(title: string, ids: readonly string[]): HTMLElement[] {
    const units = ids.map((id) => this.#byId.get(Number(id))!).sort((a, b) => b.rank - a.rank || a.id - b.id);
    if (units.length === 0) {
      return [];
    }
    const rows = units.slice(0, MOST_NEIGHBOURS).map((unit) =>
      make(
        'li',
        {},
        button(shown(unit.label || unit.name), () => this.#choose(unit.id, true), { class: 'plain' }),
      ),
    );
    const more = units.length - rows.length;
    const rest = more > 0 ? [make('li', {}, `and ${count(more)} more`)] : [];
    return [make('h3', {}, `${title} (drawn)`), make('ul', {}, ...rows, ...rest)];
  }
}

const PROBLEMS = [
  { mark: LeafMark.broken, color: '#c44e52', text: 'failed' },
  { mark: LeafMark.orphan, color: '#e07b28', text: 'orphan: nothing links there' },
  { mark: LeafMark.deadEnd, color: '#8566b8', text: 'dead end: links nowhere' },
] as const;

const matches = ({ name, title }: Unit, text: string): boolean =>
  name.toLowerCase().includes(text) || title.toLowerCase().includes(text);

/** Not transparent: where many edges cross, sigma would add up their light. */
function mixed(color: string, { back, edge }: Theme): string {
  const parts = (text: string): number[] => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
  const behind = parts(back);
  const hex = parts(color).map((part, i) =>
    Math.round(part * edge + behind[i]! * (1 - edge))
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${hex.join('')}`;
}

const percent = (rank: number): string => `${(rank * 100).toPrecision(3)} %`;

/** Edges that are drawn while nothing is chosen; the others are drawn with one of their ends. */
const LEAST_EDGES = 600;
const EDGES_A_NODE = 3;

/** Tells the edges that say least: from nodes that link to much, to nodes that much links to. */
function leastTelling({ units, edges }: Cut, most: number): (edge: { from: number; to: number }) => boolean {
  const [outs, ins] = [new Uint32Array(units.length), new Uint32Array(units.length)];
  for (const { from, to } of edges) {
    outs[from]!++;
    ins[to]!++;
  }
  const degreeOf = ({ from, to }: { from: number; to: number }): number => outs[from]! * ins[to]!;
  const bound = edges.length <= most ? Infinity : Float64Array.from(edges, degreeOf).sort()[most]!;
  return (edge) => degreeOf(edge) > bound;
}

type Drawn = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>;

function drawLabel(context: CanvasRenderingContext2D, data: Drawn, settings: Settings, theme: Theme): void {
  if (!data.label) {
    return;
  }
  const label = data.label.length > 50 ? `${data.label.slice(0, 49)}…` : data.label;
  context.font = `${settings.labelSize}px ${settings.labelFont}`;
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.strokeStyle = theme.back;
  context.fillStyle = theme.text;
  const [x, y] = [data.x + data.size + 3, data.y + settings.labelSize / 3];
  context.strokeText(label, x, y);
  context.fillText(label, x, y);
}

function drawHover(context: CanvasRenderingContext2D, data: Drawn, settings: Settings, theme: Theme): void {
  context.beginPath();
  context.arc(data.x, data.y, data.size + 2, 0, Math.PI * 2);
  context.lineWidth = 2;
  context.strokeStyle = theme.text;
  context.stroke();
  drawLabel(context, data, settings, theme);
}

/** In a page of its own, the picture stands beside the script. */
const embedded = document.getElementById('graph-picture');
const place = document.getElementById('graph-here');
if (embedded !== null && place !== null) {
  showGraph(place, JSON.parse(embedded.textContent ?? '') as Picture);
}
