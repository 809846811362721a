import type { Element } from '../element.js';

const SQL_OBJECTS =
  'table view index function procedure trigger type domain schema sequence role user group database extension operator aggregate cast rule ' +
  'policy publication subscription server language collation conversion tablespace statistics system transform ' +
  'dictionary parser configuration template method wrapper mapping object privileges class family';
const COMMENTS = '^(?:\\s*--.*\\n)*\\s*';
/** Beginnings that nothing but SQL has. */
const SQL_STATEMENT = new RegExp(
  `${COMMENTS}(?:(?:select|insert into|delete from|update \\S+ set)\\b|(?:create|alter|drop)(?: [a-z]+){0,4}? (?:${SQL_OBJECTS.replaceAll(' ', '|')})\\b)`,
  'i',
);
/** Beginnings that others have too: such a statement has to end as one. */
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
export function guessedLanguage(pre: Element, text: string): string {
  if (text.startsWith('>>> ')) return 'pycon';
  if (pre.hasClass('programlisting') || pre.hasClass('screen')) return languageInDocBook(pre, text);
  return isDeclaration(pre) || (isInComment(pre) && looksLikeJava(pre, text)) ? 'java' : '';
}

function languageInDocBook(pre: Element, text: string): string {
  if (SHELL_PROMPT.test(text)) return 'console';
  // What a screen shows may go on with an answer.
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
    if (up.hasClass('block')) isInBlock = true;
    else if (isInBlock && up.classes.some((each) => JAVADOC.has(each))) return true;
  }
  return false;
}

function looksLikeJava(pre: Element, text: string): boolean {
  if (NO_JAVA.test(text)) return false;
  const isMarked = pre.children.some((child) => typeof child !== 'string' && child.name === 'code');
  return ENDS_JAVA_LINE.test(text) || (isMarked && CALL.test(text));
}
