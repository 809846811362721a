import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StateError } from '../base/errors.js';
import { foldersIn } from '../base/folders.js';
import { printable } from '../base/text.js';
import { isCorpus } from '../corpus/index-file.js';
import { Dashboard } from '../dashboard/server.js';
import { findCorpus } from '../docs/corpus-place.js';
import { isUnbegun } from '../store/directory.js';
import { storePath } from '../store/store-file.js';
import { type CommandInput, prepare } from './command.js';
import { EXIT } from './exit.js';
import { onStopSignals } from './signals.js';

/** gossamer serve <dir…> */
export async function runServe(input: CommandInput): Promise<number> {
  const ready = prepare('serve', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { address: host, port } = ready.resolved.options;
  const found = input.positionals.map((asked) => keptIn(resolve(asked)));
  const crawls = [...new Set(found.flatMap((each) => each.crawls))];
  const corpora = [...new Set(found.flatMap((each) => each.corpora))];
  const shown = { run: () => null, isLive: false, crawls, corpora: () => corpora };
  const dashboard = await Dashboard.open({
    host,
    port,
    shown,
    failed: (error) => process.stderr.write(`the dashboard failed: ${printable(error.stack ?? error.message, 2000)}\n`),
  });
  process.stderr.write(`dashboard: ${dashboard.url}\n`);
  await new Promise<void>((stop) => {
    const removeListeners = onStopSignals(() => {
      removeListeners();
      stop();
    });
  });
  await dashboard.close();
  return EXIT.ok;
}

/** A crawl, a corpus, or a folder of them. A run of docs has both. */
function keptIn(folder: string): { crawls: string[]; corpora: string[] } {
  const kept = keptAt(folder);
  if (kept.crawls.length + kept.corpora.length > 0) {
    return kept;
  }
  const below = existsSync(folder) ? foldersIn(folder).map((name) => keptAt(join(folder, name))) : [];
  const all = { crawls: below.flatMap(({ crawls }) => crawls), corpora: below.flatMap(({ corpora }) => corpora) };
  if (all.crawls.length + all.corpora.length === 0) {
    throw new StateError('no_store', `there is no crawl and no corpus in ${folder}`);
  }
  return all;
}

function keptAt(folder: string): { crawls: string[]; corpora: string[] } {
  const isCrawl = existsSync(storePath(folder)) && !isUnbegun(folder);
  const corpus = isCrawl || isCorpus(folder) ? findCorpus(folder) : null;
  return { crawls: isCrawl ? [folder] : [], corpora: corpus === null ? [] : [corpus] };
}
