/** Things to be laid out: each pushes every other away, and springs draw some together. */
export interface Springs {
  readonly nodes: number;
  /** Which two nodes each spring joins. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** From 0 to 1: how much of the way to its length a spring covers in a step. */
  readonly strength: Float64Array;
  /** How long it would be if nothing pulled. */
  readonly length: Float64Array;
  /** How strongly a node pushes, 1 for an ordinary one. */
  readonly push: Float64Array;
  /** Where they stand at first, one in each place of a spiral: neighbours in this order begin close to each other. */
  readonly order: Uint32Array;
}

export interface Places {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const PUSH = 60;
const TO_THE_MIDDLE = 0.03;
const FRICTION = 0.6;
const SPACING = 12;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** A square that is this much smaller than it is far away pushes as one. */
const COARSE_SQUARED = 0.81;

/**
 * Finds places by simulated forces, as d3-force does. There is no lot in it: the same graph gives the same picture. All pairs at once would be
 * four hundred million for 20,000 nodes; far ones push together, by the squares of a quadtree.
 */
export function layOut(springs: Springs): Places {
  const { nodes } = springs;
  const x = new Float64Array(nodes);
  const y = new Float64Array(nodes);
  springs.order.forEach((node, place) => {
    const radius = SPACING * Math.sqrt(place + 0.5);
    x[node] = radius * Math.cos(place * GOLDEN_ANGLE);
    y[node] = radius * Math.sin(place * GOLDEN_ANGLE);
  });
  const steps = nodes <= 3_000 ? 300 : nodes <= 10_000 ? 160 : 100;
  const [speedX, speedY] = [new Float64Array(nodes), new Float64Array(nodes)];
  const squares = new Squares(nodes);
  const cooling = 0.001 ** (1 / steps);
  for (let step = 0, heat = 1; step < steps; step++) {
    heat *= cooling;
    pull(springs, x, y, speedX, speedY, heat);
    squares.fill(x, y, springs.push);
    for (let node = 0; node < nodes; node++) {
      squares.pushOn(node, x, y, speedX, speedY, heat);
      speedX[node] = (speedX[node]! - x[node]! * TO_THE_MIDDLE * heat) * FRICTION;
      speedY[node] = (speedY[node]! - y[node]! * TO_THE_MIDDLE * heat) * FRICTION;
    }
    for (let node = 0; node < nodes; node++) {
      x[node]! += speedX[node]!;
      y[node]! += speedY[node]!;
    }
  }
  return { x, y };
}

function pull(
  { from, to, strength, length, push }: Springs,
  x: Float64Array,
  y: Float64Array,
  speedX: Float64Array,
  speedY: Float64Array,
  heat: number,
): void {
  for (let i = 0; i < from.length; i++) {
    const [a, b] = [from[i]!, to[i]!];
    const dx = x[b]! + speedX[b]! - x[a]! - speedX[a]! || 1e-6;
    const dy = y[b]! + speedY[b]! - y[a]! - speedY[a]! || 1e-6;
    const distance = Math.sqrt(dx * dx + dy * dy);
    const force = ((distance - length[i]!) / distance) * heat * strength[i]!;
    const share = push[a]! / (push[a]! + push[b]!);
    speedX[b]! -= dx * force * share;
    speedY[b]! -= dy * force * share;
    speedX[a]! += dx * force * (1 - share);
    speedY[a]! += dy * force * (1 - share);
  }
}

/** Squares that are halved until each holds one node, or is too small to matter. */
class Squares {
  readonly #child: Int32Array;
  readonly #weight: Float64Array;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #stack: Int32Array;
  readonly #stackSize: Float64Array;
  #push: Float64Array = new Float64Array();
  #count = 0;
  #size = 0;

  constructor(nodes: number) {
    // Nodes that stand close need many squares; those past the end are counted to the square that they would be in.
    const room = nodes * 8 + 64;
    this.#child = new Int32Array(room * 4);
    this.#weight = new Float64Array(room);
    this.#x = new Float64Array(room);
    this.#y = new Float64Array(room);
    this.#stack = new Int32Array(256);
    this.#stackSize = new Float64Array(256);
  }

