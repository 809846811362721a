import { LEVELS } from './block-boxes.js';

/** Of features that are yes or no, or how near: what they say where they do, and where they do not. */
type Words = string | readonly [yes: string, no: string];

const OWN: Readonly<Record<string, Words>> = {
  chars: 'its length',
  links: 'its share of links',
  words: 'its number of words',
  sentences: 'its number of sentences',
  commas: 'its number of commas',
  upper: 'its share of capitals',
  digits: 'its share of digits',
  anchors: 'its links to places on the page',
  outside: 'its links to other sites',
  linkCount: 'its number of links',
  ends: 'the sign that it ends with',
  starts: 'the sign that it begins with',
  breaks: 'its line breaks',
  brackets: 'its bars, dots and slashes',
  bold: 'its bold words',
  titleWords: 'how much of it the title has too',
  titleShare: 'how much of the title it has',
  isP: ['being a paragraph', 'being no paragraph'],
  isLi: ['being an item of a list', 'being in no list'],
  isHeading: ['being a heading', 'being no heading'],
  isCell: ['being a cell', 'being no cell'],
  isPre: ['being code', 'being no code'],
  isCaption: ['being a caption', 'being no caption'],
  isTerm: ['being part of a definition list', 'being in no definition list'],
  isQuote: ['being a quote', 'being no quote'],
  isSummary: ['being a summary', 'being no summary'],
  isTime: ['a time in it', 'no time in it'],
  placeChars: 'its place on the page',
  placeBlocks: 'its place on the page',
  proseBefore: 'how much text is before it',
  proseAfter: 'how much text is behind it',
  afterTitle: 'whether it is behind the title',
  fromTitle: 'how far it is from the title',
  isTitle: 'how far it is from the title',
  depth: 'how deep it stands in the page',
  headingLeads: ['a heading above it that leads elsewhere', 'no heading above it that leads elsewhere'],
  headingNear: 'how near its heading is',
  headingBlocks: 'how near its heading is',
  headingProse: 'how much text is under its heading',
  headingRank: 'the rank of its heading',
  boxLead: 'how the box around it begins',
  boxLeads: 'how the box around it begins',
  boxText: 'how much text is in that box',
  boxLinks: 'the share of links in that box',
  twins: 'boxes that look like its own',
  twinLevel: 'boxes that look like its own',
  twinText: 'the length of boxes like its own',
  pathBlocks: 'blocks with the same tag path',
  pathText: 'the length of blocks with the same tag path',
  pathLinks: 'the links of blocks with the same tag path',
  sameText: 'how often the page says it',
  coreUp: 'how far it is from where most sentences stand',
  coreDown: 'how far it is from where most sentences stand',
  coreProse: 'how much text it shares a box with',
  inMain: ['being in what the page calls its main part', 'being in nothing that the page calls its main part'],
  inBest: ['being in the box that says most', 'being outside of the box that says most'],
  bestProse: 'how much of the text the best box has',
  sentenceBefore: 'how near the sentences before it are',
  sentenceAfter: 'how near the sentences behind it are',
  longBefore: 'how near the long paragraphs before it are',
  longAfter: 'how near the long paragraphs behind it are',
  furniture: 'the furniture around it',
  furnitureProse: 'how much text the furniture around it has',
  contentProse: 'how much text the box called content has',
  pageText: 'how much text the page has',
  pageLinks: 'the share of links on the page',
  pageProse: 'the share of sentences on the page',
  pageBlocks: 'how many blocks the page has',
  pageTitles: 'how many titles the page has',
  common: ['other pages of the site saying it too', 'no other page of the site saying it'],
  lower: 'its share of words that begin with a small letter',
  short: 'its share of short words',
  wordLength: 'the length of its words',
  social: 'its links to networks',
  shop: 'its links to shops',
  foreign: 'its links to other sites',
  slanted: 'how much of it is slanted',
  strong: 'how much of it is bold',
  small: 'how much of it is small',
  signUp: ['asking to sign up or to give', 'not asking to sign up or to give'],
  network: ['naming networks or apps', 'naming no networks or apps'],
  buys: ['words of shops in it', 'no words of shops in it'],
  discloses: ['naming sponsors or sources', 'naming no sponsors or sources'],
  described: ['standing in what the page says of itself', 'not standing in what the page says of itself'],
  inData: [
    'standing in the text that the page gives to machines',
    'not standing in the text that the page gives to machines',
  ],
  pictureBefore: ['a picture before it', 'no picture before it'],
  pictureAfter: ['a picture behind it', 'no picture behind it'],
  pathProse: 'how much text blocks with the same tag path have',
  aheadProse: 'how much text is right behind it',
  aheadLinks: 'the share of links right behind it',
  behindProse: 'how much text is right before it',
  behindLinks: 'the share of links right before it',
  farAheadProse: 'the share of sentences behind it',
  farBehindProse: 'the share of sentences before it',
  sectionProse: 'how much text its section has',
  sectionLinks: 'the share of links in its section',
  sectionBlocks: 'how many blocks its section has',
  fromByline: 'how far it is from the last date or author',
  guess: 'the rough guess by rules',
  guessNear: 'what the rough guess keeps next to it',
  pageShared: 'what the page tells social networks',
  pageCode: 'how much code the page has',
  pageTerms: 'how many terms the page defines',
  pageImages: 'how many pictures the page has',
  pageTables: 'how many tables the page has',
};

