import type { Element } from '../element.js';

/** What words in classes and ids say of a box, and what kind of element it is. The place of an entry is its bit. */
const WORDS: readonly (readonly [name: string, words: string])[] = [
  [
    'nav',
    'nav\\w*|menus?|submenu|breadcrumbs?|pagination|paginat\\w*|pager|paging|topbar|toolbar|prev|previous|next|skip|navigat\\w*|back|dropdown|tabs?|sitemap|anchors?',
  ],
  [
    'share',
    'shar\\w*|social\\w*|follow\\w*|facebook|twitter|whatsapp|linkedin|pinterest|telegram|addthis|addtoany|sns|teilen|compartir|partage\\w*',
  ],
  [
    'related',
    'relat\\w*|recommend\\w*|popular|trending|more|most|latest|recent\\w*|also|read ?more|readmore|similar|further|upnext|outbrain|taboola|mehr|verwandt\\w*|weitere\\w*|associated|other|others|suggest\\w*|crp|yarpp|jp relatedposts|linkbox|lesen|recirc\\w*',
  ],
  [
    'teaser',
    'teasers?|cards?|tiles?|grid|items?|carousel|slider|slides?|swiper|feed|listing|lists?|loop|previews?|thumb\\w*|river|stream|promo ?box|ranking|columns?|archive',
  ],
  [
    'comment',
    'comments?|commentlist|commentary|disqus|respond|responses?|discussion|repl(?:y|ies)|webmentions?|kommentare?|comentarios?|commentaires?|forum|opinions?',
  ],
  [
    'newsletter',
    'newsletters?|subscri\\w*|signup|sign|login|log ?in|register|registration|optin|mailchimp|cta|call|action|account|user|abo|paywall|piano|regwall|donat\\w*|support|spenden?|membership',
  ],
  [
    'ad',
    'ads?|adv|advert\\w*|anzeigen?|sponsor\\w*|promo\\w*|banners?|affiliate\\w*|werbung|commercial|marketing|publicidad|pub|dfp|gpt|adsense|deals?|shopping|partner',
  ],
  [
    'author',
    'authors?|author ?\\w*|bio|byline|bylines|writer|autor\\w*|vcard|profile|avatar|biograph\\w*|contributors?|verfasser|signature|redakteur',
  ],
  [
    'meta',
    'meta\\w*|date\\w*|time|timestamp|published|posted|info|infos|details|created|updated|modified|reading ?time|views|stats?|counts?|dateline',
  ],
  [
    'tags',
    'tags?|tagged|taglist|tagcloud|categor\\w*|topics?|keywords?|labels?|kicker|overline|taxonomy|section ?name|schlagwort\\w*|rubrik|themen|etiquetas|terms|roofline|eyebrow|dachzeile',
  ],
  ['footer', '\\w*footer\\w*|foot|colophon|imprint|impressum|bottom|footnav|fuss\\w*|disclaimer'],
  [
    'side',
    'side\\w*|aside|widgets?|rail|margin\\w*|complementary|right|left|secondary|rightcol\\w*|leftcol\\w*|tertiary|col ?right|col ?left|extra|supplement\\w*|marginal\\w*',
  ],
  ['header', 'headers?|head|masthead|site ?title|branding|brand|logo|top|hero|kopf|siteheader|page ?header'],
  [
    'overlay',
    'cookies?\\w*|consent|gdpr|onetrust|modal\\w*|popup|pop|overlay|dialog|lightbox|tooltip|toast|snackbar|privacy|alert|notice|notification|message|hinweis|warning|interstitial|drawer|offcanvas|layer|flyout',
  ],
  [
    'content',
    'content|contents|main|body|text|texts|copy|prose|richtext|rte|rich|inhalt|texte|contenido|cuerpo|corps|paragraphs?|richtexteditor|wysiwyg|absatz|userhtml|html|bodytext|maincontent|freitext|fliesstext|textblock|ce|csc',
  ],
  [
    'article',
    'articles?|posts?|entry|story|artikel|beitrag|nota|noticia|news|blog|hentry|single|page|node|detail|articulo|meldung|press',
  ],
  [
    'body',
    'article(?:body| body|content| content|text| text| main)|entry(?: content|content| body|body| text)|post(?: content|content| body|body| text|text)|story(?:body| body|content| content|text| text)|single content|field name body|field type text with summary|text formatted|field body|content body|blog ?content|body content|news ?(?:text|body|content|detail)|artikeltext|artikelbody|article ?copy|nota cuerpo|detail ?text|page ?content|td post content|paragraph text|content text|main ?text|rich ?text|storycontent|bodytext|theme post content',
  ],
  [
    'caption',
    'captions?|wp caption|figure|fig|image|images?|img|gallery|media|photos?|credits?|foto\\w*|bild\\w*|bu|picture|copyright|quelle|source|video|player|audio|embed\\w*|bildunterschrift|caption text|legende|pie',
  ],
  [
    'title',
    'titles?|headlines?|heading|titel|titulo|titre|subject|h1|h2|h3|subhead|uberschrift|ueberschrift|headings?|subheadings?|zwischentitel',
  ],
  [
    'intro',
    'intro\\w*|lead|leads|lede|dek|standfirst|excerpt|summary|abstract|subtitle|sub ?headline|subline|vorspann|teasertext|chapo|bajada|entradilla|subtitulo|untertitel|introduction|einleitung|sommaire|description|desc|deck|sapo|ingress|einstieg|anriss|lead ?text',
  ],
  [
    'tool',
    'search\\w*|forms?|print\\w*|ratings?|votes?|feedback|helpful|tools?|likes?|reactions?|polls?|survey|options?|controls?|buttons?|btn|icons?|download|share ?bar|filters?|input|submit|suche|calculator|quiz',
  ],
  ['legal', 'copyright|legal|rights|licen[cs]e|terms|datenschutz|imprint|agb'],
  [
    'note',
    'infobox|factbox|box|callout|notes?|footnotes?|admonition|sidebar ?box|kasten|infokasten|references?|endnotes?|quote|pullquote|zitat|highlight\\w*|keypoints|key|takeaways?|faq|accordion|zusammenfassung|accordeon|collapse|collapsible',
  ],
  [
    'toc',
    'toc(?:s|set|view|list|bar|box|nav|menu)?|table ?of ?contents|on ?this ?page|inhaltsverzeichnis|jump|lwptoc|ez toc|anchor ?list|outline',
  ],
  [
    'shop',
    'products?|price|cart|shop|warenkorb|checkout|offers?|basket|add to cart|buy|wishlist|bewertung\\w*|reviews?|woocommerce|sku',
  ],
  [
    'hidden',
    'hide|hidden|invisible|collapsed|none|print ?only|mobile|desktop|sr|only|screen|reader|noscript|offscreen',
  ],
];

