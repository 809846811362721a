import { StateError, UsageError } from '../base/errors.js';
import type { ResolvedOptions } from '../config/resolve.js';
import type { StoredOptions } from '../config/stored.js';
import { chooseDirectory } from '../crawl/data-directory.js';
import { badSeedLines, readSeeds } from '../crawl/seed-input.js';
import { CrawlSession } from '../crawl/session.js';
import type { SessionPlan, SessionResult } from '../crawl/session-plan.js';
import { openForReading, stateOf } from '../store/directory.js';
import type { SeedRow } from '../store/transaction.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { CrawlView } from './crawl-view.js';
import { EXIT } from './exit.js';
import { seedFailure } from './seed-failure.js';
import { stopOnSignals } from './signals.js';
import type { Terminal } from './terminal.js';

/** gossamer crawl */
export async function runCrawl(input: CommandInput): Promise<number> {
  const ready = prepare('crawl', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { resolved, terminal } = ready;
  const { seeds, credentials, bad } = readSeeds(input.positionals, resolved.options);
  for (const warning of badSeedLines(bad)) {
    terminal.warn(warning);
  }
  const choice = chooseDirectory(resolved.options, seeds[0]!.url);
  if (choice.movedTo !== null) {
    terminal.line(`moved the old crawl to ${choice.movedTo}`);
  }
  if (choice.what === 'finished') {
    terminal.line(`${choice.directory} is finished; nothing to do`);
    return EXIT.ok;
  }
  if (choice.what === 'resume') {
    return goOn(choice.directory, input, seeds);
  }
  return runSession({ resolved, directory: choice.directory, seeds, badSeeds: bad, credentials, events: {} }, terminal);
}

/** Goes on with a crawl that is kept; `givenSeeds` must be those it has. */
export async function goOn(directory: string, input: CommandInput, givenSeeds: SeedRow[] | null): Promise<number> {
  const { stored, storedSeeds, command } = openForReading(directory, (reader) => ({
    stored: JSON.parse(reader.meta().options ?? 'null') as StoredOptions | null,
    storedSeeds: reader.seeds(),
    command: reader.meta().command,
  }));
  if (command === 'check' || command === 'docs') {
    const what = command === 'check' ? 'check' : 'corpus';
    throw new StateError('no_crawl', `${directory} holds a ${what}: \`gossamer resume ${directory}\` goes on with it`);
  }
  if (stored === null) {
    throw new StateError(
      'store_damaged',
      `the store in ${directory} does not say how it was made; it cannot be resumed`,
    );
  }
  if (givenSeeds !== null && !sameSeeds(givenSeeds, storedSeeds)) {
    throw new UsageError(`the crawl in ${directory} has other seeds; seeds cannot be changed on resume`);
  }
  const ready = prepare('resume', input, stored);
  if (ready === null) {
    return EXIT.ok;
  }
  const { terminal } = ready;
  const state = stateOf(directory);
  const news = `going on with ${directory}${state === 'finished' ? ' (it had ended; what is left is tried again)' : ''}`;
  const resolved = ready.resolved as unknown as ResolvedOptions<'crawl'>;
  return runSession({ resolved, directory, seeds: null, storedSeeds, events: {} }, terminal, news);
}

const sameSeeds = (given: SeedRow[], stored: SeedRow[]): boolean =>
  given.length === stored.length && given.every(({ url }, place) => url === stored[place]!.url);

async function runSession(plan: SessionPlan, terminal: Terminal, news: string | null = null): Promise<number> {
  const { options } = plan.resolved;
  const view = new CrawlView(terminal, options);
  const session = new CrawlSession({ ...plan, events: view.events });
  await session.open();
  if (news !== null) {
    terminal.line(news);
  }
  const unhook = stopOnSignals(session, options.graceMs, terminal);
  try {
    view.started(session, plan);
    const result = await session.run();
    view.ended(result, plan.directory);
    if (options.json) {
      writeJson(result.summary);
    }
    return exitCode(result);
  } finally {
    unhook();
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
    throw seedFailure(seeds, Object.keys(summary.byClass)[0] ?? 'no answer');
  }
  return EXIT.ok;
}
