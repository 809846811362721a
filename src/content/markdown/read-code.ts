import type { Child, Element } from '../element.js';
import type { Code } from './model.js';
import { isNoise } from './noise.js';

/** Elements that are a line of their own within a code block. */
const LINE_ELEMENTS = new Set(['div', 'p', 'li', 'tr']);

/** What mdBook and rustdoc hide of an example until the reader asks. */
const HIDDEN_LINES = 'boring';

export function readCode(outer: Element): Code | null {
  // mdBook puts a `pre` into a `pre`.
  const pre =
    outer.children.find((child): child is Element => typeof child !== 'string' && child.name === 'pre') ?? outer;
  const text = codeText(pre)
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  if (text === '') {
    return null;
  }
  return { type: 'code', language: languageOf(pre, text), text };
}

/** The text of a code block as it is shown, white space and all. */
export function codeText(pre: Element): string {
  const pieces: string[] = [];
  let endsLine = true;
  const add = (text: string): void => {
    if (text === '') {
      return;
    }
    pieces.push(text);
    endsLine = text.endsWith('\n');
  };
  const visit = (node: Child): void => {
    if (typeof node === 'string') {
      add(node);
      return;
    }
    if (node.name === 'br') {
      add('\n');
    } else if (node.name === 'img') {
      add(node.attribute('alt') ?? '');
    }
    if (isNoise(node) || node.hasClass(HIDDEN_LINES)) {
      return;
    }
    const isLine = LINE_ELEMENTS.has(node.name);
    if (isLine && !endsLine) {
      add('\n');
    }
    const before = pieces.length;
    for (const child of node.children) {
      visit(child);
    }
    if (isLine && (!endsLine || pieces.length === before)) {
      add('\n');
    }
  };
  for (const child of pre.children) {
    visit(child);
  }
  // A no-break space would not compile, so it becomes a plain one; a zero-width space only marks where a line may break, so it goes.
  return pieces.join('').replaceAll('\u00a0', ' ').replaceAll('\u200b', '');
}

const CODE_TABLES = [
  'highlighttable',
  'rouge-table',
  'codehilitetable',
  'hljs-ln',
  'lntable',
  'gutter-table',
  'js-file-line-container',
];

/** A table that puts line numbers beside code: the `pre` with the code, or the rows that are its lines. */
export function readCodeTable(table: Element): Code | null {
  const isCode = CODE_TABLES.some((each) => table.hasClass(each)) || hasGutter(table);
  if (!isCode) {
    return null;
  }
  const pre = lastPre(table);
  return readCode(pre ?? table);
}

function hasGutter(table: Element): boolean {
  const cells = cellsOfFirstRow(table);
  if (cells.length !== 2) {
    return false;
  }
  const [gutter, code] = cells as [Element, Element];
  return (
    ['gutter', 'linenos', 'lineno', 'line-numbers', 'rouge-gutter'].some((each) => gutter.hasClass(each)) &&
    lastPre(code) !== null
  );
}

function cellsOfFirstRow(table: Element): Element[] {
  let element: Element | undefined = table;
  while (element !== undefined && element.name !== 'tr') {
    element = element.children.find(
      (child): child is Element => typeof child !== 'string' && /^(?:thead|tbody|tr)$/.test(child.name),
    );
  }
  return element?.children.filter((child): child is Element => typeof child !== 'string') ?? [];
}