/** Elements and roles that say what they are for. Their bits come after those of the words. */
const ELEMENTS: readonly (readonly [name: string, elements: string, roles: string])[] = [
  ['<article>', 'article', 'article'],
  ['<main>', 'main', 'main'],
  ['<aside>', 'aside', 'complementary'],
  ['<footer>', 'footer', 'contentinfo'],
  ['<header>', 'header hgroup', 'banner'],
  ['<nav>', 'nav menu', 'navigation menu menubar'],
  ['<section>', 'section', 'region'],
  ['<form>', 'form dialog', 'form search dialog alertdialog'],
  ['<table>', 'table', ''],
  ['<ul>', 'ul ol', 'list'],
  ['<figure>', 'figure picture', 'figure'],
  ['<blockquote>', 'blockquote', ''],
  ['<dl>', 'dl', ''],
  ['<details>', 'details', ''],
];

export const KINDS: readonly string[] = [
  ...WORDS.map(([name]) => name),
  ...ELEMENTS.map(([name]) => name),
  'articleBody',
];
const BODY = KINDS.length - 1;

const PATTERNS = WORDS.map(([, words]) => new RegExp(`(?:^| )(?:${words})(?= |$)`));
/** What names of more than one word have among them: all other patterns ask for one word each. */
const PHRASES = new RegExp(
  `(?:^| )(?:${WORDS.flatMap(([, words]) => alternatives(words).filter((each) => each.includes(' '))).join('|')})(?= |$)`,
);
const BY_ELEMENT = new Map<string, number>();
const BY_ROLE = new Map<string, number>();
for (const [place, [, elements, roles]] of ELEMENTS.entries()) {
  for (const each of elements.split(' ')) {
    BY_ELEMENT.set(each, WORDS.length + place);
  }
  for (const each of roles === '' ? [] : roles.split(' ')) {
    BY_ROLE.set(each, WORDS.length + place);
  }
}

