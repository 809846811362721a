import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countMissing, pagesOf } from './access-log.js';
import type { Contestant } from './contestant.js';
import { DISK_FOLDER, RAM_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { type Cost, lastWords, type RunOptions, runCommands } from './run.js';
import type { Field } from './serve.js';

export interface Lap extends Cost {
  readonly pages: number;
  /** Pages that the first contestant got in its first lap and this one did not. */
  readonly missing: number;
  /** The other way round. */
  readonly extra: number;
  readonly requests: number;
}

export interface Standing {
  readonly contestant: Contestant;
  readonly laps: Lap[];
  /** Why it ran no more. */
  failure: string | null;
}

/** One that took longer in its first lap runs in every other round only. */
const SLOW_MS = 60_000;

/** Every contestant in turn, round after round. The first says what the pages are. */
export async function race(
  contestants: readonly Contestant[],
  field: Field,
  rounds: number,
  say: (line: string) => void,
  options: RunOptions = {},
): Promise<Standing[]> {
  const standings: Standing[] = contestants.map((contestant) => ({ contestant, laps: [], failure: null }));
  const folder = temporaryFolder(DISK_FOLDER);
  const pagesFile = join(folder, 'pages.txt');
  writeFileSync(pagesFile, '');
  let expected: ReadonlySet<string> | null = null;
  try {
    for (let round = 0; round < rounds; round++) {
      for (const standing of standings) {
        if (standing.failure !== null || !takesPart(standing.laps[0], round)) {
          continue;
        }
        const { name } = standing.contestant;
        const { cost, pages, requests, words } = await lap(
          standing.contestant,
          field,
          pagesFile,
          expected === null ? withoutLimit(options) : options,
        );
        standing.failure = failureOf(standing.contestant, cost, pages.size, words, expected === null);
        if (standing.failure !== null) {
          say(`round ${round + 1}  ${name} ${standing.failure}`);
          if (expected === null) {
            throw new Error(`${name} ${standing.failure}`);
          }
          continue;
        }
        if (expected === null) {
          expected = pages;
          writeFileSync(pagesFile, [...pages].sort().join('\n'));
        }
        const missing = countMissing(expected, pages);
        standing.laps.push({ ...cost, pages: pages.size, missing, extra: countMissing(pages, expected), requests });
        const rate = (pages.size / cost.wallMs) * 1000;
        say(
          `round ${round + 1}  ${name.padEnd(20)} ${pages.size} pages in ${(cost.wallMs / 1000).toFixed(2)} s, ${rate.toFixed(0)} pages/s, ${missing} missing, ${requests} requests${cost.stopped === null ? '' : `, ${cost.stopped}`}`,
        );
      }
    }
  } finally {
    removeFolder(folder);
  }
  return standings;
}

/** The lap that says what the pages are has to come to its end, whatever the limit for the others is. */
const withoutLimit = ({ timeLimitMs: _, ...options }: RunOptions): RunOptions => options;

export const takesPart = (first: Pick<Lap, 'wallMs'> | undefined, round: number): boolean =>
  first === undefined || first.wallMs <= SLOW_MS || round % 2 === 0;

/**
 * How a peer exits says nothing: link checkers fail where a link is broken. Whoever is stopped has figures all the same, unless the others
 * are to be compared with its pages.
 */
export function failureOf(
  { kind }: Pick<Contestant, 'kind'>,
  { exitCode, stopped }: Pick<Cost, 'exitCode' | 'stopped'>,
  pages: number,
  words: string,
  isFirst: boolean,
): string | null {
  if (stopped !== null && isFirst) {
    return `was ${stopped}`;
  }
  if (kind !== 'peer' && exitCode !== 0 && stopped === null) {
    return `ended with code ${exitCode}: ${words}`;
  }
  return pages === 0 ? `fetched no page: ${words}` : null;
}

async function lap(contestant: Contestant, field: Field, pagesFile: string, options: RunOptions) {
  const diskFolder = temporaryFolder(DISK_FOLDER);
  const ramFolder = temporaryFolder(RAM_FOLDER);
  const notesFolder = join(ramFolder, 'notes');
  try {
    field.forgetVisits();
    const job = { starts: field.starts, diskFolder, ramFolder, pagesFile };
    const cost = await runCommands(contestant.commands(job), notesFolder, {
      ...options,
      watchesThreads: options.watchesThreads === true && contestant.kind !== 'peer',
    });
    const visits = await field.visits();
    return { cost, pages: pagesOf(visits), requests: visits.length, words: lastWords(notesFolder) };
  } finally {
    removeFolder(diskFolder);
    removeFolder(ramFolder);
  }
}
