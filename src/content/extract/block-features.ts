import { HEADINGS } from '../markdown/names.js';
import { LEADS } from './block-leads.js';
import { KINDS, kindsOf } from './block-names.js';
import { guess } from './guess.js';
import { characters, type Outline, SENTENCE } from './outline.js';

/** As far as an element of some kind is looked for around a block; further away is nowhere. */
export const FAR = 24;
const LONGEST_LEAD = 90;
/** Longer texts are no labels, however they begin. */
const LONGEST_LABEL = 500;
const LONGEST_TITLE = 200;
export const LEVELS = 4;

/** Names of what is known of a block, in the order of its numbers. All are whole numbers. */
export const FEATURES: readonly string[] = [
  ...'chars links words sentences commas upper digits anchors outside linkCount ends starts breaks brackets bold titleWords titleShare'.split(
    ' ',
  ),
  ...'isP isLi isHeading isCell isPre isCaption isTerm isQuote isSummary isTime'.split(' '),
  ...LEADS.map(([name]) => `says ${name}`),
  ...KINDS.map((name) => `in ${name}`),
  ...'placeChars placeBlocks proseBefore proseAfter afterTitle fromTitle isTitle depth'.split(' '),
  ...'headingLeads headingNear headingBlocks headingProse headingRank boxLead boxLeads boxText boxLinks'.split(' '),
  ...Array.from({ length: LEVELS }, (_, i) =>
    ['text', 'links', 'prose', 'blocks', 'share', 'images', 'fields', 'short'].map((name) => `up${i + 1} ${name}`),
  ).flat(),
  ...'twins twinLevel twinText pathBlocks pathText pathLinks sameText'.split(' '),
  ...'coreUp coreDown coreProse inMain inBest bestProse'.split(' '),
  ...['prev2', 'prev', 'next', 'next2'].flatMap((name) =>
    ['chars', 'links', 'up', 'leads', 'tag'].map((what) => `${name} ${what}`),
  ),
  ...'sentenceBefore sentenceAfter longBefore longAfter furniture furnitureProse contentProse pageText pageLinks pageProse pageBlocks pageTitles common'.split(
    ' ',
  ),
  ...'guess guessNear pageScripts pageShared pageCode pageTerms pageImages pageTables'.split(' '),
];

const PLACE = new Map(FEATURES.map((name, i) => [name, i]));
const at = (name: string): number => PLACE.get(name)!;

const F = {
  own: at('chars'),
  isP: at('isP'),
  says: at(`says ${LEADS[0]![0]}`),
  in: at(`in ${KINDS[0]}`),
  place: at('placeChars'),
  heading: at('headingLeads'),
  up: at('up1 text'),
  twins: at('twins'),
  core: at('coreUp'),
  prev2: at('prev2 chars'),
  sentence: at('sentenceBefore'),
} as const;

const bit = (name: string): number => 1 << LEADS.findIndex(([each]) => each === name);
const LEADS_AWAY =
  bit('also') |
  bit('related') |
  bit('share') |
  bit('sign up') |
  bit('comments') |
  bit('ad') |
  bit('author') |
  bit('tags') |
  bit('contents');
const FURNITURE = new Set(
  'nav share related comment newsletter ad author tags footer side overlay tool toc shop <aside> <footer> <nav> <form>'
    .split(' ')
    .map((name) => KINDS.indexOf(name)),
);
const CONTENT = new Set(
  'content article body <article> <main> articleBody'.split(' ').map((name) => KINDS.indexOf(name)),
);
const CONTAINERS = new Set('body main article section div td center form span font'.split(' '));

/** What is known of the blocks of a page, a row of numbers for each. */
export interface BlockTable {
  /** Elements of the outline, in the order in which their text begins. */
  readonly blocks: Int32Array;
  readonly rows: Int16Array;
  readonly width: number;
  /** Of each block the boxes around it that hold more than the one before, from the inside; the last one is that of the page. */
  readonly boxes: Int32Array;
  /** Of each block the table, list or the like that it is part of; -1 where there is none. */
  readonly units: Int32Array;
  /** The block that is the page's title; -1 where none can be told. */
  readonly title: number;
  text(block: number): string;
}

