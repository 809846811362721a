import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '../../src/config/commands.js';
import type { OptionKey } from '../../src/config/options.js';
import type { StoredOptions } from '../../src/config/stored.js';
import { pageLine } from '../../src/report/page-line.js';
import type { Summary } from '../../src/report/summary.js';
import { openForReading } from '../../src/store/directory.js';
import type { Reader } from '../../src/store/reader.js';
import { storePath } from '../../src/store/store-file.js';
import { inProcess } from '../crawl/in-process.js';
import { type PageLine, type Run, readLines, start } from '../crawl/support.js';
import type { LoggedRequest } from '../web/log.js';
import { openWeb, type WebInABox } from '../web/web.js';

/** What one run of the program left outside of it. */
export interface Seen extends Run {
  /** Of all webs of the trial, in the order of arrival. */
  log: readonly LoggedRequest[];
  /** What servers other than the web in a box wrote down. */
  notes: readonly string[];
  /** Everything in the trial's folder, by path below it; of databases only that they are there. */
  files: ReadonlyMap<string, string>;
  /** Most requests that the server had open at once. */
  peak: number;
  pages: readonly PageLine[];
  summary: Summary | null;
  /** What the store says of the run; null where there is none. */
  kept: Kept | null;
}

interface Kept {
  reason: string | null;
  truncated: string | null;
  traps: readonly { pattern: string; count: number }[];
  /** The options that the engine was given. */
  options: Readonly<Record<string, unknown>>;
  pages: readonly PageLine[];
}

/** What is served, and the command line that the values of an option are added to. */
export interface Stage {
  readonly name: string;
  /** A crawl that has to be there already: played once, without values, and copied for each trial. */
  readonly after?: Stage;
  play(args: readonly string[], trial: Trial): Promise<Run>;
}

/** The evidence that an option does something: what is seen under each of its values. */
export interface Row {
  readonly key: OptionKey;
  readonly command?: Command;
  readonly stage: Stage;
  /** Argument lists that differ in this option alone. */
  readonly values: readonly (readonly string[])[];
  /** Only from outside the process. */
  sees(seen: Seen): unknown;
  /** For each of the values; no two are alike. */
  readonly gives: readonly unknown[];
  /** A check that stands where the stage has its crawl shows the same, or this. Left out where it has evidence of its own. */
  readonly check?: 'same' | readonly unknown[];
  /** A corpus likewise. */
  readonly docs?: 'same' | readonly unknown[];
}

/** Where crawls of the stages are kept, below the trial's folder. */
export const DATA = 'data';
/** Where their corpora go. */
export const CORPUS = 'corpus';

/** What walks over the sites of a stage. */
export type Walker = 'crawl' | 'check' | 'docs';
/** A check and a corpus as near to a crawl as can be: what they do besides has evidence of its own. */
const WALKS: Readonly<Record<Walker, readonly string[]>> = {
  crawl: ['crawl'],
  check: ['check', '--no-external', '--nofollow', 'obey', '--second-look-budget', '0'],
  docs: ['docs', '--scope', 'subdomains', '--seeding-strategy', 'sitemap', '--output', CORPUS],
};

/** Each row, and once more those that a check or a corpus shows too. */
export const withWalkers = (rows: readonly Row[]): Row[] =>
  rows.flatMap(({ check, docs, ...plain }) => [
    plain,
    ...Object.entries({ check, docs }).flatMap(([command, shows]) => {
      const gives = shows === 'same' ? plain.gives : shows;
      return gives === undefined ? [] : [{ ...plain, command: command as Walker, gives }];
    }),
  ]);

const LONGEST_RUN_MS = 55_000;

/** One run: a folder of its own, and servers that are gone when it is over. */
export class Trial {
  readonly folder: string;
  readonly notes: string[] = [];
  readonly webs: WebInABox[] = [];
  readonly #endings: (() => unknown)[] = [];

  readonly #walker: Walker;

  constructor(folder: string, walker: Walker) {
    this.folder = folder;
    this.#walker = walker;
    mkdirSync(folder);
  }

