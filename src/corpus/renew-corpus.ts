import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AtomicFiles } from '../report/atomic-file.js';
import { TextWriter } from '../report/output.js';
import { DirectoryLock } from '../store/lock.js';
import type { CorpusOptions, CorpusReport } from './corpus-options.js';
import type { RemovedEntry } from './index-entry.js';
import { readIndexHead, rewriteIndex } from './index-file.js';
import { FILES, fileOf, partialOf } from './layout.js';
import { readReport } from './read-corpus.js';
import { filesOf, prepareFolders, repairCorpus, swapIn } from './swap.js';
import { linkFile } from './tree.js';

/** Stands for the bytes of all files that a corpus is made of. A file that is missing counts as one without bytes. */
export async function filesHash(dir: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of [...(await filesOf(dir))].sort()) {
    const bytes = createHash('sha256');
    const file = fileOf(dir, path);
    if (existsSync(file)) {
      await pipeline(createReadStream(file, { highWaterMark: PIECE_BYTES }), bytes);
    }
    hash.update(`${path}\0${bytes.digest('hex')}\n`);
  }
  return hash.digest('hex');
}

const PIECE_BYTES = 1024 * 1024;

/**
 * Brings a corpus up to date in which no page came, went or changed: what it says of the run is written anew, and all else is as it was. The bytes
 * are those that `writeCorpus` would write. Null where an interrupted run has left something that has to be looked at.
 */
export async function renewCorpus(dir: string, { breaks, onSwapStep }: CorpusOptions): Promise<CorpusReport | null> {
  await repairCorpus(dir);
  const partial = partialOf(dir);
  if (existsSync(partial)) {
    return null;
  }
  const head = await readIndexHead(dir);
  const changes = { added: 0, changed: 0, rewritten: 0, removed: 0, unchanged: head.pages };
  prepareFolders(dir);
  const lock = DirectoryLock.take(partial);
  try {
    for (const path of await filesOf(dir)) {
      if (path !== FILES.index && path !== FILES.changes) {
        linkFile(dir, partial, path);
      }
    }
    await breaks?.take();
    await writeBoth(partial, (index) => rewriteIndex(dir, index, { run: head.run + 1, changes, removed: oneRunLess }));
  } finally {
    lock.release();
  }
  await swapIn(dir, onSwapStep);
  return readReport(dir);
}

const oneRunLess = (tomb: RemovedEntry): RemovedEntry | null =>
  tomb.runsLeft > 1 ? { ...tomb, runsLeft: tomb.runsLeft - 1 } : null;

/** `changes.jsonl`, which is empty, and then `index.json`, by which the folder is a complete corpus. */
async function writeBoth(partial: string, write: (index: TextWriter) => Promise<void>): Promise<void> {
  const [changes, index] = [FILES.changes, FILES.index].map((name) => new AtomicFiles(join(partial, name))) as [
    AtomicFiles,
    AtomicFiles,
  ];
  try {
    await new TextWriter(changes.create()).flush();
    const text = new TextWriter(index.create());
    await write(text);
    await text.flush();
    await AtomicFiles.commitTogether([changes], index);
  } catch (error) {
    changes.discard();
    index.discard();
    throw error;
  }
}