export function blockTable(outline: Outline, body: number, title: string, url: string | null): BlockTable {
  return new Reader(outline, body, title, url).read();
}

/** Grows ever slower: differences of size count as shares do. */
function size(count: number): number {
  if (count < 16) {
    return count;
  }
  const bits = 31 - Math.clz32(count);
  return (bits << 2) + ((count >> (bits - 2)) & 3);
}
const share = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.min(100, Math.trunc((part * 100) / whole));
const most = (value: number): number => Math.min(value, 30_000);

class Reader {
  readonly #outline: Outline;
  readonly #body: number;
  readonly #title: string;
  readonly #titleWords: ReadonlySet<string>;
  readonly #url: string | null;
  readonly #texts: string[] = [];
  /** How many words each block begins with, and how many of them the page's title has too. */
  readonly #known: { words: number; known: number }[] = [];
  readonly #places: Int32Array;
  #blocks = new Int32Array(0);
  #boxesAround = new Int32Array(0);
  readonly #depths: Uint16Array;

  constructor(outline: Outline, body: number, title: string, url: string | null) {
    this.#outline = outline;
    this.#body = body;
    this.#title = title;
    this.#titleWords = new Set(wordsOf(title));
    this.#url = url;
    this.#places = new Int32Array(outline.count).fill(-1);
    this.#depths = new Uint16Array(outline.count);
    for (let i = 1; i < outline.count; i++) {
      this.#depths[i] = Math.min(65_535, this.#depths[outline.parents[i]!]! + 1);
    }
  }

