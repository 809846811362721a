import { BLOCKS, HEADINGS } from '../markdown/names.js';
import { dropFurniture } from './furniture.js';
import { type Outline, SENTENCE } from './outline.js';

/** Elements that may hold a whole text. A paragraph is not among them. */
const CONTAINERS = new Set(
  'body main article section div td tr tbody table center form span font app-root fieldset details figure'.split(' '),
);

/** An element with so much of the text around it is the text. */
const MOST = 0.85;

/** Nearly everything in what the page marks as its main part is text, so only an element with almost all of it is taken instead. */
const MOST_OF_MAIN = 0.97;

const LEAST_OF_BODY = 0.5;

/** With less of it in sentences a page is an index, and its links are what people came for. */
const LEAST_PROSE = 0.3;

/** How many characters of sentences one character of navigation outweighs. */
const WAY_WEIGHT = 4;

/** An element with a smaller share of the page's sentences is one text of several. */
const LEAST_OF_PROSE = 0.65;

/** A block of so many characters beside the text, mostly not links, belongs to it. */
const PARAGRAPH = 80;

const FEW_LINKS = 0.25;

const SHORTEST_TITLE = 8;

/** The step that leaves out what asks for consent, which is never part of a text. */
export const ASKS_CONSENT = 5;

/** At which step a rough guess by rules leaves each element out: 0 where it stays. */
export function guess(outline: Outline, body: number, title: string, url: string | null): Uint8Array {
  const steps = new Uint8Array(outline.count);
  const before = outline.remember();
  const note = (step: number): void => {
    for (let i = 0; i < outline.count; i++) {
      if (steps[i] === 0 && outline.isGone(i)) {
        steps[i] = step;
      }
    }
  };
  note(9);
  dropFurniture(outline, body, url);
  note(1);
  const start = semantic(outline, body);
  const core = start === body ? densest(outline, start) : descend(outline, start, MOST_OF_MAIN);
  for (let i = 0; i < outline.count; i++) {
    if (steps[i] === 0 && !outline.isIn(i, start)) {
      steps[i] = 2;
    }
  }
  keepOnly(outline, start, core, title);
  note(3);
  dropConsent(outline, start);
  note(ASKS_CONSENT);
  trim(outline, start);
  note(4);
  outline.restore(before);
  return steps;
}

function semantic(outline: Outline, body: number): number {
  let best = body;
  let most = outline.weight(body) * LEAST_OF_BODY;
  for (const i of outline.within(body)) {
    const { name } = outline.elements[i]!;
    if (name !== 'main' && outline.elements[i]!.attribute('role') !== 'main') {
      continue;
    }
    if (outline.weight(i) >= most && outline.text(i) > 0) {
      best = i;
      most = outline.weight(i);
    }
  }
  return best;
}

/** The place that says most and leads away least; where nothing does, the one that has most of the page. */
function densest(outline: Outline, start: number): number {
  if (outline.prose(start) < outline.text(start) * LEAST_PROSE) {
    return descend(outline, start, MOST);
  }
  const worth = (i: number): number => outline.prose(i) - outline.ways(i) * WAY_WEIGHT;
  let best = start;
  for (const i of outline.within(start)) {
    if (worth(i) >= worth(best) && CONTAINERS.has(outline.elements[i]!.name)) {
      best = i;
    }
  }
  const isText = worth(best) > 0 && outline.prose(best) >= outline.prose(start) * LEAST_OF_PROSE;
  return descend(outline, isText ? best : start, MOST);
}

/** Goes down as long as one place has most of the text. */
function descend(outline: Outline, start: number, most: number): number {
  let at = start;
  for (;;) {
    let best = -1;
    for (const child of outline.childrenOf(at)) {
      if (best === -1 || outline.weight(child) > outline.weight(best)) {
        best = child;
      }
    }
    if (best === -1 || !CONTAINERS.has(outline.elements[best]!.name)) {
      return at;
    }
    const isArticle = outline.elements[best]!.name === 'article';
    if (outline.weight(best) < outline.weight(at) * (isArticle ? MOST : most) || outline.text(best) === 0) {
      return at;
    }
    at = best;
    if (isArticle) {
      return at;
    }
  }
}