/** Line numbers come first, so the code is in the last cell that is not noise. */
function lastPre(element: Element): Element | null {
  for (const child of element.children.toReversed()) {
    if (typeof child === 'string' || (child.name !== 'pre' && isNoise(child))) {
      continue;
    }
    const found = child.name === 'pre' ? child : lastPre(child);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

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
  if (NONE.has(lower)) {
    return '';
  }
  const name = ALIASES.get(lower) ?? lower;
  return NAME.test(name) ? name : null;
}

/** The language that an element says its code is in: '' for plain text, null if it says nothing. */
function languageOfElement(element: Element, isCode: boolean): string | null {
  const stated =
    element.attribute('data-lang') ?? element.attribute('data-language') ?? element.attribute('data-code-language');
  if (stated !== null && stated !== '') {
    return normal(stated);
  }
  const { classes } = element;
  for (const [i, each] of classes.entries()) {
    const lower = each.toLowerCase();
    if (lower === 'brush:' && classes[i + 1] !== undefined) {
      return normal(classes[i + 1]!);
    }
    if (lower.startsWith('brush:')) {
      return normal(lower.slice('brush:'.length));
    }
    const prefix = PREFIXES.find((start) => lower.startsWith(start));
    if (prefix === undefined || lower.length === prefix.length) {
      continue;
    }
    const word = lower.slice(prefix.length);
    if (prefix === 'code-' ? KNOWN.has(word) : !NOT_LANGUAGES.has(word)) {
      return normal(word);
    }
  }
  if (!isCode && !classes.some((each) => /^(?:highlight|sourcecode|codehilite|hljs|prettyprint)$/i.test(each))) {
    return null;
  }
  const known = classes.find((each) => KNOWN.has(each.toLowerCase()));
  if (known !== undefined) {
    return normal(known);
  }
  const lang = isCode ? element.attribute('lang') : null;
  return lang !== null && KNOWN.has(lang.toLowerCase()) ? normal(lang) : null;
}

const LOOKED_UP = 6;

/** Classes of these elements, and of those around them, describe the page and not the code. */
const OUTSIDE = new Set(['html', 'body', 'main', 'article', 'section', 'li', 'dd']);

/** The language of a code block as its page says, '' where that is none or unknown. */
function languageOf(pre: Element, text: string): string {
  const stated = statedLanguage(pre);
  // Sphinx highlights a console session as such, but names its language Python.
  const isOpen = stated === null || stated === 'default' || (stated === 'python' && text.startsWith('>>> '));
  const language = isOpen ? guessedLanguage(pre, text) : stated;
  // Sphinx writes `default` where the author gave no language, and highlights such code only if it is Python.
  return language === '' && stated === 'default' && isColoured(pre) ? 'python' : language;
}

const isColoured = (pre: Element): boolean =>
  pre.children.some((child) => typeof child !== 'string' && child.classes.length > 0);

/** Looks at the `code` in the block, at the block itself, then at the elements closely around it. */
function statedLanguage(pre: Element): string | null {
  const inner = pre.children.find((child): child is Element => typeof child !== 'string' && child.name === 'code');
  for (const element of inner === undefined ? [pre] : [inner, pre]) {
    const language = languageOfElement(element, true);
    if (language !== null) {
      return language;
    }
  }
  let up = pre.parent;
  for (let steps = 0; up !== null && steps < LOOKED_UP && !OUTSIDE.has(up.name); steps++, up = up.parent) {
    const language = languageOfElement(up, false);
    if (language !== null) {
      return language;
    }
  }
  return null;
}

const SQL_OBJECTS =
  'table view index function procedure trigger type domain schema sequence role user group database extension operator aggregate cast rule ' +
  'policy publication subscription server language collation conversion tablespace statistics system transform ' +
  'dictionary parser configuration template method wrapper mapping object privileges class family';

const COMMENTS = '^(?:\\s*--.*\\n)*\\s*';

/** Beginnings that occur only in SQL. */
const SQL_STATEMENT = new RegExp(
  `${COMMENTS}(?:(?:select|insert into|delete from|update \\S+ set)\\b|(?:create|alter|drop)(?: [a-z]+){0,4}? (?:${SQL_OBJECTS.replaceAll(' ', '|')})\\b)`,
  'i',
);

/** Beginnings that occur in other languages too, so that the statement also has to end like SQL. */
const SQL_COMMAND = new RegExp(
  `${COMMENTS}(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|START|WITH|SET|RESET|SHOW|COPY|VACUUM|ANALYZE|EXPLAIN|GRANT|REVOKE|DECLARE|FETCH|MOVE|` +
    'PREPARE|EXECUTE|LISTEN|NOTIFY|LOCK|REINDEX|CLUSTER|COMMENT|DO|VALUES|TABLE|MERGE|TRUNCATE|REFRESH|CALL|UPDATE|LOAD|SECURITY|IMPORT)\\b',
);

const ENDS_IN_SEMICOLON = /;[ \t]*(?:--.*)?$/m;

/** What a client of a database answers: rules of a table, numbers of rows. */
const SQL_ANSWER = /^ ?-{3,}[-+ ]*$|^\(\d+ rows?\)|^(?:ERROR|NOTICE|HINT|DETAIL): /m;

const ENDS_AS_STATEMENT = /;[ \t]*(?:--.*)?$/;

const SHELL_PROMPT = /^\$ \S/;

const ENDS_JAVA_LINE = /[;{][ \t]*(?:\/[/*].*)?$/m;

const NO_JAVA = /^\s*[<$#%]/;

const CALL = /\w\(.*\)/;

/** Languages that pages of a kind do not state and code of that kind shows beyond doubt; '' for all else. */
function guessedLanguage(pre: Element, text: string): string {
  if (text.startsWith('>>> ')) {
    return 'pycon';
  }
  if (pre.hasClass('programlisting') || pre.hasClass('screen')) {
    return languageInDocBook(pre, text);
  }
  return isDeclaration(pre) || (isInComment(pre) && looksLikeJava(pre, text)) ? 'java' : '';
}

function languageInDocBook(pre: Element, text: string): string {
  if (SHELL_PROMPT.test(text)) {
    return 'console';
  }
  // A `screen` may show output after a statement, so it has to end as a statement.
  const isWhole = !pre.hasClass('screen') || ENDS_AS_STATEMENT.test(text);
  return isWhole && isSql(text) ? 'sql' : '';
}

const isSql = (text: string): boolean =>
  !SQL_ANSWER.test(text) && (SQL_STATEMENT.test(text) || (SQL_COMMAND.test(text) && ENDS_IN_SEMICOLON.test(text)));

const DEEPEST_COMMENT = 20;

const JAVADOC = new Set(
  'class-description package-description module-description detail class-uses description details'.split(' '),
);

/** What javadoc itself writes of fields, on the page of serialized forms. */
const isDeclaration = (pre: Element): boolean => pre.parent?.name === 'section' && pre.parent.hasClass('detail');

/** Whether code stands in a comment that javadoc has made a page of. */
function isInComment(pre: Element): boolean {
  let isInBlock = false;
  let up = pre.parent;
  for (let steps = 0; up !== null && steps < DEEPEST_COMMENT; steps++, up = up.parent) {
    if (up.hasClass('block')) {
      isInBlock = true;
    } else if (isInBlock && up.classes.some((each) => JAVADOC.has(each))) {
      return true;
    }
  }
  return false;
}

function looksLikeJava(pre: Element, text: string): boolean {
  if (NO_JAVA.test(text)) {
    return false;
  }
  const isMarked = pre.children.some((child) => typeof child !== 'string' && child.name === 'code');
  return ENDS_JAVA_LINE.test(text) || (isMarked && CALL.test(text));
}
