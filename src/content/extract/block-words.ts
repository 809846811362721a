import { LEADS } from './block-leads.js';
import { leadsHere } from './contents-list.js';
import { headingRank, type PageBlocks, share, size } from './page-blocks.js';
import { folded, isAscii, type SaidText } from './said-text.js';

/** What a block says by itself, and in which element. */
export const WORD_FEATURES: readonly string[] = [
  ...'chars links words sentences commas upper digits anchors outside linkCount ends starts breaks brackets bold titleWords titleShare'.split(
    ' ',
  ),
  ...'isP isLi isHeading isCell isPre isCaption isTerm isQuote isSummary isTime'.split(' '),
  ...LEADS.map(([name]) => `says ${name}`),
  ...'lower short wordLength social shop foreign slanted strong small signUp network buys discloses described inData'.split(
    ' ',
  ),
];

const LONGEST_TITLE = 200;
/** Wishes and offers stand at the beginning of what says no more. */
const LONGEST_WISH = 400;
const SHORTEST_WISH = 10;
/** Shorter texts stand in descriptions by chance. */
const SHORTEST_SENTENCE = 30;

/** What texts want of the reader, wherever in them they say it; in the languages that most pages are written in. */
const WANTS: readonly RegExp[] = [
  /\b(?:subscri|sign up|newsletter|register (?:now|here)|abonni|abonnement|jetzt anmelden|abonnez|inscrivez|suscr[ií]|hazte|assine|cadastre|iscriviti|subskry|prenumer|zapisz si|donat(?:e|ion)|support us|spende|unterst.tz(?:e|en) (?:uns|sie uns)|miembro|membership|mitglied werden)/i,
  /\b(?:telegram|whatsapp|instagram|facebook|twitter|tiktok|youtube|linkedin|pinterest|follow (?:us|me|the|@)|folg(?:e|t|en sie) (?:uns|mir)|s[ií]gu(?:e|enos)|suivez|app (?:store|herunterladen)|apps? for ios|google (?:play|news)|discord|podcast)|@\w{3,}/i,
  /\b(?:buy|order (?:now|here)|shop|kaufen|bestell|warenkorb|basket|add to cart|price|preis|rabatt|gutschein|discount|deal|coupon|angebot|sale|comprar|acheter|lieferzeit|versand|shipping|free trial|kostenlos)/i,
  /affiliate|provision|commission|werbung|advertis|sponsor|anzeige|disclos|partnerlink|kooperation|in zusammenarbeit|originally (?:appeared|published)|quelle:|fuente:|source:|credit:|foto:|photo by|with permission|publireportage|advertorial/i,
];
const NETWORKS = new Set(
  'facebook.com twitter.com x.com instagram.com youtube.com youtu.be t.me telegram.me wa.me whatsapp.com pinterest.com linkedin.com tiktok.com snapchat.com reddit.com xing.com vk.com flipboard.com threads.net discord.gg discord.com twitch.tv'.split(
    ' ',
  ),
);
const SHOPS = new Set('amazon amzn awin awin1 ebay etsy zalando tradedoubler rstyle shopstyle digistore24'.split(' '));

/** What the words and links of a block are. */
class Counts {
  anchors = 0;
  outside = 0;
  links = 0;
  breaks = 0;
  bolds = 0;
  social = 0;
  shop = 0;
  foreign = 0;
  slanted = 0;
  strong = 0;
  small = 0;
}