/** Outside the core only its title and whole paragraphs are kept. */
function keepOnly(outline: Outline, start: number, core: number, title: string): void {
  const hasTitle = holdsTitle(outline, core);
  const dropped: number[] = [];
  for (let inner = core; inner !== start; inner = outline.parents[inner]!) {
    for (const child of outline.childrenOf(outline.parents[inner]!)) {
      if (child !== inner && !belongs(outline, child, hasTitle ? null : title)) {
        dropped.push(child);
      }
    }
  }
  for (const child of dropped) {
    outline.drop(child);
  }
}

/** `title` is what the head says, null where the core has a heading of the first rank. */
function belongs(outline: Outline, i: number, title: string | null): boolean {
  if (
    title !== null &&
    (HEADINGS.has(outline.elements[i]!.name) || holdsTitle(outline, i) || isTitleText(outline, i, title))
  ) {
    return true;
  }
  return outline.prose(i) >= PARAGRAPH && outline.linkDensity(i) <= FEW_LINKS;
}

/** A title that no heading marks, as on old pages: the head has it too. */
function isTitleText(outline: Outline, i: number, title: string): boolean {
  const text = outline.linkDensity(i) > FEW_LINKS ? '' : outline.beginning(i, title.length);
  return text.length >= SHORTEST_TITLE && title.includes(text);
}

function holdsTitle(outline: Outline, i: number): boolean {
  for (const at of outline.within(i)) {
    if (outline.elements[at]!.name === 'h1') {
      return true;
    }
  }
  return false;
}

/** How boxes begin that want something of the reader or lead elsewhere; in the languages that most pages are written in. */
const LEADS = new RegExp(
  `^(?:${[
    'related (?:articles?|posts?|stories|news|content|reading|topics?|links)|related$|read (?:more|next|also)\\b|more (?:from|on this|posts|stories|articles|news|in)\\b|more .{1,30} you.{1,3}ll love|more like this',
    'you (?:may|might) (?:also )?(?:like|enjoy)|recommended|most (?:read|popular|viewed)|popular\\b|trending|latest (?:news|posts|articles|stories|releases)|top stories|up next|keep reading|editor.s picks',
    'share (?:this|on|via)|share$|follow us|sign up|subscribe\\b|join (?:our|the) (?:newsletter|mailing)|get (?:the|our) .{0,30}(?:newsletter|inbox)|.{0,30}newsletter$|stay (?:in touch|up to date)',
    '(?:\\d+ )?(?:comments?|responses|replies|thoughts on)\\b|leave a (?:reply|comment)|discussion about|join the (?:discussion|conversation)|advertisement|sponsored|ad$',
    'about the author|written by|tags?:?$|filed under|topics:?$|was this (?:page|article|helpful)|rate this|did you find|print$|jump to|skip to|back to',
    'in this (?:article|section|page|guide)|on this page|(?:table of )?contents$|tried this recipe|would you like to',
    'mehr (?:zum thema|aus|von|artikel)|lesen sie auch|auch interessant|das k.nnte sie|verwandte|meistgelesen|teilen|newsletter|kommentare?\\b|anzeige$|inhalt(?:sverzeichnis)?$|schlagw.rter|zum thema$',
    'lire aussi|articles? (?:similaires|li.s)|. lire aussi|partager|commentaires?\\b|publicit.$|sommaire$|sur le m.me sujet',
    'art.culos relacionados|tambi.n te puede|compartir|comentarios?\\b|publicidad$|lo m.s le.do|te puede interesar',
  ].join('|')})`,
  'i',
);

const ABOUT_AUTHOR =
  /^(?:about the author|written by|.ber (?:den|die) autor|. propos de l.auteur|sobre el autor|.{0,40}\b(?:newsletter|in your inbox)\b)/i;

/** Banners ask for consent in much the same words on all sites. */
const COOKIES =
  /cookies?\b.*\b(?:accept|agree|consent|preferences|zustimm|akzeptier|accepter|aceptar)|\b(?:accept|agree|consent|privacy|privatsph)\w*\b.*cookies?\b/is;

