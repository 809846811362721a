/** Part of a selector that is CSS, perhaps, but cannot be used here. */
export class UnusablePart extends Error {
  /** As it stands in the selector, in lower case: its first place is told. */
  readonly part: string;

  constructor(part: string, message: string) {
    super(message);
    this.part = part;
  }
}

export interface SelectorFault {
  /** The first character is 0. */
  place: number;
  what: string;
}

/** css-what ends these messages with all that it has not read. */
const UNREAD = /^(?:Unmatched selector: |Expected name, found )([\s\S]*)$/;
const CLOSED_BY: Readonly<Record<string, string>> = { '(': ')', '[': ']' };

/** What is wrong with the signs of a selector, whatever stands between them. css-what passes over some of it. */
export function faultOfSigns(text: string): SelectorFault | null {
  if (text.trim() === '') {
    return { place: 0, what: 'nothing stands there' };
  }
  const masked = withoutQuoted(text);
  return openBracket(text, masked) ?? misplacedSign(masked);
}

/** Where in a selector an error comes from, and what it means in plain words. */
export function selectorFault(text: string, error: unknown): SelectorFault {
  if (error instanceof RangeError) {
    return { place: 0, what: 'too many brackets within each other' };
  }
  const { message } = error as Error;
  const part = error instanceof UnusablePart ? error.part : /:[\w-]+/.exec(message)?.[0];
  const place = part === undefined ? -1 : withoutQuoted(text).toLowerCase().indexOf(part);
  if (place !== -1) {
    return { place, what: message };
  }
  const unread = UNREAD.exec(message);
  if (unread !== null) {
    const unreadAt = text.length - unread[1]!.length;
    return {
      place: unreadAt,
      what: unreadAt < text.length ? `"${text[unreadAt]}" cannot stand there` : 'it ends too early',
    };
  }
  return { place: 0, what: message };
}

/** Quoted text, comments and what is escaped as underscores; a quote that is not closed stays. */
function withoutQuoted(text: string): string {
  return text.replace(/\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\/\*[\s\S]*?\*\//g, (each) =>
    '_'.repeat(each.length),
  );
}

function openBracket(text: string, masked: string): SelectorFault | null {
  const open: number[] = [];
  for (let i = 0; i < masked.length; i++) {
    const sign = masked[i]!;
    if (sign === '"' || sign === "'") {
      return { place: i, what: `the ${sign} is not closed` };
    }
    if (sign === '(' || sign === '[') {
      open.push(i);
    } else if (sign === ')' || sign === ']') {
      const opened = open.pop();
      if (opened === undefined) {
        return { place: i, what: `nothing is open that the "${sign}" could close` };
      }
      if (CLOSED_BY[text[opened]!] !== sign) {
        return { place: opened, what: `the "${text[opened]}" is not closed` };
      }
    }
  }
  return open.length === 0 ? null : { place: open.at(-1)!, what: `the "${text[open.at(-1)!]}" is not closed` };
}

/** A combinator or a comma with nothing before or behind it. */
function misplacedSign(masked: string): SelectorFault | null {
  const outside = masked.replace(/\[[^\]]*\]/g, (each) => '_'.repeat(each.length));
  const doubled = /([.#:])(?=[.#])/.exec(outside);
  if (doubled !== null) {
    return { place: doubled.index + 1, what: `"${outside[doubled.index + 1]}" cannot stand there` };
  }
  const beside = /([>+~,])\s*(?=[>+~,)]|$)/.exec(outside) ?? /(?<=^|\()\s*(,)/.exec(outside);
  if (beside === null) {
    return null;
  }
  const place = beside.index + beside[0].indexOf(beside[1]!);
  return { place, what: `something is missing beside the "${beside[1]}"` };
}