/** Writes the numbers of each block from the place `from` of its row on. `known` is how many of a block's first words the page's title has too. */
export function writeWords(
  page: PageBlocks,
  title: TitleWords,
  said: SaidText,
  rows: Int16Array,
  width: number,
  from: number,
): void {
  const { outline, blocks, texts, leads } = page;
  const host = hostOf(page.url ?? '');
  for (let b = 0; b < blocks.length; b++) {
    const i = blocks[b]!;
    const text = texts[b]!;
    const own = outline.blockText(i);
    const counts = countIn(page, i, host);
    let to = from + b * width;
    to = writeSigns(text, own, share(outline.blockLinks(i), own), counts, rows, to);
    rows[to++] = share(title.known[b]!, title.words[b]!);
    rows[to++] = share(title.known[b]!, title.count);
    to = writeElement(page, i, rows, to);
    for (let k = 0; k < LEADS.length; k++) {
      rows[to++] = (leads[b]! >> k) & 1;
    }
    to = writeShape(text, rows, to);
    rows[to++] = counts.social;
    rows[to++] = counts.shop;
    rows[to++] = counts.foreign;
    rows[to++] = share(counts.slanted, own);
    rows[to++] = share(counts.strong, own);
    rows[to++] = share(counts.small, own);
    const wish = text.length > LONGEST_WISH ? text.slice(0, LONGEST_WISH) : text;
    for (const want of WANTS) {
      rows[to++] = text.length >= SHORTEST_WISH && want.test(wish) ? 1 : 0;
    }
    const beginning = said.isEmpty || text.length < SHORTEST_SENTENCE ? '' : folded(text.slice(0, 90)).slice(0, 60);
    rows[to++] = said.inDescription(beginning);
    rows[to++] = said.inText(beginning);
  }
}

function countIn({ outline, url }: PageBlocks, i: number, host: string): Counts {
  const counts = new Counts();
  for (let at = i + 1; at < outline.ends[i]!; at++) {
    if (outline.blocks[at] !== i) {
      at = outline.ends[at]! - 1;
      continue;
    }
    const element = outline.elements[at]!;
    switch (element.name) {
      case 'a':
        countLink(element.attribute('href'), element.attribute('rel'), counts, url, host);
        break;
      case 'br':
        counts.breaks++;
        break;
      case 'b':
      case 'strong':
        counts.bolds++;
        counts.strong += outline.text(at);
        break;
      case 'em':
      case 'i':
        counts.slanted += outline.text(at);
        break;
      case 'small':
      case 'sup':
      case 'sub':
        counts.small += outline.text(at);
    }
  }
  return counts;
}

function countLink(href: string | null, rel: string | null, counts: Counts, url: string | null, host: string): void {
  if (href === null) {
    return;
  }
  counts.links++;
  counts.anchors += leadsHere(href, url) ? 1 : 0;
  const to = hostOf(href);
  if (to !== '') {
    counts.outside++;
    if (to !== host) {
      counts.foreign++;
      const end = to.lastIndexOf('.');
      const start = to.lastIndexOf('.', end - 1) + 1;
      counts.social += NETWORKS.has(to.slice(start)) ? 1 : 0;
      counts.shop += SHOPS.has(to.slice(start, end)) ? 1 : 0;
    }
    counts.shop += rel?.includes('sponsored') === true ? 1 : 0;
  }
}

/** Of a whole URL, without "www."; nothing of any other. */
function hostOf(href: string): string {
  const start = href.indexOf('//') + 2;
  const scheme = href.slice(0, start).toLowerCase();
  if (scheme !== 'https://' && scheme !== 'http://' && scheme !== '//') {
    return '';
  }
  let end = start;
  while (end < href.length && !'/?#:'.includes(href[end]!)) {
    end++;
  }
  const host = href.slice(start, end).toLowerCase();
  return host.startsWith('www.') ? host.slice(4) : host;
}

