import { readDestination } from '../parse/markdown/destination.js';
import { MarkdownSource } from '../parse/markdown/source.js';
import { markdownLinks } from '../parse/markdown-links.js';

/** Links whose destination stands in the text by itself, and can be replaced there. */
const REPLACEABLE: ReadonlySet<string> = new Set(['inline', 'image', 'reference']);
const NEEDS_BRACKETS = /[\s()<>]/;

/** Replaces destinations of a Markdown text: `target` gives the new one of an absolute URL, or null where it stays. */
export function relink(markdown: string, target: (url: string) => string | null): string {
  const source = new MarkdownSource(markdown);
  const edits = new Map<number, { end: number; text: string }>();
  for (const { kind, href, line, column } of markdownLinks(markdown)) {
    const to = REPLACEABLE.has(kind) ? target(href) : null;
    if (to === null) {
      continue;
    }
    const at = source.line(line - 1).start + column - 1;
    const start = markdown[at - 1] === '<' ? at - 1 : at;
    const destination = readDestination(markdown, start);
    if (destination !== null) {
      edits.set(start, { end: destination.after, text: written(to) });
    }
  }
  return applied(markdown, edits);
}

const written = (destination: string): string =>
  NEEDS_BRACKETS.test(destination) ? `<${destination.replace(/[<>]/g, '\\$&')}>` : destination;

function applied(text: string, edits: ReadonlyMap<number, { end: number; text: string }>): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, edit] of [...edits].sort(([a], [b]) => a - b)) {
    pieces.push(text.slice(at, start), edit.text);
    at = edit.end;
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(at)].join('');
}
