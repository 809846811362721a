import { BLOCKS, HEADINGS } from '../markdown/names.js';
import { type Outline, SENTENCE } from './outline.js';

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
export function trim(outline: Outline, from: number): void {
  const most = outline.prose(from) * LARGEST_SHARE;
  const parts = new Parts(outline);
  const boxes: number[] = [];
  for (const i of outline.within(from)) {
    if (i === from || !BOXES.has(outline.elements[i]!.name) || outline.prose(i) > most) continue;
    if (outline.text(i) > 0 && !parts.holdContent(i) && isBesideText(outline, i, parts)) boxes.push(i);
  }
  for (const i of boxes) outline.drop(i);
  dropLedSections(outline, from, most, parts);
  dropAboveTitle(outline, from, parts);
}

function isBesideText(outline: Outline, i: number, parts: Parts): boolean {
  const text = outline.text(i);
  if (isButton(outline, i, text)) return true;
  const lead = outline.beginning(i, LONGEST_LEAD);
  if (ADVERTISEMENT.test(lead)) return true;
  if (ABOUT_AUTHOR.test(lead) || (parts.buttons(i) > 0 && COOKIES.test(outline.beginning(i, LONGEST_NOTICE))))
    return true;
  if (LEADS.test(lead) && (outline.linkDensity(i) >= LINKY || parts.asks(i))) return true;
  return parts.fields(i) > 0 && text < LARGEST_WIDGET && !parts.haveItems(i);
}

/** What is in elements of a page, counted once for all of them. */
class Parts {
  readonly #ends: Int32Array;
  readonly #fields: Int32Array;
  readonly #buttons: Int32Array;
  readonly #replies: Int32Array;
  readonly #content: Int32Array;
  /** Items of lists that say something. */
  readonly #items: Int32Array;

  constructor(outline: Outline) {
    this.#ends = outline.ends;
    this.#fields = outline.counts(({ name }) => FIELDS.has(name));
    this.#buttons = outline.counts(({ name }) => name === 'button');
    this.#replies = outline.counts(
      ({ children: [first] }) => typeof first === 'string' && first.length < SENTENCE && REPLY.test(first),
    );
    this.#content = outline.counts(
      ({ name }, i) => (CONTENT_ELEMENTS.has(name) || name === 'h1') && !outline.isGone(i),
    );
    this.#items = outline.counts(
      ({ name }, i) => name === 'li' && !outline.isGone(i) && outline.text(i) > 0 && outline.linkDensity(i) < LINKY,
    );
  }

  /** Whether it has fields, buttons or ways to answer. */
  asks = (i: number): boolean => this.fields(i) + this.#in(this.#buttons, i) + this.#in(this.#replies, i) > 0;
  fields = (i: number): number => this.#in(this.#fields, i);
  buttons = (i: number): number => this.#in(this.#buttons, i);
  holdContent = (i: number): boolean => this.#in(this.#content, i) > 0;
  haveItems = (i: number): boolean => this.#in(this.#items, i) > 0;

  #in(counts: Int32Array, i: number): number {
    return counts[this.#ends[i]!]! - counts[i]!;
  }
}

/** A link that looks like a button and is all there is. */
function isButton(outline: Outline, i: number, text: number): boolean {
  if (text >= SENTENCE || outline.linkText(i) !== text) return false;
  let links = 0;
  for (const at of outline.within(i)) {
    const element = outline.elements[at]!;
    if (element.name !== 'a') continue;
    links++;
    if (element.attribute('role') !== 'button' && !element.classes.some((each) => /^(?:btn|button)\b/i.test(each)))
      return false;
  }
  return links > 0;
}

/** Headings that lead elsewhere, with what follows up to the next one or to where the text goes on, where that is links. */
function dropLedSections(outline: Outline, from: number, most: number, parts: Parts): void {
  const led: number[] = [];
  for (const i of outline.within(from)) {
    const { name } = outline.elements[i]!;
    if (!HEADINGS.has(name) || name === 'h1' || !LEADS.test(outline.beginning(i, LONGEST_LEAD))) continue;
    const whole = [...sectionOf(outline, i)];
    const textAt = whole.findIndex((at) => outline.prose(at) >= SENTENCE && outline.linkDensity(at) < LINKY);
    const section = [whole, whole.slice(0, Math.max(0, textAt))].find((each) =>
      isElsewhere(outline, each, most, parts),
    );
    if (section !== undefined) led.push(i, ...section);
  }
  for (const i of led) outline.drop(i);
}

function isElsewhere(outline: Outline, section: readonly number[], most: number, parts: Parts): boolean {
  const sum = (of: (at: number) => number): number => section.reduce((total, at) => total + of(at), 0);
  const text = sum((at) => outline.text(at));
  if (text === 0 || sum((at) => outline.prose(at)) > most || section.some(parts.holdContent)) return false;
  return sum((at) => outline.linkText(at)) >= text * LINKY || section.some(parts.asks);
}

/** What stands behind a heading, up to the next one of its rank. */
function* sectionOf(outline: Outline, heading: number): Generator<number> {
  const rank = outline.elements[heading]!.name;
  const end = outline.ends[outline.parents[heading]!]!;
  for (let i = outline.ends[heading]!; i < end; i = outline.ends[i]!) {
    const { name } = outline.elements[i]!;
    if (HEADINGS.has(name) && name <= rank) return;
    if (!outline.isGone(i)) yield i;
  }
}

/** Before the title stand names of categories, ways back and banners. */
function dropAboveTitle(outline: Outline, from: number, parts: Parts): void {
  let title = -1;
  for (const i of outline.within(from)) {
    if (outline.elements[i]!.name !== 'h1') continue;
    title = i;
    break;
  }
  if (title === -1) return;
  const above: number[] = [];
  for (let i = from + 1; i < title; i++) {
    if (outline.isGone(i) || outline.isIn(title, i)) continue;
    above.push(i);
    i = outline.ends[i]! - 1;
  }
  if (above.some((i) => outline.prose(i) >= SENTENCE)) return;
  for (const i of above) if (BLOCKS.has(outline.elements[i]!.name) && !parts.holdContent(i)) outline.drop(i);
}
