import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { guessed, namedOrArchived } from '../crawl/archive-web.js';
import { chooseDirectory } from '../crawl/data-directory.js';
import { type KeptPages, seedsFor } from '../crawl/kept-pages.js';
import { type ResumePlan, resumePlan } from '../crawl/resume-plan.js';
import { badSeedLines } from '../crawl/seed-input.js';
import type { SeedRow } from '../store/transaction.js';
import { type FileAliases, NO_FILES } from '../url/aliases.js';
import { readCheckInput } from './check-input.js';
import type { CheckPlan } from './check-run.js';
import type { LocalFolder } from './local-folder.js';
import { takeUpRest } from './rounds.js';

type Config = CheckPlan['config'];

/** A check that can begin, or the directory of a kept one that stands in its way. */
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
  const { named, guess } = namedOrArchived(inputs, options);
  const { seeds, credentials, bad, folders, files } = await readCheckInput(named, options, cwd);
  const notices = [...(guess === null ? [] : [guessed(guess)]), ...badSeedLines(bad)];
  const make = (directory: string): CheckPlan => ({
    ...{ resolved, config, directory, seeds, folders, files, badSeeds: bad, credentials, cwd },
    ...{ clock: systemClock, isNew: true, round: 0, spentMs: 0, truncated: null, events: {} },
  });
  if (options.dataDir === null) {
    const { directory, cleanUp } = temporaryDirectory();
    return { what: 'new', plan: make(directory), notices, cleanUp };
  }
  const choice = chooseDirectory(options, { command: 'check', seeds });
  const { directory } = choice;
  if (choice.what === 'kept') {
    openKeptCheck(directory, seeds);
    return { what: 'kept', directory };
  }
  if (choice.movedTo !== null) {
    notices.push(`moved the old check to ${choice.movedTo}`);
  }
  return { what: 'new', plan: make(directory), notices, cleanUp: () => {} };
}

/** A check of the links of a crawl that kept its answers: nobody is asked. */
export function planCheckOfKept(
  kept: KeptPages,
  resolved: ResolvedOptions<'check'>,
  config: Config,
): { plan: CheckPlan; cleanUp(): void } {
  const { directory, cleanUp } = temporaryDirectory();
  const plan: CheckPlan = {
    ...{ resolved, config, directory, seeds: seedsFor(kept, resolved.options.scope), folders: [], files: NO_FILES },
    ...{ cwd: process.cwd(), clock: systemClock, isNew: true, round: 0, spentMs: 0, truncated: null, events: {}, kept },
  };
  return { plan, cleanUp };
}

function temporaryDirectory(): { directory: string; cleanUp(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'gossamer-check-'));
  const cleanUp = () => {
    process.off('exit', cleanUp);
    rmSync(directory, { recursive: true, force: true });
  };
  // A second Ctrl+C ends the process at once.
  process.on('exit', cleanUp);
  return { directory, cleanUp };
}

/** A check as a directory holds it. */
export interface KeptCheck extends ResumePlan {
  state: Pick<CheckPlan, 'seeds' | 'folders' | 'files' | 'round' | 'spentMs' | 'truncated'>;
}

export function openKeptCheck(directory: string, givenSeeds: readonly SeedRow[] | null = null): KeptCheck {
  const plan = resumePlan(directory, 'check', givenSeeds);
  const { meta, seeds } = plan;
  return {
    ...plan,
    state: {
      seeds,
      folders: JSON.parse(meta.folders ?? '[]') as LocalFolder[],
      files: JSON.parse(meta.fileAliases ?? JSON.stringify(NO_FILES)) as FileAliases,
      round: Number(meta.checkRound ?? 0),
      spentMs: Number(meta.checkSpentMs ?? 0),
      truncated: meta.checkTruncated ?? null,
    },
  };
}

/** Goes on with a check: where a limit had cut it short and does so no longer, with what it had left. */
export async function planResumed(
  kept: KeptCheck,
  resolved: ResolvedOptions<'check'>,
  config: Config,
): Promise<CheckPlan> {
  const reason = kept.state.truncated ?? kept.endedBy;
  // --duration holds for each run anew, so it does not keep the check from going on.
  const hasMore = reason === 'duration' || kept.isLimitRaised(resolved, reason);
  if (hasMore) {
    await takeUpRest(kept.directory);
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
