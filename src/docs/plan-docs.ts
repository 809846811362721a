import { rmSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { systemClock } from '../base/clock.js';
import { StateError, UsageError } from '../base/errors.js';
import { nounOf } from '../config/commands.js';
import { specOf } from '../config/options.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { changedOptions, optionsToStore, type StoredOptions } from '../config/stored.js';
import { isCorpus } from '../corpus/index-file.js';
import { type KeptPages, seedsFor } from '../crawl/kept-pages.js';
import { type ResumePlan, resumePlan } from '../crawl/resume-plan.js';
import { type SeedInput, sameSeeds } from '../crawl/seed-input.js';
import {
  clearWorkFolder,
  folderNameOf,
  moveAside,
  openForReading,
  resumeCommand,
  stateOf,
  workFolderOf,
} from '../store/directory.js';
import { DirectoryLock } from '../store/lock.js';
import type { SeedRow } from '../store/transaction.js';
import { hostKeyOf } from '../url/host.js';
import { pageShapes, shapeOptions } from './convert/page-shape.js';
import { outputFolders } from './corpus-place.js';
import type { DocsPlan } from './docs-run.js';
import { type DocsProgress, progressOf, withOutputs } from './progress.js';

/** A corpus as a directory keeps it. */
export interface KeptDocs extends ResumePlan {
  progress: DocsProgress;
}

/** What `gossamer docs` has to do. */
export type PlannedDocs = { what: 'run'; plan: DocsPlan; notices: string[] } | { what: 'nothing'; directory: string };

/** Begins, or brings up to date what was made by the same command before. */
export function planDocs(input: SeedInput, resolved: ResolvedOptions<'docs'>): PlannedDocs {
  const { options } = resolved;
  const { seeds, credentials, bad: badSeeds } = input;
  if (options.output === '-') {
    throw new UsageError('--output of docs is a folder; a corpus cannot be written to stdout');
  }
  pageShapes(shapeOptions(options));
  const outputs = outputFolders(sitesOf(seeds, options), options.output);
  const wanted = { seeds, stored: optionsToStore(resolved, 'docs') };
  const { directory, kept } =
    options.dataDir === null ? findDefault(wanted, options) : lookAt(resolve(options.dataDir), wanted, options);
  refuseNested(directory, outputs);
  if (kept !== null && options.resume && isFinished(kept) && !kept.isLimitRaised(resolved, kept.endedBy)) {
    return { what: 'nothing', directory };
  }
  const movedTo = options.fresh && holdsSomething(directory) ? moveAside(directory) : null;
  const isNew = kept === null || options.fresh;
  const progress = isNew ? firstProgress(outputs) : withOutputs(kept.progress, outputs);
  const plan: DocsPlan = {
    ...{ resolved, directory, seeds: isNew ? seeds : kept.seeds, isNew, progress, badSeeds, credentials },
    ...{ events: {}, clock: systemClock },
  };
  return { what: 'run', plan, notices: movedTo === null ? [] : [`moved the old crawl to ${movedTo}`] };
}

/** A corpus of a crawl that kept its pages: nobody is asked, and nothing but the corpus stays. */
export function planDocsOfKept(
  kept: KeptPages,
  resolved: ResolvedOptions<'docs'>,
): { plan: DocsPlan; cleanUp(): void } {
  const { options } = resolved;
  if (options.output === '-') {
    throw new UsageError('--output of docs is a folder; a corpus cannot be written to stdout');
  }
  pageShapes(shapeOptions(options));
  const seeds = seedsFor(kept, options.scope);
  const outputs = outputFolders(sitesOf(seeds, options), options.output);
  refuseNested(kept.directory, outputs);
  const directory = workFolderOf(kept.directory);
  clearWorkFolder(kept.directory);
  const cleanUp = () => {
    process.off('exit', cleanUp);
    rmSync(directory, { recursive: true, force: true });
  };
  // A second Ctrl+C ends the process at once.
  process.on('exit', cleanUp);
  const plan: DocsPlan = {
    ...{ resolved, directory, seeds, isNew: true, progress: firstProgress(outputs), kept },
    ...{ events: {}, clock: systemClock },
  };
  return { plan, cleanUp };
}

/** The seeds that have a corpus each. */
const sitesOf = (seeds: readonly SeedRow[], { one }: { one: boolean }): readonly SeedRow[] =>
  one ? seeds.slice(0, 1) : seeds;

/** With --one a list of URLs is a list of pages, unless the user has said how far it goes. */
export function withOne(resolved: ResolvedOptions<'docs'>): ResolvedOptions<'docs'> {
  const { options, sources } = resolved;
  if (!options.one || sources.scope !== 'default') {
    return resolved;
  }
  const seedingStrategy = sources.seedingStrategy === 'default' ? 'none' : options.seedingStrategy;
  return { ...resolved, options: { ...options, scope: 'page', seedingStrategy } };
}

const firstProgress = (outputs: string[]): DocsProgress => ({
  round: 'survey',
  renews: false,
  unfollowed: [],
  widened: [],
  outputs,
  isWritten: false,
});

/** Goes on with what is kept; a finished one is brought up to date. */
export function planKeptDocs(
  { directory, seeds, progress }: KeptDocs,
  resolved: ResolvedOptions<'docs'>,
  output: string | null,
): DocsPlan {
  pageShapes(shapeOptions(resolved.options));
  const outputs = output === null ? progress.outputs : outputFolders(sitesOf(seeds, resolved.options), output);
  refuseNested(directory, outputs);
  return {
    ...{ resolved, directory, seeds, isNew: false, progress: withOutputs(progress, outputs) },
    ...{ events: {}, clock: systemClock },
  };
}

/** Whether nothing is left to do. A run that could not fetch even its first page is tried again. */
export const isFinished = ({ progress }: KeptDocs): boolean => progress.isWritten && progress.outputs.some(isCorpus);

/** What a directory keeps of a corpus; refuses what is none. */
export function keptDocsIn(directory: string): KeptDocs {
  const plan = resumePlan(directory, 'docs');
  return { ...plan, progress: progressOf(plan.meta)! };
}

/** Null if the directory holds something else. */
const openKeptDocs = (directory: string): KeptDocs | null =>
  commandIn(directory) === 'docs' ? keptDocsIn(directory) : null;

const commandIn = (directory: string): string => openForReading(directory, (reader) => reader.command());

/** A corpus is a folder that is replaced as a whole: the crawl that it is made of cannot be kept in there. */
function refuseNested(directory: string, outputs: readonly string[]): void {
  const around = outputs.find((output) => `${directory}${sep}`.startsWith(`${output}${sep}`));
  if (around !== undefined) {
    throw new UsageError(
      `${directory} would keep the crawl inside its corpus ${around}: name another --output or --data-dir`,
    );
  }
}

interface WantedCorpus {
  seeds: readonly SeedRow[];
  stored: StoredOptions;
}
interface DirectoryChoice {
  fresh: boolean;
  resume: boolean;
}
interface Found {
  directory: string;
  kept: KeptDocs | null;
}

/** `<host>`, and `<host>-2`, `-3` … where the earlier ones hold something else. */
function findDefault(wanted: WantedCorpus, choice: DirectoryChoice): Found {
  const base = join(process.cwd(), 'gossamer-data', folderNameOf(hostKeyOf(wanted.seeds[0]!.url)));
  for (let number = 1; ; number++) {
    const directory = number === 1 ? base : `${base}-${number}`;
    if (stateOf(directory) === 'empty') {
      return { directory, kept: null };
    }
    const kept = openKeptDocs(directory);
    if (kept !== null && isSame(kept, wanted)) {
      refuseUnfinished(kept, choice);
      return { directory, kept };
    }
  }
}

function lookAt(directory: string, wanted: WantedCorpus, choice: DirectoryChoice): Found {
  if (choice.fresh || stateOf(directory) === 'empty') {
    return { directory, kept: null };
  }
  const kept = openKeptDocs(directory);
  if (kept === null || !isSame(kept, wanted)) {
    const what =
      kept === null ? `a ${nounOf(commandIn(directory))}, not a corpus` : 'a corpus of other seeds or options';
    throw new StateError('occupied', `${directory} holds ${what}: name another --data-dir, or --fresh moves it aside`);
  }
  refuseUnfinished(kept, choice);
  return { directory, kept };
}

function refuseUnfinished({ directory, progress }: KeptDocs, { fresh, resume }: DirectoryChoice): void {
  DirectoryLock.refuseTaken(directory);
  if (!progress.isWritten && !fresh && !resume) {
    throw new StateError(
      'occupied',
      `${directory} holds an unfinished corpus: \`${resumeCommand(directory)}\` goes on with it, --fresh moves it aside and begins anew`,
    );
  }
}

/** The same seeds, and all options by which URLs are known or chosen. */
function isSame(kept: KeptDocs, { seeds, stored }: WantedCorpus): boolean {
  return sameSeeds(seeds, kept.seeds) && [...changedOptions(kept.stored, stored)].every((key) => specOf(key).resumable);
}

const holdsSomething = (directory: string): boolean => {
  try {
    return stateOf(directory) !== 'empty';
  } catch {
    return true;
  }
};
