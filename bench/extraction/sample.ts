import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SAMPLE_FOLDER } from '../folders.js';
import { altsOf, type Block, blocksOf, hashOf } from './blocks.js';

/** Either: arguable, so that nobody gains or loses by it. */
export type Label = 'main' | 'chrome' | 'either';
export const HALVES = ['dev', 'held-out'] as const;
export type Half = (typeof HALVES)[number];

export interface Entry {
  /** System and file name. */
  readonly name: string;
  readonly system: string;
  readonly source: string;
  readonly url: string;
  readonly half: Half;
}

export interface Part {
  readonly label: Label;
  /** Where it begins in the block's text. */
  readonly at: number;
  readonly text: string;
}

/** A line of a file of labels, with the lines below it that take parts out of the block. */
export interface LabelLine {
  readonly label: Label;
  readonly hash: string;
  /** How the block's text begins. */
  readonly start: string;
  readonly parts: readonly Part[];
}

export interface LabelledBlock extends Block {
  readonly label: Label;
  readonly parts: readonly Part[];
}

export interface Page extends Entry {
  readonly html: string;
  readonly blocks: readonly LabelledBlock[];
}

/** Thrown where labels and page no longer belong together: figures from them would mean nothing. */
export class SampleError extends Error {
  constructor(page: string, reason: string) {
    super(`${page}: ${reason}`);
    this.name = 'SampleError';
  }
}

export function readManifest(): readonly Entry[] {
  return (JSON.parse(readFileSync(join(SAMPLE_FOLDER, 'manifest.json'), 'utf8')) as { pages: Entry[] }).pages;
}

export function readHtml(name: string): string {
  return gunzipSync(readFileSync(join(SAMPLE_FOLDER, 'pages', `${name}.html.gz`))).toString('utf8');
}

export function readLabels(name: string): LabelLine[] {
  const lines: (LabelLine & { parts: Part[] })[] = [];
  const source = readFileSync(join(SAMPLE_FOLDER, 'labels', `${name}.tsv`), 'utf8');
  for (const [number, line] of source.trimEnd().split('\n').entries()) {
    const [, minus, label, place, text] = /^(-?)(main|chrome|either)\t(@\d+|[0-9a-f]{12})\t(".*")$/.exec(line) ?? [];
    if (label === undefined) {
      throw new SampleError(name, `line ${number + 1} of its labels cannot be read`);
    }
    const said = JSON.parse(text!) as string;
    if (minus === '-') {
      lines.at(-1)!.parts.push({ label: label as Label, at: Number(place!.slice(1)), text: said });
    } else {
      lines.push({ label: label as Label, hash: place!, start: said, parts: [] });
    }
  }
  return lines;
}

export const readPage = (entry: Entry): Page => labelPage(entry, readHtml(entry.name), readLabels(entry.name));

/** Each label has to be at the block that it was given to. */
export function labelPage(entry: Entry, html: string, lines: readonly LabelLine[]): Page {
  const blocks = blocksOf(html);
  if (blocks.length !== lines.length) {
    throw new SampleError(entry.name, `${blocks.length} blocks and ${lines.length} labels`);
  }
  const labelled = blocks.map((block, i) => {
    const { label, hash, parts } = lines[i]!;
    if (hash !== hashOf(block.text)) {
      throw new SampleError(entry.name, `block ${i} has another text than its label`);
    }
    for (const { at, text } of parts) {
      if (!block.text.startsWith(text, at)) {
        throw new SampleError(entry.name, `block ${i} has no ${text} at ${at}`);
      }
    }
    return { ...block, label, parts };
  });
  // Whether an extract says what its images show is its own business.
  const alts = altsOf(html).map((text) => ({ text, code: null, cell: null, label: 'either', parts: [] }) as const);
  return { ...entry, html, blocks: [...labelled, ...alts] };
}
