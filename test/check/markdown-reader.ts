/**
 * What is left of Markdown when code and the destinations of links are taken out, by CommonMark's rules: a run of backticks ends with the
 * next run of the same length; in pointed brackets a destination ends with `>`; a mark after a backslash is none. What stands in `<code>`
 * is text if it holds no `<`.
 */
export function withoutCode(markdown: string): string {
  return markdown.split('\n').map(lineWithoutCode).join('\n');
}

function lineWithoutCode(line: string): string {
  let rest = line.replace(/<code>([^<]*)<\/code>/g, '<code></code>');
  let out = '';
  while (rest !== '') {
    const run = /^`+/.exec(rest)?.[0];
    if (run !== undefined) {
      const end = new RegExp(`(?<!\`)${run}(?!\`)`).exec(rest.slice(run.length));
      if (end !== null) {
        rest = rest.slice(run.length * 2 + end.index);
        out += '¬';
        continue;
      }
    }
    const destination = /^\]\(<[^<>\n]*>\)/.exec(rest)?.[0];
    const escaped = /^\\[!-/:-@[-`{-~]/.exec(rest)?.[0];
    const taken = run ?? destination ?? escaped ?? rest[0]!;
    out += destination !== undefined ? ']()' : escaped !== undefined ? '¬' : taken;
    rest = rest.slice(taken.length);
  }
  return out;
}
