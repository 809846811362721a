import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GOSSAMER_BIN } from '../folders.js';
import { folderOf } from '../peers/peer.js';
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
  /** For what a run needs. */
  readonly scratch: string;
}

export interface Program {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  check(job: Job): Promise<Line[]>;
  /** What the program has no eyes for by its design, said beside the table. */
  readonly note: string;
}

/** Standard output, whatever the exit code: findings make every checker fail. */
function run(file: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      file,
      args,
      { cwd, timeout: RUN_LIMIT_MS, maxBuffer: 2 ** 28, env: { ...process.env, NO_COLOR: '1' } },
      (error, stdout, stderr) => {
        if (stdout === '') reject(new Error(`${file} said nothing: ${error?.message ?? ''} ${stderr.slice(-500)}`));
        else resolve(stdout);
      },
    );
  });
}

const both = async (site: () => Promise<Line[]>, folder: () => Promise<Line[]>): Promise<Line[]> => [
  ...(await site()),
  ...(await folder()),
];

/** What `check` lists as a problem though it does not fail the run: it is elsewhere. */
const BROKEN_ELSEWHERE = new Set(['server_error', 'connection', 'tls', 'dns']);
const OPEN = new Set(['auth_required', 'rate_limited', 'timeout', 'unverifiable', 'unchecked', 'skipped', 'soft_404']);

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
  file: process.execPath,
  args: [GOSSAMER_BIN],
  note: '',
  check: (job) => {
    const check = async (argument: string): Promise<Line[]> =>
      linesOfCheck(
        JSON.parse(
          await run(process.execPath, [GOSSAMER_BIN, 'check', argument, ...CHECK_OPTIONS], job.scratch),
        ) as CheckReport,
      );
    return both(
      () => check(job.start),
      () => check(job.folder),
    );
  },
};

const linkinatorFile = join(folderOf('linkinator'), 'node_modules/.bin/linkinator');

export const linkinator: Program = {
  name: 'linkinator',
  file: linkinatorFile,
  args: ['--version'],
  note: 'reads no robots.txt, sitemaps or feeds',
  check: (job) => {
    const check = async (locations: readonly string[], ...more: string[]): Promise<Line[]> => {
      const options = [
        '--recurse',
        '--check-css',
        '--check-fragments',
        '--retry',
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
    return both(
      () => check([job.start]),
      () => check(['.'], '--markdown'),
    );
  },
};

const lycheeFile = join(folderOf('lychee'), 'bin/lychee');

export const lychee: Program = {
  name: 'lychee',
  file: lycheeFile,
  args: ['--version'],
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
        Record<string, { url: string }[]>
      >;
      const lines = (map: string, said: Said): Line[] =>
        Object.values(report[map] ?? {}).flatMap((links) => links.map(({ url }) => ({ names: [url], said })));
      return [
        ...lines('success_map', 'fine'),
        ...lines('error_map', 'broken'),
        ...lines('timeout_map', 'unsure'),
        ...lines('excluded_map', 'unsure'),
      ];
    };
    const list = join(job.scratch, 'pages.txt');
    writeFileSync(list, job.pages.join('\n'));
    return both(
      () => check('--files-from', list),
      () => check('--root-dir', job.folder, '--extensions=html,md,mdx,rst,txt', job.folder),
    );
  },
};

const linkcheckerFile = join(folderOf('linkchecker'), 'bin/linkchecker');

export const linkchecker: Program = {
  name: 'LinkChecker',
  file: linkcheckerFile,
  args: ['--version'],
  note: 'reads no sitemaps or feeds',
  check: (job) => {
    const config = join(job.scratch, 'linkcheckerrc');
    writeFileSync(config, '[checking]\n[AnchorCheck]\n');
    const check = async (argument: string): Promise<Line[]> => {
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
      return linesOfCsv(await run(linkcheckerFile, [...options, argument], job.scratch));
    };
    return both(
      () => check(job.start),
      () => check(pathToFileURL(join(job.folder, 'index.html')).href),
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
          : /robots|syntax OK|ignored|Timeout/i.test(row[warning]! + row[result]!)
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
    if (match === null) break;
    rows.at(-1)!.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== separator) rows.push([]);
  }
  return rows;
}