  read(): BlockTable {
    const steps = guess(this.#outline, this.#body, this.#title, this.#url);
    this.#gather();
    const blocks = this.#blocks;
    const count = blocks.length;
    const width = FEATURES.length;
    const rows = new Int16Array(count * width);
    const leads = new Int32Array(count);
    for (let b = 0; b < count; b++) {
      leads[b] = leadsOf(this.#texts[b]!);
      this.#own(rows, b * width, b, leads[b]!);
    }
    const title = this.#titleBlock(steps);
    this.#kinds(rows, width);
    this.#place(rows, width, title, leads);
    this.#boxes(rows, width, leads);
    this.#twins(rows, width);
    this.#core(rows, width);
    this.#neighbours(rows, width, leads);
    const last = FEATURES.length - 8;
    const page = this.#page();
    for (let b = 0; b < count; b++) {
      rows[b * width + last] = steps[blocks[b]!]!;
      let near = 0;
      for (let o = Math.max(0, b - 3); o <= Math.min(count - 1, b + 3); o++) {
        near += steps[blocks[o]!] === 0 ? 1 : 0;
      }
      rows[b * width + last + 1] = near;
      rows.set(page, b * width + last + 2);
    }
    return { blocks, rows, width, boxes: this.#boxesAround, units: this.#units(), title, text: (b) => this.#texts[b]! };
  }

  /** What tells a manual from a newspaper. */
  #page(): number[] {
    const outline = this.#outline;
    let scripts = 0;
    let shared = 0;
    let code = 0;
    let terms = 0;
    let images = 0;
    let tables = 0;
    for (let i = 0; i < outline.count; i++) {
      const element = outline.elements[i]!;
      const { name } = element;
      if (name === 'script') {
        scripts++;
      } else if (name === 'meta') {
        shared += element.attribute('property')?.startsWith('og:') === true ? 1 : 0;
      } else if (name === 'pre') {
        code += outline.text(i);
      } else if (name === 'code' || name === 'tt') {
        code += outline.text(i);
      } else if (name === 'dt') {
        terms++;
      } else if (name === 'img') {
        images++;
      } else if (name === 'table') {
        tables++;
      }
    }
    return [
      size(scripts),
      size(shared),
      share(code, outline.text(this.#body)),
      size(terms),
      size(images),
      size(tables),
    ];
  }

  #units(): Int32Array {
    const outline = this.#outline;
    return this.#blocks.map((self) => {
      let unit = -1;
      for (let i = self, up = 0; i > this.#body && up < 12; i = outline.parents[i]!, up++) {
        const { name } = outline.elements[i]!;
        if (name === 'ul' || name === 'ol' || name === 'dl' || name === 'table') {
          unit = i;
        } else if (name === 'div' || name === 'section' || name === 'article') {
          break;
        }
      }
      return unit;
    });
  }

  #gather(): void {
    const outline = this.#outline;
    const { texts, owners, textStarts, textEnds } = outline.tree;
    const found: number[] = [];
    for (let t = textStarts[this.#body]!; t < textEnds[this.#body]!; t++) {
      const owner = owners[t]!;
      if (outline.isGone(owner)) {
        continue;
      }
      const text = texts[t]!;
      const block = outline.blocks[owner]!;
      const place = this.#places[block]!;
      if (place === -1) {
        if (characters(text) === 0) {
          continue;
        }
        this.#places[block] = found.length;
        found.push(block);
        this.#texts.push(text);
      } else {
        this.#texts[place] += text;
      }
    }
    this.#blocks = Int32Array.from(found);
    for (let b = 0; b < this.#texts.length; b++) {
      this.#texts[b] = this.#texts[b]!.replace(/\s+/g, ' ').trim();
    }
  }

  #own(rows: Int16Array, row: number, b: number, leads: number): void {
    const outline = this.#outline;
    const i = this.#blocks[b]!;
    const element = outline.elements[i]!;
    const text = this.#texts[b]!;
    const blockText = outline.blockText(i);
    const blockLinks = outline.blockLinks(i);
    let sentences = 0;
    let commas = 0;
    let upper = 0;
    let digits = 0;
    let spaces = 0;
    let brackets = 0;
    for (let c = 0; c < text.length; c++) {
      const code = text.charCodeAt(c);
      if (code === 32) {
        spaces++;
      } else if (code >= 48 && code <= 57) {
        digits++;
      } else if (code >= 65 && code <= 90) {
        upper++;
      } else if (code === 46 || code === 33 || code === 63) {
        const next = text.charCodeAt(c + 1);
        sentences += next === 32 || Number.isNaN(next) || next === 34 || next === 0x201c || next === 0x201d ? 1 : 0;
      } else if (code === 44 || code === 0xff0c || code === 0x3001 || code === 59) {
        commas++;
      } else if (code === 0x3002 || code === 0xff01 || code === 0xff1f) {
        sentences++;
      } else if (code === 124 || code === 0x2022 || code === 0xb7 || code === 187 || code === 62 || code === 47) {
        brackets++;
      }
    }
    let linkCount = 0;
    let anchors = 0;
    let outside = 0;
    let breaks = 0;
    let bold = 0;
    for (let at = i + 1; at < outline.ends[i]!; at++) {
      if (outline.blocks[at] !== i) {
        at = outline.ends[at]! - 1;
        continue;
      }
      const { name } = outline.elements[at]!;
      if (name === 'a') {
        const href = outline.elements[at]!.attribute('href');
        if (href !== null) {
          linkCount++;
          anchors += leadsHere(href, this.#url) ? 1 : 0;
          outside += /^(?:https?:)?\/\//i.test(href) ? 1 : 0;
        }
      } else if (name === 'br') {
        breaks++;
      } else if (name === 'b' || name === 'strong') {
        bold++;
      }
    }
    // Cells and the like may hold links around them.
    const { words, known } = this.#titleWordsIn(b);
    const last = text.charCodeAt(text.length - 1);
    const first = text.charCodeAt(0);
    const values = [
      size(blockText),
      share(blockLinks, blockText),
      size(spaces + 1),
      most(sentences),
      most(commas),
      share(upper, text.length),
      share(digits, text.length),
      most(anchors),
      most(outside),
      most(linkCount),
      last === 46 || last === 33 || last === 63 || last === 0x3002
        ? 2
        : last === 58
          ? 1
          : last === 44 || last === 59
            ? 3
            : last === 34 || last === 0x201d
              ? 4
              : last === 0x2026
                ? 5
                : 0,
      first >= 97 && first <= 122
        ? 1
        : first >= 48 && first <= 57
          ? 2
          : first === 34 || first === 0x201c || first === 0x201e || first === 0xab
            ? 3
            : first >= 65 && first <= 90
              ? 4
              : 0,
      most(breaks),
      most(brackets),
      most(bold),
      share(known, words),
      share(known, this.#titleWords.size),
    ];
    for (let v = 0; v < values.length; v++) {
      rows[row + v] = values[v]!;
    }
    const { name } = element;
    const parent = outline.parents[i]! < 0 ? '' : outline.elements[outline.parents[i]!]!.name;
    const flags = F.isP + row;
    rows[flags] = name === 'p' || parent === 'p' ? 1 : 0;
    rows[flags + 1] = name === 'li' || parent === 'li' ? 1 : 0;
    rows[flags + 2] = headingRank(name);
    rows[flags + 3] = name === 'td' || name === 'th' ? 1 : parent === 'td' ? 2 : 0;
    rows[flags + 4] = name === 'pre' ? 1 : 0;
    rows[flags + 5] = name === 'figcaption' || name === 'caption' ? 1 : 0;
    rows[flags + 6] = name === 'dt' ? 1 : name === 'dd' ? 2 : 0;
    rows[flags + 7] = name === 'blockquote' || parent === 'blockquote' ? 1 : 0;
    rows[flags + 8] = name === 'summary' ? 1 : 0;
    rows[flags + 9] = 0;
    for (let at = i + 1; at < Math.min(outline.ends[i]!, i + 8); at++) {
      if (outline.elements[at]!.name === 'time') {
        rows[flags + 9] = 1;
      }
    }
    for (let k = 0; k < LEADS.length; k++) {
      rows[row + F.says + k] = (leads >> k) & 1;
    }
  }

  /** How near an element of each kind is around each block. */
  #kinds(rows: Int16Array, width: number): void {
    const outline = this.#outline;
    const kinds = KINDS.length;
    // Elements of some kind, found once each; a block asks those around it.
    const known = new Map<number, readonly number[]>();
    const whole = Math.max(1, outline.prose(this.#body));
    const wholeText = Math.max(1, outline.text(this.#body));
    for (let b = 0; b < this.#blocks.length; b++) {
      const row = b * width + F.in;
      rows.fill(FAR, row, row + kinds);
      let furniture = -1;
      let content = -1;
      let up = 0;
      for (let i = this.#blocks[b]!; i > this.#body && up < FAR; i = outline.parents[i]!, up++) {
        let of = known.get(i);
        if (of === undefined) {
          of = kindsOf(outline.elements[i]!);
          known.set(i, of);
        }
        for (const kind of of) {
          if (rows[row + kind] === FAR) {
            rows[row + kind] = up;
          }
          if (furniture === -1 && FURNITURE.has(kind)) {
            furniture = i;
          }
          if (content === -1 && CONTENT.has(kind)) {
            content = i;
          }
        }
      }
      const last = b * width + F.sentence;
      rows[last + 4] = furniture === -1 ? -1 : share(outline.text(furniture), wholeText);
      rows[last + 5] = furniture === -1 ? -1 : share(outline.prose(furniture), whole);
      rows[last + 6] = content === -1 ? -1 : share(outline.prose(content), whole);
    }
  }

  #titleWordsIn(b: number): { words: number; known: number } {
    const words = wordsOf(this.#texts[b]!.slice(0, LONGEST_TITLE));
    let known = 0;
    for (const word of words) {
      known += this.#titleWords.has(word) ? 1 : 0;
    }
    this.#known.push({ words: words.length, known });
    return this.#known.at(-1)!;
  }

  /** The block of the page's title; -1 where none can be told. */
  #titleBlock(steps: Uint8Array): number {
    const outline = this.#outline;
    let best = -1;
    let bestScore = 0;
    const wanted = this.#titleWords.size;
    for (let b = 0; b < this.#blocks.length; b++) {
      const text = this.#texts[b]!;
      if (text.length > 300) {
        continue;
      }
      let i = this.#blocks[b]!;
      let rank = headingRank(outline.elements[i]!.name);
      for (let up = 0; rank === 0 && up < 2 && outline.parents[i]! > 0; up++) {
        i = outline.parents[i]!;
        rank = headingRank(outline.elements[i]!.name);
      }
      const { words, known } = this.#known[b]!;
      if (words === 0) {
        continue;
      }
      // Twice the share of words that both have, and something for a heading.
      const common = Math.trunc((200 * known) / (words + Math.max(wanted, 1)));
      const score =
        common + (rank === 1 ? 60 : rank === 2 ? 20 : rank > 0 ? 10 : 0) - (steps[this.#blocks[b]!] === 0 ? 0 : 50);
      if (score > bestScore && (rank > 0 || common >= 80)) {
        best = b;
        bestScore = score;
      }
    }
    return bestScore >= 60 ? best : -1;
  }

  #place(rows: Int16Array, width: number, title: number, leads: Int32Array): void {
    const outline = this.#outline;
    const blocks = this.#blocks;
    const count = blocks.length;
    const chars = outline.text(this.#body);
    let sum = 0;
    let whole = 0;
    const prose = new Int32Array(count);
    for (let b = 0; b < count; b++) {
      prose[b] = proseOf(outline, blocks[b]!);
      whole += prose[b]!;
    }
    let titles = 0;
    for (let b = 0; b < count; b++) {
      titles += outline.elements[blocks[b]!]!.name === 'h1' ? 1 : 0;
    }
    let before = 0;
    let titleSum = 0;
    let heading = -1;
    let headingBefore = 0;
    for (let b = 0; b < count; b++) {
      const i = blocks[b]!;
      const row = b * width + F.place;
      if (b === title) {
        titleSum = before;
      }
      rows[row] = share(sum, chars);
      rows[row + 1] = share(b, count);
      rows[row + 2] = share(before, whole);
      rows[row + 3] = share(whole - before - prose[b]!, whole);
      rows[row + 4] = title === -1 ? -1 : b < title ? 0 : b === title ? 1 : 2;
      rows[row + 5] = title === -1 ? 99 : b < title ? -size(title - b) : size(Math.trunc((before - titleSum) / 10));
      rows[row + 6] = title === -1 ? 99 : Math.max(-60, Math.min(60, b - title));
      rows[row + 7] = Math.min(60, this.#depths[i]!);
      const at = b * width + F.heading;
      rows[at] = heading === -1 ? 0 : leads[heading]! & LEADS_AWAY ? 1 : 0;
      rows[at + 1] = heading === -1 ? 60 : this.#lift(heading, b);
      rows[at + 2] = heading === -1 ? 99 : Math.min(99, b - heading);
      rows[at + 3] = heading === -1 ? 99 : size(before - headingBefore);
      rows[at + 4] = heading === -1 ? 0 : headingRank(outline.elements[blocks[heading]!]!.name);
      const own = outline.blockText(i);
      sum += own;
      before += prose[b]!;
      if (HEADINGS.has(outline.elements[i]!.name)) {
        heading = b;
        headingBefore = before;
      }
      const page = b * width + F.sentence + 7;
      rows[page] = size(chars);
      rows[page + 1] = share(outline.linkText(this.#body), chars);
      rows[page + 2] = share(whole, chars);
      rows[page + 3] = size(count);
      rows[page + 4] = Math.min(20, titles);
      rows[page + 5] = outline.isCommon(i) ? 1 : 0;
    }
  }

  /** How many steps up from block `b` the nearest element is that holds block `other` too. */
  #lift(other: number, b: number): number {
    const outline = this.#outline;
    const j = this.#blocks[other]!;
    let i = this.#blocks[b]!;
    let up = 0;
    while (up < 40 && i > 0 && !outline.isIn(j, i)) {
      i = outline.parents[i]!;
      up++;
    }
    return up;
  }

  /** What stands around each block: how much, and how it begins. */
  #boxes(rows: Int16Array, width: number, leads: Int32Array): void {
    const outline = this.#outline;
    const blocks = this.#blocks;
    const body = this.#body;
    const firsts = new Int32Array(outline.count);
    const counts = new Int32Array(outline.count);
    const shorts = new Int32Array(outline.count);
    const seen = new Uint8Array(outline.count);
    for (let b = 0; b < blocks.length; b++) {
      const isShort = outline.blockText(blocks[b]!) < SENTENCE;
      for (let i = blocks[b]!, up = 0; i > body && up < 40; i = outline.parents[i]!, up++) {
        counts[i]!++;
        shorts[i]! += isShort ? 1 : 0;
        if (seen[i] === 0) {
          seen[i] = 1;
          firsts[i] = leads[b]!;
        }
      }
    }
    const images = outline.countsOf('img', 'picture', 'video', 'iframe');
    const fields = outline.countsOf('input', 'textarea', 'select', 'button', 'label');
    const wholeProse = outline.prose(body);
    this.#boxesAround = new Int32Array(blocks.length * LEVELS).fill(body);
    for (let b = 0; b < blocks.length; b++) {
      let box = -1;
      let boxUp = FAR;
      const self = blocks[b]!;
      let i = outline.parents[self]!;
      for (let up = 1; i > body && up < 12; i = outline.parents[i]!, up++) {
        if ((firsts[i]! & LEADS_AWAY) !== 0) {
          box = i;
          boxUp = up;
          break;
        }
      }
      const at = b * width + F.heading + 5;
      rows[at] = boxUp;
      rows[at + 1] = box === -1 ? 0 : firsts[box]! & LEADS_AWAY ? 31 - Math.clz32(firsts[box]! & LEADS_AWAY) + 1 : 0;
      rows[at + 2] = box === -1 ? 0 : size(outline.text(box));
      rows[at + 3] = box === -1 ? 0 : share(outline.linkText(box), outline.text(box));
      // Elements that hold nothing but the block are not counted as steps.
      let inner = self;
      let level = 0;
      for (let up = outline.parents[self]!; level < LEVELS; up = outline.parents[up]!) {
        const isTop = up <= body;
        if (!isTop && counts[up] === counts[inner]) {
          inner = up;
          continue;
        }
        const of = isTop ? body : up;
        const row = b * width + F.up + level * 8;
        this.#boxesAround[b * LEVELS + level] = of;
        const blocksIn = isTop ? blocks.length : counts[of]!;
        rows[row] = size(outline.text(of));
        rows[row + 1] = share(outline.linkText(of), outline.text(of));
        rows[row + 2] = share(outline.prose(of), outline.text(of));
        rows[row + 3] = size(blocksIn);
        rows[row + 4] = share(outline.prose(of), wholeProse);
        rows[row + 5] = size(images[outline.ends[of]!]! - images[of]!);
        rows[row + 6] = size(fields[outline.ends[of]!]! - fields[of]!);
        rows[row + 7] = isTop ? 50 : share(shorts[of]!, counts[of]!);
        inner = of;
        level++;
        if (isTop) {
          for (; level < LEVELS; level++) {
            rows.copyWithin(b * width + F.up + level * 8, row, row + 8);
          }
        }
      }
    }
  }

  /** Boxes that look alike beside each other are cards of a list; blocks in like places are alike too. */
  #twins(rows: Int16Array, width: number): void {
    const outline = this.#outline;
    const blocks = this.#blocks;
    // Numbers stand for what elements are called, and hashes of them for places and paths.
    const names = new Map<string, Map<string, number>>();
    let count = 0;
    const nameOf = (i: number): number => {
      const { name, classes } = outline.elements[i]!;
      let byClass = names.get(name);
      if (byClass === undefined) {
        byClass = new Map();
        names.set(name, byClass);
      }
      const first = classes[0] ?? '';
      let number = byClass.get(first);
      if (number === undefined) {
        number = ++count;
        byClass.set(first, number);
      }
      return number;
    };
    const nameAt = new Int32Array(outline.count);
    const twins = new Map<number, number>();
    const key = (i: number): number => outline.parents[i]! * 65_536 + (nameAt[i]! & 65_535);
    const paths = new Map<number, number>();
    const pathOf: number[] = [];
    const pathBlocks: number[] = [];
    const pathText: number[] = [];
    const pathLinks: number[] = [];
    const same = new Map<string, number>();
    for (let b = 0; b < blocks.length; b++) {
      const self = blocks[b]!;
      let path = 0;
      for (let i = self, up = 0; i > this.#body && up < 10; i = outline.parents[i]!, up++) {
        if (nameAt[i] === 0) {
          nameAt[i] = nameOf(i);
          const one = key(i);
          twins.set(one, (twins.get(one) ?? 0) + 1);
        }
        if (up < 4) {
          path = (Math.imul(path, 0x01000193) ^ nameAt[i]!) >>> 0;
        }
      }
      let place = paths.get(path);
      if (place === undefined) {
        place = pathBlocks.length;
        paths.set(path, place);
        pathBlocks.push(0);
        pathText.push(0);
        pathLinks.push(0);
      }
      pathOf.push(place);
      pathBlocks[place]!++;
      pathText[place]! += outline.blockText(self);
      pathLinks[place]! += outline.blockLinks(self);
      const text = this.#texts[b]!.slice(0, 200);
      same.set(text, (same.get(text) ?? 0) + 1);
    }
    for (let b = 0; b < blocks.length; b++) {
      const self = blocks[b]!;
      let best = 0;
      let level = FAR;
      let text = 0;
      for (let i = self, up = 0; i > this.#body && up < 10; i = outline.parents[i]!, up++) {
        const { name } = outline.elements[i]!;
        if (name === 'p' || HEADINGS.has(name) || outline.linkText(i) === 0) {
          continue;
        }
        const alike = twins.get(key(i))!;
        if (alike > best) {
          best = alike;
          level = up;
          text = outline.text(i);
        }
      }
      const row = b * width + F.twins;
      const place = pathOf[b]!;
      rows[row] = size(best);
      rows[row + 1] = level;
      rows[row + 2] = size(text);
      rows[row + 3] = size(pathBlocks[place]!);
      rows[row + 4] = size(Math.trunc(pathText[place]! / pathBlocks[place]!));
      rows[row + 5] = share(pathLinks[place]!, pathText[place]!);
      rows[row + 6] = Math.min(30, same.get(this.#texts[b]!.slice(0, 200))!);
    }
  }

  /** How far each block is from the place whose paragraphs say most. */
  #core(rows: Int16Array, width: number): void {
    const outline = this.#outline;
    const blocks = this.#blocks;
    const body = this.#body;
    const direct = new Float64Array(outline.count);
    let whole = 0;
    for (let b = 0; b < blocks.length; b++) {
      const i = blocks[b]!;
      const { name } = outline.elements[i]!;
      const prose = proseOf(outline, i);
      whole += prose;
      if (outline.blockText(i) < SENTENCE * 2 && name !== 'pre') {
        continue;
      }
      // A container's own text counts for itself, that of a paragraph for what it stands in.
      const of = CONTAINERS.has(name) ? i : outline.parents[i]!;
      const up = outline.parents[of]!;
      const upper = up < 0 ? -1 : outline.parents[up]!;
      direct[of]! += prose * 6;
      if (up >= 0) {
        direct[up]! += prose * 3;
      }
      if (upper >= 0) {
        direct[upper]! += prose * 2;
      }
    }
    let best = body;
    for (let i = body + 1; i < outline.ends[body]!; i++) {
      if (direct[i]! > direct[best]!) {
        best = i;
      }
    }
    let main = -1;
    for (let i = body + 1; i < outline.ends[body]!; i++) {
      const element = outline.elements[i]!;
      if (
        (element.name === 'main' || element.attribute('role') === 'main') &&
        (main === -1 || outline.prose(i) > outline.prose(main))
      ) {
        main = i;
      }
    }
    const bestShare = share(outline.prose(best), whole);
    for (let b = 0; b < blocks.length; b++) {
      const self = blocks[b]!;
      let down = 0;
      let i = self;
      while (i > body && !outline.isIn(best, i) && down < 60) {
        i = outline.parents[i]!;
        down++;
      }
      let up = 0;
      for (let j = best; j > i && up < 60; j = outline.parents[j]!) {
        up++;
      }
      const row = b * width + F.core;
      rows[row] = up;
      rows[row + 1] = down;
      const own = CONTAINERS.has(outline.elements[self]!.name) ? self : outline.parents[self]!;
      rows[row + 2] = direct[best]! === 0 ? 0 : share(direct[own]!, direct[best]!);
      rows[row + 3] = main === -1 ? 2 : outline.isIn(self, main) ? 1 : 0;
      rows[row + 4] = outline.isIn(self, best) ? 1 : 0;
      rows[row + 5] = bestShare;
    }
  }

  #neighbours(rows: Int16Array, width: number, leads: Int32Array): void {
    const outline = this.#outline;
    const blocks = this.#blocks;
    const count = blocks.length;
    for (let b = 0; b < count; b++) {
      for (const [n, distance] of NEIGHBOURS.entries()) {
        const row = b * width + F.prev2 + n * 5;
        const other = b + distance;
        if (other < 0 || other >= count) {
          rows[row + 2] = 60;
          continue;
        }
        const i = blocks[other]!;
        rows[row] = size(outline.blockText(i));
        rows[row + 1] = share(outline.blockLinks(i), outline.blockText(i));
        rows[row + 2] = this.#lift(other, b);
        rows[row + 3] = leads[other]! & LEADS_AWAY ? 1 : 0;
        const { name } = outline.elements[i]!;
        rows[row + 4] = name === outline.elements[blocks[b]!]!.name ? 1 : HEADINGS.has(name) ? 2 : name === 'p' ? 3 : 0;
      }
    }
    // Blocks since the last long paragraph, and until the next one; and how far that is in the tree.
    let last = -1;
    for (let b = 0; b < count; b++) {
      const row = b * width + F.sentence;
      rows[row] = last === -1 ? 99 : Math.min(99, b - last);
      rows[row + 2] = last === -1 ? 60 : this.#lift(last, b);
      if (isParagraph(outline, blocks[b]!)) {
        last = b;
      }
    }
    last = -1;
    for (let b = count - 1; b >= 0; b--) {
      const row = b * width + F.sentence;
      rows[row + 1] = last === -1 ? 99 : Math.min(99, last - b);
      rows[row + 3] = last === -1 ? 60 : this.#lift(last, b);
      if (isParagraph(outline, blocks[b]!)) {
        last = b;
      }
    }
  }
}

const NEIGHBOURS = [-2, -1, 1, 2] as const;

const isParagraph = (outline: Outline, i: number): boolean =>
  outline.blockText(i) >= SENTENCE * 3 && outline.blockLinks(i) * 4 < outline.blockText(i);

function proseOf(outline: Outline, i: number): number {
  const text = outline.blockText(i);
  const links = outline.blockLinks(i);
  const { name } = outline.elements[i]!;
  if (name === 'pre') {
    return text;
  }
  return text < SENTENCE || links * 2 > text || HEADINGS.has(name) ? 0 : text - links;
}

const headingRank = (name: string): number => (HEADINGS.has(name) ? name.charCodeAt(1) - 48 : 0);

function leadsOf(text: string): number {
  if (text.length > LONGEST_LABEL) {
    return 0;
  }
  const lead = text.length > LONGEST_LEAD ? text.slice(0, LONGEST_LEAD) : text;
  let leads = 0;
  for (let k = 0; k < LEADS.length; k++) {
    if (LEADS[k]![1].test(lead)) {
      leads |= 1 << k;
    }
  }
  return leads;
}

const WORD = /[\p{L}\p{N}]{2,}/gu;
const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

const fileOf = (path: string): string => path.replace(/[?#].*$/s, '').replace(/^.*\//s, '');
function leadsHere(href: string, url: string | null): boolean {
  const hash = href.indexOf('#');
  return hash === 0 || (hash > 0 && url !== null && fileOf(href.slice(0, hash)) === fileOf(url));
}