/** Signs of the text, and how it begins and ends. */
function writeSigns(text: string, own: number, links: number, counts: Counts, rows: Int16Array, from: number): number {
  let sentences = 0;
  let commas = 0;
  let upper = 0;
  let digits = 0;
  let spaces = 0;
  let brackets = 0;
  for (let c = 0; c < text.length; c++) {
    const code = text.charCodeAt(c);
    if (code >= 97 && code <= 122) {
      continue;
    }
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
  let to = from;
  rows[to++] = size(own);
  rows[to++] = links;
  rows[to++] = size(spaces + 1);
  rows[to++] = sentences;
  rows[to++] = commas;
  rows[to++] = share(upper, text.length);
  rows[to++] = share(digits, text.length);
  rows[to++] = counts.anchors;
  rows[to++] = counts.outside;
  rows[to++] = counts.links;
  rows[to++] = endOf(text.charCodeAt(text.length - 1));
  rows[to++] = startOf(text.charCodeAt(0));
  rows[to++] = counts.breaks;
  rows[to++] = brackets;
  rows[to++] = counts.bolds;
  return to;
}

function endOf(last: number): number {
  switch (last) {
    case 46:
    case 33:
    case 63:
    case 0x3002:
      return 2;
    case 58:
      return 1;
    case 44:
    case 59:
      return 3;
    case 34:
    case 0x201d:
      return 4;
    case 0x2026:
      return 5;
    default:
      return 0;
  }
}

function startOf(first: number): number {
  if (first >= 97 && first <= 122) {
    return 1;
  }
  if (first >= 48 && first <= 57) {
    return 2;
  }
  if (first === 34 || first === 0x201c || first === 0x201e || first === 0xab) {
    return 3;
  }
  return first >= 65 && first <= 90 ? 4 : 0;
}

function writeElement({ outline }: PageBlocks, i: number, rows: Int16Array, from: number): number {
  const { name } = outline.elements[i]!;
  const parent = outline.parents[i]! < 0 ? '' : outline.elements[outline.parents[i]!]!.name;
  let to = from;
  rows[to++] = name === 'p' || parent === 'p' ? 1 : 0;
  rows[to++] = name === 'li' || parent === 'li' ? 1 : 0;
  rows[to++] = headingRank(name);
  rows[to++] = name === 'td' || name === 'th' ? 1 : parent === 'td' ? 2 : 0;
  rows[to++] = name === 'pre' ? 1 : 0;
  rows[to++] = name === 'figcaption' || name === 'caption' ? 1 : 0;
  rows[to++] = name === 'dt' ? 1 : name === 'dd' ? 2 : 0;
  rows[to++] = name === 'blockquote' || parent === 'blockquote' ? 1 : 0;
  rows[to++] = name === 'summary' ? 1 : 0;
  let isTime = 0;
  for (let at = i + 1; at < Math.min(outline.ends[i]!, i + 8); at++) {
    isTime = outline.elements[at]!.name === 'time' ? 1 : isTime;
  }
  rows[to++] = isTime;
  return to;
}

/** Sentences have many short words, and most of theirs begin with a small letter; labels and titles do not. */
function writeShape(text: string, rows: Int16Array, from: number): number {
  let lower = 0;
  let short = 0;
  let words = 0;
  let start = 0;
  for (let c = 0; c <= text.length; c++) {
    if (c < text.length && text.charCodeAt(c) !== 32) {
      continue;
    }
    words++;
    short += c - start <= 3 ? 1 : 0;
    lower += isSmall(text.charCodeAt(start)) ? 1 : 0;
    start = c + 1;
  }
  rows[from] = share(lower, words);
  rows[from + 1] = share(short, words);
  rows[from + 2] = Math.min(60, Math.trunc((text.length * 2) / words));
  return from + 3;
}

/** Latin, Cyrillic and Greek letters. */
const isSmall = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 0xdf && code <= 0xff) ||
  (code >= 0x430 && code <= 0x45f) ||
  (code >= 0x3ac && code <= 0x3ce);

/** How many words each block begins with, and how many of them the page's title has too. */
export interface TitleWords {
  readonly count: number;
  readonly words: Uint8Array;
  readonly known: Uint8Array;
}

export function titleWords({ texts }: PageBlocks, title: string): TitleWords {
  const wanted = new Set(wordsOf(title));
  const words = new Uint8Array(texts.length);
  const known = new Uint8Array(texts.length);
  for (let b = 0; b < texts.length; b++) {
    const text = texts[b]!;
    const all = wordsOf(text.length > LONGEST_TITLE ? text.slice(0, LONGEST_TITLE) : text);
    words[b] = all.length;
    for (const word of all) {
      known[b]! += wanted.has(word) ? 1 : 0;
    }
  }
  return { count: wanted.size, words, known };
}

const WORD = /[\p{L}\p{N}]{2,}/gu;
/** The same where there are no other letters, and faster. */
const PLAIN_WORD = /[a-z0-9]{2,}/g;
function wordsOf(text: string): string[] {
  const lower = text.toLowerCase();
  return lower.match(isAscii(lower) ? PLAIN_WORD : WORD) ?? [];
}
