import { StateError } from '../base/errors.js';
import { beginCluster, crawlIdOf, hooksHashOf, redisOf, refuseAlone, seatIn } from '../cluster/start.js';
import type { CrawlOptions } from '../config/options.js';
import type { ResolvedOptions } from '../config/resolve.js';
import { optionsToStore } from '../config/stored.js';
import { isCorpus } from '../corpus/index-file.js';
import { guessed, namedOrArchived } from '../crawl/archive-web.js';
import { chooseDirectory } from '../crawl/data-directory.js';
import type { SessionResult } from '../crawl/profile.js';
import { type Left, nextStep, nextStepOfPart, type ResumePlan, resumePlan } from '../crawl/resume-plan.js';
import { seedFailure } from '../crawl/seed-failure.js';
import { badSeedLines, readSeeds } from '../crawl/seed-input.js';
import { CrawlSession } from '../crawl/session.js';
import type { SessionPlan } from '../crawl/session-plan.js';
import { openForReading, resumeCommand } from '../store/directory.js';
import type { SeedRow } from '../store/transaction.js';
import { withResumeAdvice } from './advice.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { CrawlView } from './crawl-view.js';
import { EXIT } from './exit.js';
import { type Outlets, withOutlets } from './outlets.js';
import { stopOnSignals } from './signals.js';
import type { Terminal } from './terminal.js';

