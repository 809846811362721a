import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DISK_FOLDER, GOSSAMER_BIN, removeFolder, temporaryFolder } from '../folders.js';
import { linkchecker as linkcheckerPeer } from '../peers/linkchecker.js';
import { linkinator as linkinatorPeer } from '../peers/linkinator.js';
import { lychee as lycheePeer } from '../peers/lychee.js';
import { folderOf, versionSaidBy } from '../peers/peer.js';
import type { Line, Said } from './score.js';

/** How long an answer may take, for every program; some cases never answer. */
const TIMEOUT_S = 2;
const RETRIES = 2;
const RUN_LIMIT_MS = 300_000;

export interface Job {
  readonly start: string;
  /** For a program that does not go from page to page. */
  readonly pages: readonly string[];
  /** The folder of files, which is checked in a run of its own. */
  readonly folder: string;
  /** Files of plain text with URLs, which are given by their names. */
  readonly texts: readonly string[];
  /** For what a run needs. */
  readonly scratch: string;
}

export interface Program {
  readonly name: string;
  /** The version that is there, or null. */
  find(): Promise<string | null>;
  check(job: Job): Promise<Line[]>;
  /** What the program has no eyes for by its design, said beside the table. */
  readonly note: string;
}

/** Standard output, whatever the exit code: findings make every checker fail. By a file, since some end before a pipe is empty. */
async function run(file: string, args: readonly string[], cwd: string): Promise<string> {
  const folder = temporaryFolder(DISK_FOLDER);
  const [output, errors] = [openSync(join(folder, 'output'), 'w'), openSync(join(folder, 'errors'), 'w')];
  try {
    const env = { ...process.env, NO_COLOR: '1' };
    const child = spawn(file, args, { cwd, timeout: RUN_LIMIT_MS, env, stdio: ['ignore', output, errors] });
    await once(child, 'close');
    const said = readFileSync(join(folder, 'output'), 'utf8');
    if (said === '') {
      throw new Error(`${file} said nothing; ${readFileSync(join(folder, 'errors'), 'utf8').slice(-500)}`);
    }
    return said;
  } finally {
    closeSync(output);
    closeSync(errors);
    removeFolder(folder);
  }
}

/** Some programs end now and then without a word, and get another chance. */
const CHANCES = 4;

/** One run after the other; one that yields no report at all says nothing about any link. */
async function all(...runs: (() => Promise<Line[]>)[]): Promise<Line[]> {
  const lines: Line[] = [];
  for (const each of runs) {
    lines.push(...(await withChances(each, CHANCES)));
  }
  return lines;
}

async function withChances(run: () => Promise<Line[]>, left: number): Promise<Line[]> {
  try {
    return await run();
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return left > 1 ? await withChances(run, left - 1) : [];
  }
}

/** What `check` lists as a problem though it does not fail the run: it is elsewhere. */
const BROKEN_ELSEWHERE = new Set(['server_error', 'connection', 'tls', 'dns']);
const OPEN = new Set([
  'auth_required',
  'rate_limited',
  'blocked',
  'timeout',
  'unverifiable',
  'unchecked',
  'skipped',
  'soft_404',
]);

export interface CheckReport {
  readonly links: readonly {
    readonly url: string;
    readonly fragment: string | null;
    readonly verdict: string;
    readonly fails: boolean;
    readonly sources: readonly { readonly href: string }[];
  }[];
}

export const linesOfCheck = ({ links }: CheckReport): Line[] =>
  links.map(({ url, fragment, verdict, fails, sources }) => ({
    names: [fragment === null ? url : `${url}#${fragment}`, ...sources.map(({ href }) => href)],
    said: fails || BROKEN_ELSEWHERE.has(verdict) ? 'broken' : OPEN.has(verdict) ? 'unsure' : 'fine',
  }));

export const CHECK_OPTIONS: readonly string[] = [
  '--allow-private',
  ...['--timeout', `${TIMEOUT_S}s`, '--robots-timeout', `${TIMEOUT_S}s`],
  ...['--retries', String(RETRIES), '--retry-delay', '0ms', '--max-backoff', '1s', '--quarantine-after', '1000'],
  ...['--max-wait', '5s', '--format', 'json', '--verbose'],
];

export const gossamer: Program = {
  name: 'gossamer',
  find: () => versionSaidBy(process.execPath, GOSSAMER_BIN, '--version'),
  note: '',
  check: (job) => {
    const check = async (...inputs: readonly string[]): Promise<Line[]> =>
      linesOfCheck(
        JSON.parse(
          await run(process.execPath, [GOSSAMER_BIN, 'check', ...inputs, ...CHECK_OPTIONS], job.scratch),
        ) as CheckReport,
      );
    return all(
      () => check(job.start),
      () => check(job.folder),
      () => check(...job.texts),
    );
  },
};

const linkinatorFile = join(folderOf('linkinator'), 'node_modules/.bin/linkinator');

