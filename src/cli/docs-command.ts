import { join, resolve } from 'node:path';
import { systemClock } from '../base/clock.js';
import { badSeedLines, readSeeds } from '../crawl/seed-input.js';
import { DocsRun } from '../docs/docs-run.js';
import { folderNameOf, openForReading, stateOf } from '../store/directory.js';
import { hostKeyOf } from '../url/host.js';
import { type CommandInput, prepare } from './command.js';
import { CrawlView } from './crawl-view.js';
import { EXIT } from './exit.js';
import { seedFailure } from './seed-failure.js';
import { stopOnSignals } from './signals.js';
import { formatBytes, formatCount } from './terminal.js';

/** gossamer docs */
export async function runDocs(input: CommandInput): Promise<number> {
  const ready = prepare('docs', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { resolved, terminal } = ready;
  const { options } = resolved;
  const { seeds, credentials, bad } = readSeeds(input.positionals, options, 'docs');
  for (const warning of badSeedLines(bad)) {
    terminal.warn(warning);
  }
  const host = folderNameOf(hostKeyOf(seeds[0]!.url));
  const output = resolve(options.output ?? `${host}-docs`);
  const directory = resolve(options.dataDir ?? join('gossamer-data', `${host}-docs`));
  const state = stateOf(directory);
  const isNew = state === 'empty';
  const kept = isNew ? seeds : openForReading(directory, (reader) => reader.seeds());
  const view = new CrawlView(terminal, options);
  const run = new DocsRun({
    ...{ resolved, directory, output, seeds: kept, isNew, renews: state === 'finished', badSeeds: bad, credentials },
    ...{ events: view.events, began: (session, plan) => view.started(session, plan), clock: systemClock },
  });
  const unhook = stopOnSignals(run, options.graceMs, terminal);
  try {
    const { result, corpus } = await run.run();
    terminal.endProgress();
    if (corpus === null) {
      if (result.allSeedsFailed) {
        throw seedFailure(result.seeds, 'no answer');
      }
      terminal.line(`stopped; \`gossamer resume ${directory}\` goes on`);
      return result.end.reason === 'terminated' ? EXIT.terminated : EXIT.interrupted;
    }
    const { added, changed, removed, unchanged } = corpus.changes;
    terminal.line(
      `${output}: ${formatCount(added)} added, ${formatCount(changed)} changed, ${formatCount(removed)} removed, ${formatCount(unchanged)} unchanged, ${formatCount(corpus.duplicates)} duplicates`,
    );
    terminal.line(
      `Saved ${formatCount(corpus.pages)} pages (${formatBytes(corpus.bytes)}, ~${formatCount(corpus.tokens)} tokens), ${formatCount(corpus.failed)} failed`,
    );
    return EXIT.ok;
  } finally {
    unhook();
  }
}
