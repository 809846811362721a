import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { optionsToStore, type StoredOptions } from '../config/stored.js';
import { chooseDirectory } from '../crawl/data-directory.js';
import { isLimitRaised, otherSeeds } from '../crawl/resume-plan.js';
import { badSeedLines, sameSeeds } from '../crawl/seed-input.js';
import { openForReading, otherCommand } from '../store/directory.js';
import { type FileAliases, NO_FILES } from '../url/aliases.js';
import { readCheckInput } from './check-input.js';
import type { CheckPlan } from './check-run.js';
import type { LocalFolder } from './local-folder.js';
import { takeUpRest } from './rounds.js';

type Config = CheckPlan['config'];

/** A check that is to begin, or what stands in its way. */
export type PlannedCheck =
  | { what: 'new'; plan: CheckPlan; notices: string[]; cleanUp(): void }
  | { what: 'kept'; directory: string };

/** Without a data directory the check is kept in a temporary one, until `cleanUp`. */
export async function planCheck(
  inputs: readonly string[],
  resolved: ResolvedOptions<'check'>,
  config: Config,
): Promise<PlannedCheck> {
  const { options } = resolved;
  const cwd = process.cwd();
  const { seeds, credentials, bad, folders, files } = await readCheckInput(inputs, options, cwd);
  const notices = badSeedLines(bad);
  const make = (directory: string): CheckPlan => ({
    ...{ resolved, config, directory, seeds, folders, files, badSeeds: bad, credentials, cwd },
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
  const choice = chooseDirectory(options, { command: 'check', seeds });
  const { directory } = choice;
  if (choice.what === 'kept') {
    const kept = openKeptCheck(directory).state.seeds;
    if (!sameSeeds(seeds, kept)) {
      throw otherSeeds(directory, 'check', kept);
    }
    return { what: 'kept', directory };
  }
  if (choice.movedTo !== null) {
    notices.push(`moved the old check to ${choice.movedTo}`);
  }
  return { what: 'new', plan: make(directory), notices, cleanUp: () => {} };
}

/** A check as a directory holds it. */
export interface KeptCheck {
  directory: string;
  stored: StoredOptions;
  state: Pick<CheckPlan, 'seeds' | 'folders' | 'files' | 'round' | 'spentMs' | 'truncated'>;
}

export function openKeptCheck(directory: string): KeptCheck {
  return openForReading(directory, (reader) => {
    const meta = reader.meta();
    if (reader.command() !== 'check') {
      throw otherCommand(directory, reader.command(), 'check');
    }
    return {
      directory,
      stored: JSON.parse(meta.options!) as StoredOptions,
      state: {
        seeds: reader.seeds(),
        folders: JSON.parse(meta.folders ?? '[]') as LocalFolder[],
        files: JSON.parse(meta.fileAliases ?? JSON.stringify(NO_FILES)) as FileAliases,
        round: Number(meta.checkRound ?? 0),
        spentMs: Number(meta.checkSpentMs ?? 0),
        truncated: meta.checkTruncated ?? null,
      },
    };
  });
}

/** Goes on with a check: where a limit had cut it short and does so no longer, with what it had left. */
export async function planResumed(
  kept: KeptCheck,
  resolved: ResolvedOptions<'check'>,
  config: Config,
): Promise<CheckPlan> {
  const { directory, state } = kept;
  const now = optionsToStore(resolved as unknown as ResolvedOptions<'crawl'>, 'check');
  const hasMore = openForReading(directory, (reader) => {
    const reason = state.truncated ?? reader.ended()?.reason ?? null;
    // The time that ended it is each run's own.
    return reason === 'duration' || isLimitRaised(reader, reason, resolved.options, now);
  });
  if (hasMore) {
    await takeUpRest(directory);
  }
  return planKept(kept, resolved, config, hasMore);
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