const NONE: readonly number[] = [];
const LONGEST_NAME = 300;
const MOST_KNOWN = 20_000;
const known = new Map<string, readonly number[]>();

/** The kinds that an element is of, as places in `KINDS`. */
export function kindsOf(element: Element): readonly number[] {
  const byElement = BY_ELEMENT.get(element.name);
  const { attributes } = element;
  let names = '';
  let role = '';
  let isBody = false;
  for (let i = 0; i < attributes.length; i += 2) {
    const name = attributes[i]!;
    if (name === 'class' || name === 'id') {
      names += ` ${attributes[i + 1]!}`;
    } else if (name === 'role') {
      role = attributes[i + 1]!;
    } else if (name === 'itemprop') {
      isBody ||= attributes[i + 1] === 'articleBody' || attributes[i + 1] === 'text';
    }
  }
  const byWords = names === '' ? NONE : kindsOfNames(names);
  const byRole = role === '' ? undefined : BY_ROLE.get(role);
  if (byElement === undefined && byRole === undefined && !isBody) {
    return byWords;
  }
  const kinds = [...byWords];
  if (byElement !== undefined) {
    kinds.push(byElement);
  }
  if (byRole !== undefined) {
    kinds.push(byRole);
  }
  if (isBody) {
    kinds.push(BODY);
  }
  return kinds;
}

function kindsOfNames(names: string): readonly number[] {
  const short = names.length > LONGEST_NAME ? names.slice(0, LONGEST_NAME) : names;
  const kept = known.get(short);
  if (kept !== undefined) {
    return kept;
  }
  const words = wordsOf(short);
  let bits = 0;
  if (words.includes(' ') && PHRASES.test(words)) {
    bits = bitsOf(words);
  } else {
    for (const word of words.split(' ')) {
      bits |= bitsOfWord(word);
    }
  }
  const kinds: number[] = [];
  for (let kind = 0; kind < PATTERNS.length; kind++) {
    if (((bits >>> kind) & 1) === 1) {
      kinds.push(kind);
    }
  }
  if (known.size === MOST_KNOWN) {
    known.clear();
  }
  known.set(short, kinds);
  return kinds;
}

function bitsOf(words: string): number {
  let bits = 0;
  for (let kind = 0; kind < PATTERNS.length; kind++) {
    bits |= PATTERNS[kind]!.test(words) ? 1 << kind : 0;
  }
  return bits;
}

/** Sites share most of their vocabulary. */
const knownWords = new Map<string, number>();
function bitsOfWord(word: string): number {
  let bits = knownWords.get(word);
  if (bits === undefined) {
    bits = bitsOf(word);
    if (knownWords.size === MOST_KNOWN) {
      knownWords.clear();
    }
    knownWords.set(word, bits);
  }
  return bits;
}

/** The parts of a pattern that bars outside of its groups divide. */
function alternatives(pattern: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i <= pattern.length; i++) {
    const sign = pattern[i];
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    if (sign === undefined || (sign === '|' && depth === 0)) {
      parts.push(pattern.slice(from, i));
      from = i + 1;
    }
  }
  return parts;
}

/** `postShareBar` and `post-share-bar` are `post share bar`. */
const wordsOf = (names: string): string =>
  (POSTED.test(names) ? names.replace(LABELLED, ' ') : names)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z]+/g, ' ')
    .trim()
    .toLowerCase();

/** WordPress calls the box of a post by its categories, tags and states too. */
const POSTED = /\bhentry\b|\bpost-\d+\b|\bstatus-publish\b/;
const LABELLED = /(?:^| )(?:category|tag|author|has|status|format|type)-[^ ]*/g;
