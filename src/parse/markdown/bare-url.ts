const START = /(?:https?:\/\/|ftp:\/\/|www\.)(?=[\p{L}\p{N}])/iuy;
const DOMAIN = /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*/uy;
const BEFORE_NAME = /[\s*_~([]/;
const TRAILING = new Set('?!.,:*_~\'"');
const LETTER_OR_DIGIT = /[A-Za-z0-9]/;

/** The end of a URL that stands in the text without any markup (GFM), or -1 where none begins. */
export function bareUrlEnd(text: string, at: number, inBrackets: boolean): number {
  START.lastIndex = at;
  const prefix = START.exec(text)?.[0];
  if (prefix === undefined) {
    return -1;
  }
  const isNamed = prefix.toLowerCase() === 'www.';
  if (at > 0 && (isNamed ? !BEFORE_NAME.test(text[at - 1]!) : LETTER_OR_DIGIT.test(text[at - 1]!))) {
    return -1;
  }
  DOMAIN.lastIndex = at + (isNamed ? 0 : prefix.length);
  const segments = DOMAIN.exec(text)![0].split('.');
  if ((isNamed && segments.length < 2) || segments.slice(-2).some((segment) => segment.includes('_'))) {
    return -1;
  }
  return withoutTrailing(text, at, runEnd(text, DOMAIN.lastIndex, inBrackets));
}

/** Where white space, a `<`, or the end of the brackets around it stands. */
function runEnd(text: string, from: number, inBrackets: boolean): number {
  let depth = 0;
  let end = from;
  for (; end < text.length; end++) {
    const character = text[end]!;
    if (character === '<' || character <= ' ') {
      break;
    }
    if (character === '[') {
      depth++;
    } else if (character === ']' && --depth < 0 && inBrackets) {
      break;
    }
  }
  return end;
}

/** Punctuation at the end belongs to the sentence, and so does a parenthesis that was not opened in the URL. */
export function withoutTrailing(text: string, start: number, from: number): number {
  let unopened = 0;
  for (let i = start; i < from; i++) {
    if (text[i] === ')') {
      unopened++;
    } else if (text[i] === '(') {
      unopened--;
    }
  }
  let end = from;
  for (;;) {
    const last = text[end - 1]!;
    if (TRAILING.has(last)) {
      end--;
    } else if (last === ')' && unopened > 0) {
      end--;
      unopened--;
    } else if (last === ';') {
      end = beforeReference(text, start, end);
    } else {
      return end;
    }
  }
}

/** In front of an `&name;` that ends here, or of the semicolon alone. */
function beforeReference(text: string, start: number, end: number): number {
  let i = end - 2;
  while (i > start && LETTER_OR_DIGIT.test(text[i]!)) {
    i--;
  }
  return text[i] === '&' && i < end - 2 ? i : end - 1;
}