/** At which step the rough guess leaves a block out, see `guess`. */
const GUESS: Readonly<Record<number, string>> = {
  0: 'the rough guess by rules (it keeps it)',
  1: 'the rough guess by rules (furniture by its names)',
  2: 'the rough guess by rules (outside of the main part)',
  3: 'the rough guess by rules (outside of the container that it chooses)',
  4: 'the rough guess by rules (it leads elsewhere or asks for something)',
};

const BOX: Readonly<Record<string, string>> = {
  text: 'how much text is in',
  links: 'the share of links in',
  prose: 'the share of sentences in',
  blocks: 'how many blocks are in',
  share: "how much of the page's text is in",
  images: 'how many pictures are in',
  fields: 'how many fields are in',
  short: 'the share of short blocks in',
};
const AROUND = ['its box', 'the box around that', 'the third box around it', 'the fourth box around it'] as const;

const NEIGHBOUR: Readonly<Record<string, string>> = {
  chars: 'the length of',
  links: 'the share of links of',
  up: 'how near in the page is',
  leads: 'how begins',
  tag: 'the tag of',
};
const NEXT: Readonly<Record<string, string>> = {
  prev2: 'the block before the one before',
  prev: 'the block before',
  next: 'the next block',
  next2: 'the block after the next',
};

/** A feature in plain words, as part of a sentence behind "for". `value` is what the block has. */
export function wordsOfFeature(name: string, value: number, far: number): string {
  const [first, rest] = split(name);
  if (first === 'says') {
    return value === 1 ? `beginning like “${rest}”` : `not beginning like “${rest}”`;
  }
  if (first === 'in') {
    return value < far ? `being in a box called “${rest}”` : `being in no box called “${rest}”`;
  }
  if (name === 'guess' && GUESS[value] !== undefined) {
    return GUESS[value];
  }
  const level = Number(/^up(\d)$/.exec(first)?.[1] ?? 0);
  if (level >= 1 && level <= LEVELS && BOX[rest] !== undefined) {
    return `${BOX[rest]} ${AROUND[level - 1]}`;
  }
  if (NEXT[first] !== undefined && NEIGHBOUR[rest] !== undefined) {
    return `${NEIGHBOUR[rest]} ${NEXT[first]}`;
  }
  const words = OWN[name] ?? name;
  return typeof words === 'string' ? words : words[value > 0 ? 0 : 1];
}

const split = (name: string): [string, string] => {
  const space = name.indexOf(' ');
  return space === -1 ? [name, ''] : [name.slice(0, space), name.slice(space + 1)];
};