  /** `crawl`, or `check` or `docs` where that is to show the same. */
  get walk(): readonly string[] {
    return WALKS[this.#walker];
  }

  /** Puts a copy of a crawl that was made before where this trial keeps its own. */
  async keep(made: Promise<string>): Promise<void> {
    cpSync(await made, join(this.folder, DATA), { recursive: true });
  }

  async web(): Promise<WebInABox> {
    const web = await openWeb();
    this.webs.push(web);
    this.atEnd(() => web.close());
    return web;
  }

  atEnd(ending: () => unknown): void {
    this.#endings.push(ending);
  }

  start(args: readonly string[], options: { env?: Record<string, string>; input?: string } = {}) {
    const program = start(args, { cwd: this.folder, ...options });
    const watchdog = setTimeout(() => program.child.kill('SIGKILL'), LONGEST_RUN_MS);
    this.atEnd(() => clearTimeout(watchdog));
    return program;
  }

  run(args: readonly string[], options: { env?: Record<string, string>; input?: string } = {}): Promise<Run> {
    return options.input === undefined
      ? inProcess(args, { cwd: this.folder, ...options })
      : this.start(args, options).ended;
  }

  async end(): Promise<void> {
    await Promise.all(this.#endings.map((ending) => ending()));
  }

  look(run: Run): Seen {
    const files = new Map(
      filesBelow(this.folder, '').map((name) => [
        name,
        /sqlite|\.db/.test(name) ? '' : readFileSync(join(this.folder, name), 'utf8'),
      ]),
    );
    const summary = files.get(`${DATA}/summary.json`);
    const directory = join(this.folder, DATA);
    const kept = existsSync(storePath(directory)) ? openForReading(directory, readKept) : null;
    return {
      ...run,
      log: this.webs.flatMap(({ log }) => log).sort((a, b) => a.at - b.at),
      notes: this.notes,
      files,
      peak: Math.max(0, ...this.webs.map((web) => web.peakInFlight())),
      // A check and a corpus write none.
      pages: files.has(`${DATA}/pages.jsonl`)
        ? readLines<PageLine>(files.get(`${DATA}/pages.jsonl`)!)
        : (kept?.pages ?? []),
      summary: summary === undefined ? null : (JSON.parse(summary) as Summary),
      kept,
    };
  }
}

/** Plays trials; the same stage with the same arguments is played once for all rows. */
export class Laboratory {
  readonly #root = mkdtempSync(join(tmpdir(), 'gossamer-options-'));
  readonly #seen = new Map<string, Promise<Seen>>();
  readonly #kept = new Map<string, Promise<string>>();

  see(stage: Stage, args: readonly string[], command: Command): Promise<Seen> {
    const walker = command === 'check' || command === 'docs' ? command : 'crawl';
    const id = JSON.stringify([stage.name, args, walker]);
    let seen = this.#seen.get(id);
    if (seen === undefined) {
      seen = this.#play(stage, args, walker);
      this.#seen.set(id, seen);
    }
    return seen;
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Where the walk over this stage is kept. */
  #made(stage: Stage, walker: Walker): Promise<string> {
    const id = `${walker} ${stage.name}`;
    const made = this.#kept.get(id) ?? this.#make(stage, join(this.#root, `kept-${this.#kept.size}`), walker);
    this.#kept.set(id, made);
    return made;
  }

  async #make(stage: Stage, folder: string, walker: Walker): Promise<string> {
    const trial = new Trial(folder, walker);
    await stage.play([], trial).finally(() => trial.end());
    return join(folder, DATA);
  }

  async #play(stage: Stage, args: readonly string[], walker: Walker): Promise<Seen> {
    const trial = new Trial(join(this.#root, String(this.#seen.size)), walker);
    try {
      if (stage.after !== undefined) {
        await trial.keep(this.#made(stage.after, walker));
      }
      return trial.look(await stage.play(args, trial));
    } finally {
      await trial.end();
    }
  }
}

function readKept(reader: Reader): Kept {
  const { reason = null, truncated = null } = reader.ended() ?? {};
  const { values } = JSON.parse(reader.meta().options ?? '{"values":{}}') as StoredOptions;
  return {
    reason,
    truncated,
    traps: reader.traps.largest(100).traps,
    options: { ...values },
    pages: readLines<PageLine>([...reader.pages()].map(pageLine).join('')),
  };
}

function filesBelow(folder: string, prefix: string): string[] {
  if (!existsSync(folder)) {
    return [];
  }
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name), `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  );
}
