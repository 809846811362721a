/** The offset of the first character that cannot be JSON, or null when all of it is. Node 20 does not always name the place. */
export function findJsonFault(text: string): number | null {
  const token =
    /[\t\n\r ]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;
  let at = 0;

  function next(): string {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) {
      return '';
    }
    at = token.lastIndex;
    return match[1] ?? (match[2] === undefined ? 'value' : 'string');
  }

  /** Takes the token if it is one of these; otherwise stands at it. */
  function accept(...kinds: string[]): string {
    const before = at;
    const kind = next();
    if (!kinds.includes(kind)) {
      at = before;
      return '';
    }
    return kind;
  }

  function value(): boolean {
    switch (accept('string', 'value', '{', '[')) {
      case '{':
        return accept('}') !== '' || sequence('}', () => accept('string') !== '' && accept(':') !== '' && value());
      case '[':
        return accept(']') !== '' || sequence(']', value);
      case '':
        return false;
      default:
        return true;
    }
  }

  function sequence(end: string, item: () => boolean): boolean {
    while (item()) {
      const after = accept(',', end);
      if (after !== ',') {
        return after === end;
      }
    }
    return false;
  }

  const whole = value();
  const rest = text.slice(at);
  const blank = rest.length - rest.trimStart().length;
  return whole && blank === rest.length ? null : at + blank;
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