export const linkinator: Program = {
  name: 'linkinator',
  find: linkinatorPeer.find,
  // With --retry it would wait an hour where a server says so.
  note: 'reads no robots.txt, sitemaps or feeds',
  check: (job) => {
    const check = async (locations: readonly string[], ...more: string[]): Promise<Line[]> => {
      const options = [
        '--recurse',
        '--check-css',
        '--check-fragments',
        '--retry-errors',
        `--retry-errors-count=${RETRIES}`,
        '--retry-errors-jitter=100',
        `--timeout=${TIMEOUT_S * 1000}`,
        '--format=json',
      ];
      const { links } = JSON.parse(
        jsonOf(await run(linkinatorFile, [...locations, ...options, ...more], job.folder)),
      ) as { links: { url: string; state: string }[] };
      return links.map(({ url, state }) => ({
        names: [url],
        said: state === 'OK' ? 'fine' : state === 'BROKEN' ? 'broken' : 'unsure',
      }));
    };
    return all(
      () => check([job.start]),
      () => check(['.'], '--markdown'),
      () => check(job.texts, '--markdown'),
    );
  },
};

const lycheeFile = join(folderOf('lychee'), 'bin/lychee');

export const lychee: Program = {
  name: 'lychee',
  find: lycheePeer.find,
  note: 'does not go from page to page: it is told the pages; reads no robots.txt, sitemaps, feeds or stylesheets',
  check: (job) => {
    const check = async (...inputs: string[]): Promise<Line[]> => {
      const options = [
        '--format=json',
        '-vv',
        '--no-progress',
        '--include-fragments=anchor-only',
        '--max-redirects=20',
        `--timeout=${TIMEOUT_S}`,
        `--max-retries=${RETRIES}`,
        '--retry-wait-time=1',
        '--host-request-interval=0s',
        '--cookie-jar',
        join(job.scratch, 'cookies.json'),
      ];
      const report = JSON.parse(await run(lycheeFile, [...options, ...inputs], job.scratch)) as Record<
        string,
        Record<string, { url: string; status: unknown }[]>
      >;
      const lines = (map: string, said: Said): Line[] =>
        Object.values(report[map] ?? {}).flatMap((links) =>
          links.map(({ url, status }) => ({ names: [url, JSON.stringify(status)], said })),
        );
      // Of what is no URL its text stands in the reason.
      return [
        ...lines('success_map', 'fine'),
        ...lines('error_map', 'broken'),
        ...lines('timeout_map', 'unsure'),
        ...lines('excluded_map', 'unsure'),
      ];
    };
    const list = join(job.scratch, 'pages.txt');
    writeFileSync(list, job.pages.join('\n'));
    return all(
      () => check('--files-from', list),
      () => check('--root-dir', job.folder, job.folder),
      () => check(...job.texts),
    );
  },
};

const linkcheckerFile = join(folderOf('linkchecker'), 'bin/linkchecker');

export const linkchecker: Program = {
  name: 'LinkChecker',
  find: linkcheckerPeer.find,
  note: 'reads no feeds',
  check: (job) => {
    const config = join(job.scratch, 'linkcheckerrc');
    writeFileSync(config, '[checking]\nmaxrequestspersecond=1000\n[AnchorCheck]\n');
    const check = async (...inputs: string[]): Promise<Line[]> => {
      const options = [
        '--config',
        config,
        '--check-extern',
        '--verbose',
        '--no-status',
        '--output=csv/utf-8',
        `--timeout=${TIMEOUT_S}`,
        '--ignore-url=^mailto:',
      ];
      return linesOfCsv(await run(linkcheckerFile, [...options, ...inputs], job.scratch));
    };
    return all(
      () => check(job.start),
      () => check(pathToFileURL(join(job.folder, 'index.html')).href),
      () => check(...job.texts.map((path) => pathToFileURL(path).href)),
    );
  },
};

export const PROGRAMS: readonly Program[] = [gossamer, linkinator, lychee, linkchecker];

/** Other words may stand before it. */
const jsonOf = (text: string): string => text.slice(text.indexOf('{'));

function linesOfCsv(text: string): Line[] {
  const rows = readCsv(text, ';');
  const header = rows.findIndex((row) => row[0] === 'urlname');
  const column = (name: string): number => rows[header]!.indexOf(name);
  const [urlname, url, valid, warning, result] = ['urlname', 'url', 'valid', 'warningstring', 'result'].map(column) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return rows
    .slice(header + 1)
    .filter((row) => row.length === rows[header]!.length)
    .map((row) => ({
      names: [row[urlname]!, row[url]!],
      said:
        row[valid] !== 'True' || /anchor/i.test(row[warning]!)
          ? 'broken'
          : /robots|syntax OK|ignored|Timeout|rate limit/i.test(row[warning]! + row[result]!)
            ? 'unsure'
            : 'fine',
    }));
}

/** Cells in double quotes may hold separators and line ends. */
function readCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, 'y');
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) {
      break;
    }
    rows.at(-1)!.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== separator) {
      rows.push([]);
    }
  }
  return rows;
}
