import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import type { ResolvedOptions } from '../config/resolve.js';
import type { StoredOptions } from '../config/stored.js';
import { chooseDirectory } from '../crawl/data-directory.js';
import { badSeedLines } from '../crawl/seed-input.js';
import { openForReading } from '../store/directory.js';
import type { SeedRow } from '../store/transaction.js';
import { readCheckInput } from './check-input.js';
import type { CheckPlan } from './check-run.js';
import type { LocalFolder } from './local-folder.js';

type Config = CheckPlan['config'];

/** A check that is to begin, or what stands in its way. */
export type PlannedCheck =
  | { what: 'new'; plan: CheckPlan; notices: string[]; cleanUp(): void }
  | { what: 'resume' | 'finished'; directory: string };

/** Without a data directory the check is kept in a temporary one, until `cleanUp`. */
export async function planCheck(
  inputs: readonly string[],
  resolved: ResolvedOptions<'check'>,
  config: Config,
): Promise<PlannedCheck> {
  const { options } = resolved;
  const cwd = process.cwd();
  const { seeds, credentials, bad, folders } = await readCheckInput(inputs, options, cwd);
  const notices = badSeedLines(bad);
  const make = (directory: string): CheckPlan => ({
    ...{ resolved, config, directory, seeds, folders, badSeeds: bad, credentials, cwd },
    ...{ clock: systemClock, isNew: true, round: 0, spentMs: 0, truncated: null, events: {} },
  });
  if (options.dataDir === null) {
    const directory = mkdtempSync(join(tmpdir(), 'gossamer-check-'));
    const cleanUp = () => {
      process.off('exit', cleanUp);
      rmSync(directory, { recursive: true, force: true });
    };
    // A second Ctrl+C ends the process at once.
    process.on('exit', cleanUp);
    return { what: 'new', plan: make(directory), notices, cleanUp };
  }
  const choice = chooseDirectory(options, seeds[0]!.url);
  const { what, directory } = choice;
  if (what !== 'new') {
    refuseOtherSeeds(directory, seeds);
    return { what, directory };
  }
  if (choice.movedTo !== null) {
    notices.push(`moved the old check to ${choice.movedTo}`);
  }
  return { what: 'new', plan: make(directory), notices, cleanUp: () => {} };
}

function refuseOtherSeeds(directory: string, seeds: readonly SeedRow[]): void {
  const kept = openKeptCheck(directory).state.seeds;
  if (seeds.length !== kept.length || seeds.some(({ url }, place) => url !== kept[place]!.url)) {
    throw new UsageError(`the check in ${directory} has other seeds; seeds cannot be changed on resume`);
  }
}

/** A check as a directory holds it. */
export interface KeptCheck {
  directory: string;
  stored: StoredOptions;
  state: Pick<CheckPlan, 'seeds' | 'folders' | 'round' | 'spentMs' | 'truncated'>;
}

export function openKeptCheck(directory: string): KeptCheck {
  return openForReading(directory, (reader) => {
    const meta = reader.meta();
    if (meta.command !== 'check' || meta.options === undefined) {
      throw new StateError('no_check', `${directory} holds no check; \`gossamer check --data-dir\` keeps one`);
    }
    return {
      directory,
      stored: JSON.parse(meta.options) as StoredOptions,
      state: {
        seeds: reader.seeds(),
        folders: JSON.parse(meta.folders ?? '[]') as LocalFolder[],
        round: Number(meta.checkRound ?? 0),
        spentMs: Number(meta.checkSpentMs ?? 0),
        truncated: meta.checkTruncated ?? null,
      },
    };
  });
}

/** @param fromStart what was broken has been queued again: the looks begin anew */
export function planKept(
  { directory, state }: KeptCheck,
  resolved: ResolvedOptions<'check'>,
  config: Config,
  fromStart = false,
): CheckPlan {
  return {
    ...{ resolved, config, directory, ...state, cwd: process.cwd(), clock: systemClock, isNew: false, events: {} },
    ...(fromStart ? { round: 0, spentMs: 0, truncated: null } : {}),
  };
}
