import type { Block } from './markdown-blocks.js';

/** A block, or a part of one that was too large, as a chunk can take it. */
export interface Part {
  text: string;
  tokens: number;
  gap: number;
  isHeading: boolean;
  /** It follows another part of its block; both have the fences or the head of the table. */
  continues: boolean;
}

export type Count = (text: string) => number;

/** The lines that each part of a block begins and ends with. */
interface Frame {
  head: readonly string[];
  tail: readonly string[];
}

const NO_FRAME: Frame = { head: [], tail: [] };

/** A block of so many tokens in parts of at most `limit`: one, unless it alone is larger. */
export function partsOf(block: Block, tokens: number, limit: number, count: Count): Part[] {
  const text = block.lines.join('\n');
  const whole = { text, tokens, gap: block.gap, isHeading: block.kind === 'heading', continues: false };
  if (tokens <= limit) {
    return [whole];
  }
  const { frame, lines } = framed(block, limit, count);
  const texts = new Splitter(frame, limit, count).split(lines);
  return texts.map((each, i) => ({
    ...whole,
    text: each,
    tokens: count(each),
    gap: i === 0 ? block.gap : 0,
    continues: i > 0,
  }));
}

/** A frame that would take more than half of each part is treated as text like the rest. */
function framed({ kind, lines }: Block, limit: number, count: Count): { frame: Frame; lines: readonly string[] } {
  const frame =
    kind === 'code' ? codeFrame(lines) : kind === 'table' ? { head: lines.slice(0, 2), tail: [] } : NO_FRAME;
  const isSmall = count([...frame.head, ...frame.tail].join('\n')) <= limit / 2;
  if (!isSmall || frame === NO_FRAME) {
    return { frame: NO_FRAME, lines };
  }
  const end = frame.tail.length > 0 && lines.at(-1) === frame.tail[0] ? lines.length - 1 : lines.length;
  return { frame, lines: lines.slice(frame.head.length, end) };
}

function codeFrame(lines: readonly string[]): Frame {
  const [, prefix, fence] = /^([^`~]*)(`{3,}|~{3,})/.exec(lines[0]!) ?? [];
  // Code by indentation has no fences.
  if (fence === undefined) {
    return NO_FRAME;
  }
  const last = lines.at(-1)!;
  const isClosed =
    lines.length > 1 &&
    last.replace(/^[ \t>]*/, '').trimEnd() === fence[0]!.repeat(last.replace(/^[ \t>]*/, '').trimEnd().length);
  return { head: [lines[0]!], tail: [isClosed ? last : `${prefix!.replace(/[^\s>]/g, ' ')}${fence}`] };
}

class Splitter {
  readonly #frame: Frame;
  readonly #limit: number;
  readonly #count: Count;
  readonly #texts: string[] = [];

  constructor(frame: Frame, limit: number, count: Count) {
    this.#frame = frame;
    this.#limit = limit;
    this.#count = count;
  }

  split(lines: readonly string[]): string[] {
    const room = this.#limit - this.#count(this.#framed([]));
    let group: string[] = [];
    let tokens = 0;
    for (const line of lines) {
      // With the line end, which is a token of its own at worst.
      const cost = this.#count(line) + 1;
      if (tokens + cost > room && group.length > 0) {
        this.#emit(group);
        group = [];
        tokens = 0;
      }
      group.push(line);
      tokens += cost;
    }
    if (group.length > 0) {
      this.#emit(group);
    }
    return this.#texts;
  }

  /** A tokenizer may count a text otherwise than its lines: what is too large is halved until it fits. */
  #emit(lines: readonly string[]): void {
    const text = this.#framed(lines);
    if (this.#count(text) <= this.#limit) {
      this.#texts.push(text);
    } else {
      const [first, second] = lines.length > 1 ? halves(lines) : halvesOfLine(lines[0]!);
      this.#emit(first);
      this.#emit(second);
    }
  }

  #framed(lines: readonly string[]): string {
    return [...this.#frame.head, ...lines, ...this.#frame.tail].join('\n');
  }
}

function halves(lines: readonly string[]): [readonly string[], readonly string[]] {
  const middle = lines.length >> 1;
  return [lines.slice(0, middle), lines.slice(middle)];
}

/** After the last sentence or word of the first half, else between two characters. */
function halvesOfLine(line: string): [string[], string[]] {
  const middle = line.length >> 1;
  const earliest = middle >> 1;
  const sentence = Math.max(...['. ', '! ', '? ', '; '].map((end) => line.lastIndexOf(end, middle - 2)));
  const blank = line.lastIndexOf(' ', middle - 1);
  let at = sentence >= earliest ? sentence + 2 : blank >= earliest ? blank + 1 : middle;
  if (isLowSurrogate(line.charCodeAt(at)) && at > 1) {
    at--;
  }
  return [[line.slice(0, at)], [line.slice(at)]];
}

const isLowSurrogate = (code: number): boolean => (code & 0xfc00) === 0xdc00;
