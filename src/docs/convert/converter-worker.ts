import { parentPort, workerData } from 'node:worker_threads';
import { SiteMemory } from '../../content/extract/site-memory.js';
import { loadTokenCounter } from '../../corpus/tokens.js';
import { openStoreFile } from '../../store/store.js';
import { type Result, resultOf } from './conversion.js';
import { Converter } from './converter.js';
import type { ConverterOrder, ConverterWork } from './converter-thread.js';

const { store, chunkTokens, begun } = workerData as ConverterWork;
const port = parentPort!;
const counter = new Int32Array(begun);
const database = openStoreFile(store, { create: false, readOnly: true });

// Not awaited at the top: a bundle in CommonJS cannot. What is sent meanwhile waits in the port.
void loadTokenCounter().then((tokens) => {
  const converter = new Converter(database, { chunkTokens, tokens });
  port.on('message', ({ task, memory, ids, knownHashes, linkedIds }: ConverterOrder) => {
    const site = new SiteMemory(memory);
    const results = ids.map((id, i): Result => {
      Atomics.add(counter, 0, 1);
      return resultOf(() =>
        task === 'learn'
          ? converter.learn(id, site)
          : converter.convert({ id, knownHash: knownHashes[i]!, linkedIds: linkedIds[i]! }, site),
      );
    });
    port.postMessage(results);
  });
});