const REPLY = /^\s*(?:reply|antworten|r.pondre|responder)\s*$/i;

const LONGEST_NOTICE = 600;

const LONGEST_LEAD = 80;

/** Larger boxes are part of the text, whatever they begin with. */
const LARGEST_SHARE = 0.15;

const LARGEST_WIDGET = 250;

const LINKY = 0.4;

const CONTENT_ELEMENTS = new Set(['pre', 'table', 'figure', 'img', 'math', 'blockquote', 'picture', 'dl']);

/** What asks for words of the reader. Buttons alone stand beside content too: above code, tables and tabs. */
const FIELDS = new Set(['input', 'textarea', 'select', 'label']);

const ADVERTISEMENT = /^(?:advertisement|advertising|sponsored|ad|anzeige|werbung|publicit.|publicidad)$/i;

const BOXES = new Set(['div', 'section', 'aside', 'ul', 'ol', 'article', 'details', 'p', 'center']);

/** Drops what is inside of the text and no part of it: boxes that lead elsewhere or ask for something, and labels above the title. */
function trim(outline: Outline, from: number): void {
  const most = outline.prose(from) * LARGEST_SHARE;
  const parts = new Parts(outline);
  const boxes: number[] = [];
  for (const i of outline.within(from)) {
    if (i === from || !BOXES.has(outline.elements[i]!.name) || outline.prose(i) > most) {
      continue;
    }
    if (outline.text(i) > 0 && !parts.holdContent(i) && isBesideText(outline, i, parts)) {
      boxes.push(i);
    }
  }
  for (const i of boxes) {
    outline.drop(i);
  }
  dropLedSections(outline, from, most, parts);
  dropAboveTitle(outline, from, parts);
}

function dropConsent(outline: Outline, from: number): void {
  const most = outline.prose(from) * LARGEST_SHARE;
  const parts = new Parts(outline);
  if (parts.buttons(from) === 0) {
    return;
  }
  const boxes: number[] = [];
  for (const i of outline.within(from)) {
    if (i === from || !BOXES.has(outline.elements[i]!.name) || outline.prose(i) > most || parts.buttons(i) === 0) {
      continue;
    }
    if (!parts.holdContent(i) && COOKIES.test(outline.beginning(i, LONGEST_NOTICE))) {
      boxes.push(i);
    }
  }
  for (const i of boxes) {
    outline.drop(i);
  }
}

function isBesideText(outline: Outline, i: number, parts: Parts): boolean {
  const text = outline.text(i);
  if (isButton(outline, i, text)) {
    return true;
  }
  const lead = outline.beginning(i, LONGEST_LEAD);
  if (ADVERTISEMENT.test(lead)) {
    return true;
  }
  if (ABOUT_AUTHOR.test(lead)) {
    return true;
  }
  if (LEADS.test(lead) && (outline.linkDensity(i) >= LINKY || parts.asks(i))) {
    return true;
  }
  return parts.fields(i) > 0 && text < LARGEST_WIDGET && !parts.haveItems(i);
}

/** What is in elements of a page, counted once for all of them when it is first asked for: ask before anything is dropped. */
class Parts {
  readonly #outline: Outline;
  #fields: Int32Array | null = null;
  #buttons: Int32Array | null = null;
  #replies: Int32Array | null = null;
  #content: Int32Array | null = null;
  #items: Int32Array | null = null;

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  /** Whether it has fields, buttons or ways to answer. */
  asks = (i: number): boolean => this.fields(i) > 0 || this.buttons(i) > 0 || this.#answers(i) > 0;

  fields(i: number): number {
    this.#fields ??= this.#outline.counts(({ name }) => FIELDS.has(name));
    return this.#in(this.#fields, i);
  }

  buttons(i: number): number {
    this.#buttons ??= this.#outline.counts(({ name }) => name === 'button');
    return this.#in(this.#buttons, i);
  }

