import type { LabelledBlock, Part } from './sample.js';

/** The preformatted blocks of a page's main content, and how many of them an extract has line by line. */
export function countCode(blocks: readonly LabelledBlock[], extract: string): { code: number; codeKept: number } {
  const lines = linesOf(extract);
  const starts = new Map<string, number[]>();
  for (const [number, line] of lines.entries()) {
    starts.set(line.trim(), [...(starts.get(line.trim()) ?? []), number]);
  }
  const isThere = (wanted: readonly string[]): boolean =>
    wanted.length > 0 &&
    (starts.get(wanted[0]!.trim()) ?? []).some((from) =>
      dedent(lines.slice(from, from + wanted.length)).every((line, i) => line === wanted[i]),
    );
  const code = blocks.filter((block) => block.label === 'main' && versionsOf(block)[0]!.length > 0);
  return { code: code.length, codeKept: code.filter((block) => versionsOf(block).some(isThere)).length };
}

/** With and without the lines that are arguable, such as those that a page hides; furniture is in neither. */
function versionsOf({ code, parts }: LabelledBlock): string[][] {
  if (code === null) {
    return [[]];
  }
  const chrome = parts.filter(({ label }) => label === 'chrome');
  return [chrome, parts].map((out) => dedent(linesOf(withoutParts(code, out))));
}

/** Lines with something in them. White space at their end and around the whole is nobody's business. */
const linesOf = (text: string): string[] =>
  text
    .replaceAll('\u00a0', ' ')
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');

function dedent(lines: readonly string[]): string[] {
  const indent = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(indent));
}

/** The parts' places are places in the folded text: they are looked up in the text as it stands. */
export function withoutParts(code: string, parts: readonly Part[]): string {
  const places = foldedPlaces(code);
  let text = '';
  let at = 0;
  for (const part of parts) {
    text += code.slice(at, places[part.at]);
    at = places[part.at + part.text.length - 1]! + 1;
  }
  return text + code.slice(at);
}

/** Where each character of the folded text stands in the text; as `fold` folds. */
function foldedPlaces(text: string): number[] {
  const places: number[] = [];
  let space = false;
  for (let i = 0; i < text.length; i += 1) {
    if (/[\u200b-\u200d\u2060\ufeff]/.test(text[i]!)) {
      continue;
    }
    if (/\s/.test(text[i]!)) {
      space = places.length > 0;
      continue;
    }
    if (space) {
      places.push(i - 1);
    }
    space = false;
    places.push(i);
  }
  return places;
}