  /** In `#child`: -1 for nothing, a square as its number, a node as -2 less its number. */
  fill(x: Float64Array, y: Float64Array, push: Float64Array): void {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let node = 0; node < x.length; node++) {
      left = Math.min(left, x[node]!);
      right = Math.max(right, x[node]!);
      top = Math.min(top, y[node]!);
      bottom = Math.max(bottom, y[node]!);
    }
    this.#push = push;
    this.#size = Math.max(right - left, bottom - top, 1e-3) * 1.000_001;
    this.#count = 0;
    this.#square();
    for (let node = 0; node < x.length; node++) {
      this.#put(node, x, y, left, top);
    }
    for (let square = 0; square < this.#count; square++) {
      this.#x[square]! /= this.#weight[square]!;
      this.#y[square]! /= this.#weight[square]!;
    }
  }

  #square(): number {
    const square = this.#count++;
    this.#child.fill(-1, square * 4, square * 4 + 4);
    this.#weight[square] = this.#x[square] = this.#y[square] = 0;
    return square;
  }

  #count_in(square: number, node: number, x: Float64Array, y: Float64Array): void {
    const weight = this.#push[node]!;
    this.#weight[square]! += weight;
    this.#x[square]! += x[node]! * weight;
    this.#y[square]! += y[node]! * weight;
  }

  #put(node: number, x: Float64Array, y: Float64Array, left: number, top: number): void {
    let [square, size, x0, y0] = [0, this.#size, left, top];
    for (;;) {
      this.#count_in(square, node, x, y);
      size /= 2;
      const [isRight, isLow] = [x[node]! >= x0 + size ? 1 : 0, y[node]! >= y0 + size ? 1 : 0];
      x0 += isRight * size;
      y0 += isLow * size;
      const slot = square * 4 + isLow * 2 + isRight;
      const there = this.#child[slot]!;
      if (there === -1) {
        this.#child[slot] = -2 - node;
        return;
      }
      if (there >= 0) {
        square = there;
        continue;
      }
      if (size < 1e-3 || this.#count * 4 >= this.#child.length - 4) {
        // They stand in the same place: the square pushes for both.
        return;
      }
      const other = -2 - there;
      const inner = this.#square();
      this.#child[slot] = inner;
      this.#count_in(inner, other, x, y);
      const half = size / 2;
      const place = (y[other]! >= y0 + half ? 2 : 0) + (x[other]! >= x0 + half ? 1 : 0);
      this.#child[inner * 4 + place] = there;
      square = inner;
    }
  }

  pushOn(
    node: number,
    x: Float64Array,
    y: Float64Array,
    speedX: Float64Array,
    speedY: Float64Array,
    heat: number,
  ): void {
    const stack = this.#stack;
    const sizes = this.#stackSize;
    let depth = 0;
    stack[0] = 0;
    sizes[0] = this.#size;
    depth = 1;
    let [moveX, moveY] = [0, 0];
    const [hereX, hereY] = [x[node]!, y[node]!];
    while (depth > 0) {
      const there = stack[--depth]!;
      const size = sizes[depth]!;
      const isNode = there < -1;
      const other = -2 - there;
      if (isNode && other === node) {
        continue;
      }
      const dx = (isNode ? x[other]! : this.#x[there]!) - hereX;
      const dy = (isNode ? y[other]! : this.#y[there]!) - hereY;
      const squared = dx * dx + dy * dy;
      if (!isNode && size * size > COARSE_SQUARED * squared && depth < 250) {
        for (let slot = there * 4; slot < there * 4 + 4; slot++) {
          const child = this.#child[slot]!;
          if (child !== -1) {
            stack[depth] = child;
            sizes[depth++] = size / 2;
          }
        }
        continue;
      }
      // Two that stand in the same place part sideways, each by its number.
      const weight = isNode ? this.#push[other]! : this.#weight[there]!;
      const force = (PUSH * weight * heat) / Math.max(squared, 4);
      moveX -= (dx || ((node % 7) - 3) * 1e-3) * force;
      moveY -= (dy || ((node % 5) - 2) * 1e-3) * force;
    }
    speedX[node]! += moveX;
    speedY[node]! += moveY;
  }
}