/** gossamer crawl */
export async function runCrawl(input: CommandInput): Promise<number> {
  const ready = prepare('crawl', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { resolved, terminal } = ready;
  const { named, guess } = namedOrArchived(input.positionals, resolved.options);
  if (guess !== null) {
    terminal.line(guessed(guess));
  }
  const { seeds, credentials, bad } = readSeeds(named, resolved.options);
  for (const warning of badSeedLines(bad)) {
    terminal.warn(warning);
  }
  const choice = chooseDirectory(resolved.options, { command: 'crawl', seeds });
  if (choice.what === 'new' && isCorpus(choice.directory)) {
    throw new StateError('occupied', `${choice.directory} is a corpus: name another --data-dir`);
  }
  if (choice.what === 'kept') {
    return resumeCrawl(resumePlan(choice.directory, 'crawl', seeds), input, true);
  }
  const { directory, movedTo } = choice;
  if (movedTo !== null) {
    terminal.line(`moved the old crawl to ${movedTo}`);
  }
  const plan = { resolved, directory, seeds, badSeeds: bad, credentials, events: {} };
  const url = redisOf(resolved.options);
  if (url === null) {
    return withOutlets(resolved.options, terminal, plan, (outlets) => runSession(plan, terminal, outlets));
  }
  return crawlTogether(url, plan, terminal);
}

/** The first machine of several: it has slot 0, and says how the others join. */
async function crawlTogether(
  url: string,
  plan: SessionPlan & { directory: string; seeds: SeedRow[] },
  terminal: Terminal,
): Promise<number> {
  const { options } = plan.resolved;
  refuseAlone(options, plan.seeds);
  const { clusterNodes: nodes, leaseMs } = options;
  const crawlId = crawlIdOf(options);
  const shared = {
    options: optionsToStore(plan.resolved),
    seeds: plan.seeds,
    leaseMs,
    hooksHash: hooksHashOf(options),
  };
  const { profile, node } = await beginCluster(url, { crawlId, nodes: nodes!, ...shared });
  try {
    const together = { ...plan, profile };
    const others = nodes! - 1;
    const news = `slot 0 of ${crawlId}; ${others === 1 ? 'one more machine joins' : `${others} more machines join`} by \`gossamer join --redis-url … --crawl-id ${crawlId} --data-dir DIR\``;
    return await withOutlets(options, terminal, together, (outlets) => runSession(together, terminal, outlets, news));
  } finally {
    await node.close();
  }
}

/**
 * Goes on with a crawl that is kept.
 * @param onlyToFinish one that has ended is not asked for what it put off, nor are its outputs written again
 */
export async function resumeCrawl(plan: ResumePlan, input: CommandInput, onlyToFinish: boolean): Promise<number> {
  const { directory, seeds: storedSeeds, stored } = plan;
  if (seatIn(plan.meta) !== null) {
    throw new StateError(
      'cluster_part',
      `${directory} holds a part of a crawl on several machines: \`gossamer join --redis-url … --crawl-id … --data-dir ${directory}\` goes on with it, \`gossamer merge\` makes one crawl of all parts`,
    );
  }
  const ready = prepare('resume', input, stored);
  if (ready === null) {
    return EXIT.ok;
  }
  const { terminal } = ready;
  const resolved = ready.resolved as unknown as ResolvedOptions<'crawl'>;
  const left = plan.left(resolved);
  if (onlyToFinish && (left === 'nothing' || left === 'deferred')) {
    terminal.line(`${directory} is finished; ${nothingToDo(directory, left, resolved.options)}`);
    return EXIT.ok;
  }
  const session = { resolved, directory, seeds: null, storedSeeds, events: {} };
  return withOutlets(resolved.options, terminal, session, (outlets) =>
    runSession(session, terminal, outlets, NEWS[left](directory)),
  );
}

const NEWS: Readonly<Record<Left, (directory: string) => string>> = {
  rest: (directory) => `going on with ${directory}`,
  more: (directory) => `going on with ${directory} (it had ended; there is more to ask for now)`,
  deferred: (directory) => `going on with ${directory} (it had ended; what was put off is tried again)`,
  nothing: (directory) => `${directory} is finished; its outputs are written again`,
};

function nothingToDo(directory: string, left: Left, options: Pick<CrawlOptions, 'maxUrls'>): string {
  if (left === 'deferred') {
    return `nothing to do but what was put off: \`${resumeCommand(directory)}\` tries that again`;
  }
  const { reason, fetched } = openForReading(directory, (reader) => {
    const { done = 0, failed = 0 } = reader.counts();
    return { reason: reader.ended()?.reason, fetched: done + failed };
  });
  if (reason === 'max_bytes') {
    return `nothing to do within --max-bytes: ${nextStep(directory, reason, fetched)}`;
  }
  return reason === 'max_urls'
    ? `nothing to do within --max-urls ${Math.max(options.maxUrls ?? 0, fetched)}: ${nextStep(directory, reason, fetched)}`
    : 'nothing to do';
}

export async function runSession(
  plan: SessionPlan & { directory: string },
  terminal: Terminal,
  outlets: Outlets,
  news: string | null = null,
): Promise<number> {
  const { directory } = plan;
  const { options } = plan.resolved;
  const view = new CrawlView(terminal, options);
  // There is a store by the time the disk is found too full; whatever else is refused here has not begun.
  const session = await withResumeAdvice(
    directory,
    () => CrawlSession.open({ ...plan, events: outlets.beside(view.events) }),
    ['disk_low'],
  );
  if (news !== null) {
    terminal.line(news);
  }
  const partOf = seatIn(plan.profile?.meta ?? {})?.crawlId ?? null;
  const afterwards =
    partOf === null ? `\`${resumeCommand(directory)}\` goes on` : nextStepOfPart(directory, 'interrupted', partOf);
  const removeListeners = stopOnSignals({ run: session, graceMs: options.graceMs, terminal, afterwards });
  try {
    view.started(session, plan);
    const result = await withResumeAdvice(directory, () => session.run());
    const { end, summary } = result;
    view.ended(
      result,
      directory,
      partOf === null
        ? nextStep(directory, end.reason, summary.done + summary.failed)
        : nextStepOfPart(directory, end.reason, partOf),
    );
    outlets.cameTo(result.summary);
    if (options.json) {
      writeJson(result.summary);
    }
    return exitCode(result);
  } finally {
    view.close();
    removeListeners();
  }
}

function exitCode({ end, seeds, allSeedsFailed, summary }: SessionResult): number {
  if (end.reason === 'interrupted') {
    return EXIT.interrupted;
  }
  if (end.reason === 'terminated') {
    return EXIT.terminated;
  }
  if (allSeedsFailed) {
    throw seedFailure(seeds, summary);
  }
  return EXIT.ok;
}
