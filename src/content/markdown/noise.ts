import { type Element, textOf } from '../element.js';
import { HEADINGS, UNREADABLE } from './names.js';

/** Signs that stand for "link to here". */
const PERMALINK_SIGN =
  /^(?:\s|\u200b|\u200c|\u200d)*(?:[¶#§∞🔗⚓]|link|anchor|permalink)?(?:\s|\u200b|\ufe0e|\ufe0f)*$/iu;

const NOISE_CLASSES = new Set(
  (
    'headerlink header-anchor hash-link heading-anchor anchor-link anchorjs-link permalink heading-link toc-backref-link ' +
    'srclink viewcode-link test-arrow copy-button copybtn copy-btn btn-copy clipboard-copy copy-path codeblock-copy buttonGroup copy ' +
    'mw-editsection edit-this-page theme-edit-this-page edit-link edit-page-link md-content__button page-edit ' +
    'sr-only visually-hidden visuallyhidden screen-reader-text screenreader-only noprint-copy mw-jump-link ' +
    'MathJax_Preview MathJax MathJax_Display MJX_Assistive_MathML katex-html mwe-math-fallback-image-inline ' +
    'copiable-anchor copiable-link ttc hideme out-of-band rightside t-example-live-link linenos lineno line-numbers-rows line-numbers-wrapper linenodiv gutter rouge-gutter hljs-ln-numbers codeLineNumber ' +
    'react-syntax-highlighter-line-number line-number linenumber lnt ln blob-num'
  ).split(' '),
);

const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** Whether an element is no part of what a person came to read: hidden, a control, a permalink, a line number. */
export function isNoise(element: Element): boolean {
  const { name } = element;
  if (UNREADABLE.has(name)) {
    return true;
  }
  if (element.attributes.length === 0) {
    return false;
  }
  if (element.classes.some((each) => NOISE_CLASSES.has(each))) {
    return !isWholeLine(element);
  }
  if (isHidden(element) || isLanguageLabel(element)) {
    return true;
  }
  return name === 'a' && isPermalink(element);
}

/** A highlighter that numbers lines may call the line itself by the name that others give to its number. */
function isWholeLine(element: Element): boolean {
  return element.hasClass('line') || (element.name === 'pre' && !element.hasClass('lineno'));
}

/** VitePress writes the language above the code. */
function isLanguageLabel(element: Element): boolean {
  return element.hasClass('lang') && element.parent?.classes.some((each) => each.startsWith('language-')) === true;
}

function isHidden(element: Element): boolean {
  const isTab = element.attribute('role') === 'tabpanel';
  if (element.has('hidden') && !isTab && element.attribute('hidden') !== 'until-found') {
    return true;
  }
  const style = element.attribute('style');
  if (style !== null && !isTab && HIDDEN_STYLE.test(style.slice(0, 1000))) {
    return true;
  }
  if (element.attribute('aria-hidden') !== 'true') {
    return false;
  }
  return (
    element.name === 'a' || element.name === 'i' || (element.name === 'span' && PERMALINK_SIGN.test(shortText(element)))
  );
}

const LONGEST_SIGN = 40;

function shortText(element: Element): string {
  const text = textOf(element);
  return text.length > LONGEST_SIGN ? 'x' : text;
}

/** A link to a place on the page whose text is a sign for that. */
function isPermalink(element: Element): boolean {
  if (!(element.attribute('href') ?? '').includes('#')) {
    return false;
  }
  if (element.hasClass('anchor') || element.hasClass('fn-backref')) {
    return PERMALINK_SIGN.test(shortText(element));
  }
  const holdsPicture = element.children.some((child) => typeof child !== 'string' && child.name === 'img');
  return !holdsPicture && isInHead(element) && PERMALINK_SIGN.test(shortText(element));
}

function isInHead(element: Element): boolean {
  for (let up = element.parent, steps = 0; up !== null && steps < 3; up = up.parent, steps++) {
    if (HEADINGS.has(up.name) || up.name === 'dt' || up.name === 'caption' || up.name === 'figcaption') {
      return true;
    }
  }
  return false;
}

const SOURCE_SIGNS = new Set(['[source]', '[edit]', '[src]', '[−]', '[+]', '[-]']);
const SOURCE_WORDS = new Set(['source', 'view source', 'edit']);
const SOURCE_CLASS = /(?:^|-)(?:\w*src|source|edit)(?:-|$)/i;

/** `[source]` behind a signature and its like: the whole text of the link, whatever its class; a bare word where the class says the same. */
export function isSourceLink(element: Element): boolean {
  if (element.name !== 'a') {
    return false;
  }
  const text = shortText(element).trim().toLowerCase();
  return SOURCE_SIGNS.has(text) || (SOURCE_WORDS.has(text) && element.classes.some((each) => SOURCE_CLASS.test(each)));
}
