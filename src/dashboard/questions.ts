import { auditCrawl } from '../audit/audit.js';
import type { AuditReport } from '../audit/report/result.js';
import { DEFAULT_SETTINGS } from '../audit/settings.js';
import { StateError } from '../base/errors.js';
import { corpusStatus } from '../corpus/list-corpora.js';
import { listCorpus, readDocument } from '../corpus/read-corpus.js';
import { searchCorpus } from '../corpus/search.js';
import { explain } from '../explain/explain.js';
import type { Picture } from '../graph/picture-shape.js';
import { openForReading } from '../store/directory.js';
import { keptFigures } from '../store/kept-figures.js';
import { WatchReader } from '../store/watch-reader.js';
import type { HostAnswer, HostQuestion, PageQuestion } from '../store/watch-rows.js';
import type { AuditAnswer, AuditPlaces, CorpusEntry, CorpusListed, CorpusPage, CorpusPages } from './api.js';
import { HostDelays, type SetDelays } from './host-delays.js';

type HostQuestionAsked = Omit<HostQuestion, 'delays'>;

/** What the dashboard asks the disk. Directories come from the server's own list, never from a request. */
export type Question =
  | {
      readonly about: 'hosts';
      readonly directory: string;
      readonly question: HostQuestionAsked;
      readonly delays: SetDelays;
    }
  | { readonly about: 'host'; readonly directory: string; readonly name: string }
  | { readonly about: 'pages'; readonly directory: string; readonly question: PageQuestion }
  | { readonly about: 'url'; readonly directory: string; readonly url: string }
  | { readonly about: 'graph'; readonly directory: string }
  | { readonly about: 'kept'; readonly directory: string }
  | { readonly about: 'audit'; readonly directory: string }
  | {
      readonly about: 'places';
      readonly directory: string;
      readonly rule: string;
      readonly from: number;
      readonly limit: number;
    }
  | { readonly about: 'corpora'; readonly directories: readonly string[] }
  | { readonly about: 'corpus'; readonly directory: string; readonly after: number; readonly limit: number }
  | { readonly about: 'words'; readonly directory: string; readonly text: string }
  | { readonly about: 'document'; readonly directory: string; readonly path: string };

const MOST_HITS = 50;
/** Of a page of a corpus, in characters. */
const LONGEST_PAGE = 400_000;

/** Answers questions from the disk, as JSON. It belongs in a thread of its own: each answer may take a while. */
export class Answers {
  readonly #readers = new Map<string, WatchReader>();
  /** The last audit: who looks at its findings asks for their places next. */
  #audit: { directory: string; report: AuditReport } | null = null;

  async answer(question: Question): Promise<string> {
    return JSON.stringify(await this.#answer(question));
  }

  close(): void {
    for (const reader of this.#readers.values()) {
      reader.close();
    }
    this.#readers.clear();
    this.#audit?.report.close();
    this.#audit = null;
  }

  #answer(question: Question): unknown {
    switch (question.about) {
      case 'hosts':
        return this.#hosts(question.directory, question.question, question.delays);
      case 'host':
        return { isKnown: this.#reader(question.directory).hasHost(question.name) };
      case 'pages':
        return this.#reader(question.directory).pages(question.question);
      case 'url':
        return explain(question.directory, question.url);
      case 'graph':
        return linkPicture(question.directory);
      case 'kept':
        return keptFigures(question.directory);
      case 'audit':
        return this.#auditAnew(question.directory);
      case 'places':
        return this.#places(question.directory, question.rule, question.from, question.limit);
      case 'corpora':
        return corpora(question.directories);
      case 'corpus':
        return corpusPages(question.directory, question.after, question.limit);
      case 'words':
        return { rows: searchCorpus(question.directory, question.text, { limit: MOST_HITS }) };
      case 'document':
        return corpusPage(question.directory, question.path);
    }
  }

  #auditAnew(directory: string): AuditAnswer {
    this.#audit?.report.close();
    this.#audit = null;
    const report = auditCrawl(directory, DEFAULT_SETTINGS);
    this.#audit = { directory, report };
    const { summary, findings, gaps, passed } = report;
    return { summary, findings, gaps, passed: passed.map(({ title }) => title) };
  }

  #places(directory: string, rule: string, from: number, limit: number): AuditPlaces {
    if (this.#audit?.directory !== directory) {
      this.#auditAnew(directory);
    }
    const rows = [...this.#audit!.report.places(rule, from, limit + 1)];
    return { rows: rows.slice(0, limit), next: rows.length > limit ? from + limit : null };
  }

  #hosts(directory: string, question: HostQuestionAsked, set: SetDelays): HostAnswer {
    const reader = this.#reader(directory);
    const delays = new HostDelays(reader.meta());
    const answer = reader.hosts({ ...question, delays: set.hosts }, Date.now());
    return { ...answer, rows: answer.rows.map((host) => ({ ...host, ...delays.of(host, set) })) };
  }

  #reader(directory: string): WatchReader {
    let reader = this.#readers.get(directory);
    if (reader === undefined) {
      reader = WatchReader.open(directory);
      this.#readers.set(directory, reader);
    }
    return reader;
  }
}

/** The thread is part of the run's process: what it reads into memory is bounded. */
const MOST_LINKS = 5_000_000;

async function linkPicture(directory: string): Promise<Picture> {
  // The half of the program that draws is loaded by the first who looks.
  const { drawnGraph } = await import('../graph/drawn-graph.js');
  return openForReading(directory, (reader) => drawnGraph(reader, MOST_LINKS));
}

/** One that is only being written, or is gone, is left out. */
async function corpora(directories: readonly string[]): Promise<CorpusEntry[]> {
  const found: CorpusEntry[] = [];
  for (const [corpus, directory] of directories.entries()) {
    try {
      const { title, pages, tokens, tokensEstimated, written } = await corpusStatus(directory);
      found.push({ corpus, directory, title, pages, tokens, tokensEstimated, written });
    } catch (error) {
      if (!(error instanceof StateError) && (error as NodeJS.ErrnoException).code === undefined) {
        throw error;
      }
    }
  }
  return found;
}

async function corpusPages(directory: string, after: number, limit: number): Promise<CorpusPages> {
  const rows: CorpusListed[] = [];
  let place = 0;
  for await (const { path, url, title, tokens } of listCorpus(directory)) {
    if (place++ < after) {
      continue;
    }
    if (rows.length === limit) {
      return { rows, next: after + limit };
    }
    rows.push({ path, url, title, tokens });
  }
  return { rows, next: null };
}

async function corpusPage(directory: string, asked: string): Promise<CorpusPage> {
  const { entry, content } = await readDocument(directory, asked);
  const markdown = content.replace(/^---\n[\s\S]*?\n---\n/, '');
  const { path, url, title, tokens } = entry;
  return { path, url, title, tokens, markdown: markdown.slice(0, LONGEST_PAGE), isCut: markdown.length > LONGEST_PAGE };
}
