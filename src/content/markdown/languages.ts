import type { Element } from '../element.js';
import { guessedLanguage } from './guess-language.js';

/** What highlighters call "no language". */
const NONE = new Set(
  'none text txt plain plaintext nohighlight no-highlight undefined null output unknown raw source'.split(' '),
);

const ALIASES = new Map(
  Object.entries({
    python3: 'python',
    py3: 'python',
    ipython: 'python',
    ipython3: 'python',
    pycon3: 'pycon',
    'c++': 'cpp',
    'c#': 'csharp',
    jscript: 'js',
    'html+django': 'django',
    'html+jinja': 'jinja',
  }),
);

/** Names that are a language where a code block has them for a class, without a word that says so. */
const KNOWN = new Set(
  (
    'bash sh shell zsh fish console powershell ps1 batch python python3 py pycon ruby rb perl php java kotlin scala groovy clojure c cpp ' +
    'c++ csharp fsharp objc objectivec swift go golang rust rs zig nim d dart javascript js jsx typescript ts tsx json json5 jsonc html ' +
    'xml css scss sass less sql pgsql plpgsql mysql yaml yml toml ini properties makefile cmake dockerfile diff patch markdown md rst ' +
    'latex tex r julia matlab octave haskell hs ocaml elixir erlang elm lua vim nginx apache http graphql proto protobuf wasm asm nasm ' +
    'llvm fortran ada cobol pascal lisp scheme racket prolog tcl awk sed vue svelte django jinja erb haml pug'
  ).split(' '),
);

const PREFIXES = [
  'language-',
  'lang-',
  'highlight-source-',
  'highlight-text-',
  'highlight-',
  'source-',
  'src-',
  'brush-',
  'code-',
];
/** Words that begin as a language's name would, and are none. */
const NOT_LANGUAGES = new Set(
  'block wrapper wrap example container toolbar header title content lines line inner area copy group box'.split(' '),
);

const NAME = /^[a-z0-9][a-z0-9+#._-]{0,29}$/;

function normal(word: string): string | null {
  const lower = word.toLowerCase().replace(/;$/, '');
  if (NONE.has(lower)) return '';
  const name = ALIASES.get(lower) ?? lower;
  return NAME.test(name) ? name : null;
}

/** The language that an element says its code is in: '' for plain text, null where it says nothing. */
function languageOfElement(element: Element, isCode: boolean): string | null {
  const stated =
    element.attribute('data-lang') ?? element.attribute('data-language') ?? element.attribute('data-code-language');
  if (stated !== null && stated !== '') return normal(stated);
  const { classes } = element;
  for (const [i, each] of classes.entries()) {
    const lower = each.toLowerCase();
    if (lower === 'brush:' && classes[i + 1] !== undefined) return normal(classes[i + 1]!);
    if (lower.startsWith('brush:')) return normal(lower.slice('brush:'.length));
    const prefix = PREFIXES.find((start) => lower.startsWith(start));
    if (prefix === undefined || lower.length === prefix.length) continue;
    const word = lower.slice(prefix.length);
    if (prefix === 'code-' ? KNOWN.has(word) : !NOT_LANGUAGES.has(word)) return normal(word);
  }
  if (!isCode && !classes.some((each) => /^(?:highlight|sourcecode|codehilite|hljs|prettyprint)$/i.test(each)))
    return null;
  const known = classes.find((each) => KNOWN.has(each.toLowerCase()));
  if (known !== undefined) return normal(known);
  const lang = isCode ? element.attribute('lang') : null;
  return lang !== null && KNOWN.has(lang.toLowerCase()) ? normal(lang) : null;
}

const LOOKED_UP = 6;
/** Further up, a class speaks of the page. */
const OUTSIDE = new Set(['html', 'body', 'main', 'article', 'section', 'li', 'dd']);

/** The language of a code block as its page says, '' where that is none or unknown. */
export function languageOf(pre: Element, text: string): string {
  const stated = statedLanguage(pre);
  // Sphinx colours a session as one and calls it Python.
  const isOpen = stated === null || stated === 'default' || (stated === 'python' && text.startsWith('>>> '));
  const language = isOpen ? guessedLanguage(pre, text) : stated;
  // Sphinx takes code for Python if nothing else is said, and colours it if it was.
  return language === '' && stated === 'default' && isColoured(pre) ? 'python' : language;
}

const isColoured = (pre: Element): boolean =>
  pre.children.some((child) => typeof child !== 'string' && child.classes.length > 0);

/** By what it is, by the `code` in it, by what stands closely around it. */
function statedLanguage(pre: Element): string | null {
  const inner = pre.children.find((child): child is Element => typeof child !== 'string' && child.name === 'code');
  for (const element of inner === undefined ? [pre] : [inner, pre]) {
    const language = languageOfElement(element, true);
    if (language !== null) return language;
  }
  let up = pre.parent;
  for (let steps = 0; up !== null && steps < LOOKED_UP && !OUTSIDE.has(up.name); steps++, up = up.parent) {
    const language = languageOfElement(up, false);
    if (language !== null) return language;
  }
  return null;
}