  holdContent = (i: number): boolean => {
    const outline = this.#outline;
    this.#content ??= outline.counts(
      ({ name }, at) => (CONTENT_ELEMENTS.has(name) || name === 'h1') && !outline.isGone(at),
    );
    return this.#in(this.#content, i) > 0;
  };

  /** Whether it has items of lists that say something. */
  haveItems(i: number): boolean {
    const outline = this.#outline;
    this.#items ??= outline.counts(
      ({ name }, at) => name === 'li' && !outline.isGone(at) && outline.text(at) > 0 && outline.linkDensity(at) < LINKY,
    );
    return this.#in(this.#items, i) > 0;
  }

  #answers(i: number): number {
    this.#replies ??= this.#outline.counts(
      ({ children: [first] }) => typeof first === 'string' && first.length < SENTENCE && REPLY.test(first),
    );
    return this.#in(this.#replies, i);
  }

  #in(counts: Int32Array, i: number): number {
    return counts[this.#outline.ends[i]!]! - counts[i]!;
  }
}

/** Whether a link that looks like a button is all that the element holds. */
function isButton(outline: Outline, i: number, text: number): boolean {
  if (text >= SENTENCE || outline.linkText(i) !== text) {
    return false;
  }
  let links = 0;
  for (const at of outline.within(i)) {
    const element = outline.elements[at]!;
    if (element.name !== 'a') {
      continue;
    }
    links++;
    if (element.attribute('role') !== 'button' && !element.classes.some((each) => /^(?:btn|button)\b/i.test(each))) {
      return false;
    }
  }
  return links > 0;
}

/** Headings that lead elsewhere, with what follows up to the next one or to where the text goes on, where that is links. */
function dropLedSections(outline: Outline, from: number, most: number, parts: Parts): void {
  const led: number[] = [];
  for (const i of outline.within(from)) {
    const { name } = outline.elements[i]!;
    if (!HEADINGS.has(name) || name === 'h1' || !LEADS.test(outline.beginning(i, LONGEST_LEAD))) {
      continue;
    }
    const whole = [...sectionOf(outline, i)];
    const textAt = whole.findIndex((at) => outline.prose(at) >= SENTENCE && outline.linkDensity(at) < LINKY);
    const section = [whole, whole.slice(0, Math.max(0, textAt))].find((each) =>
      isElsewhere(outline, each, most, parts),
    );
    if (section !== undefined) {
      led.push(i, ...section);
    }
  }
  for (const i of led) {
    outline.drop(i);
  }
}

function isElsewhere(outline: Outline, section: readonly number[], most: number, parts: Parts): boolean {
  const sum = (of: (at: number) => number): number => section.reduce((total, at) => total + of(at), 0);
  const text = sum((at) => outline.text(at));
  if (text === 0 || sum((at) => outline.prose(at)) > most || section.some(parts.holdContent)) {
    return false;
  }
  return sum((at) => outline.linkText(at)) >= text * LINKY || section.some(parts.asks);
}

/** What stands behind a heading, up to the next one of its rank. */
function* sectionOf(outline: Outline, heading: number): Generator<number> {
  const rank = outline.elements[heading]!.name;
  const end = outline.ends[outline.parents[heading]!]!;
  for (let i = outline.ends[heading]!; i < end; i = outline.ends[i]!) {
    const { name } = outline.elements[i]!;
    if (HEADINGS.has(name) && name <= rank) {
      return;
    }
    if (!outline.isGone(i)) {
      yield i;
    }
  }
}

/** Before the title stand names of categories, ways back and banners. */
function dropAboveTitle(outline: Outline, from: number, parts: Parts): void {
  let title = -1;
  for (const i of outline.within(from)) {
    if (outline.elements[i]!.name !== 'h1') {
      continue;
    }
    title = i;
    break;
  }
  if (title === -1) {
    return;
  }
  const above: number[] = [];
  for (let i = from + 1; i < title; i++) {
    if (outline.isGone(i) || outline.isIn(title, i)) {
      continue;
    }
    above.push(i);
    i = outline.ends[i]! - 1;
  }
  if (above.some((i) => outline.prose(i) >= SENTENCE)) {
    return;
  }
  for (const i of above) {
    if (BLOCKS.has(outline.elements[i]!.name) && !parts.holdContent(i)) {
      outline.drop(i);
    }
  }
}
