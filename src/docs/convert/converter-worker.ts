import { workerData } from 'node:worker_threads';
import { serve } from '../../base/worker-thread.js';
import { SiteMemory } from '../../content/extract/site-memory.js';
import { loadTokenCounter } from '../../corpus/tokens.js';
import { DocsReader } from '../../store/docs-reader.js';
import { resultOf } from './conversion.js';
import { Converter } from './converter.js';
import { CONVERTER_ORDERS, type ConverterWork } from './converter-thread.js';
import { pageShapes } from './page-shape.js';

const { directory, chunkTokens, shape, begun } = workerData as ConverterWork;
const counter = new Int32Array(begun);
const store = DocsReader.open(directory);

// Not awaited at the top: a bundle in CommonJS cannot. What is sent meanwhile waits in the port.
void loadTokenCounter().then((tokens) => {
  const converter = new Converter(store, { chunkTokens, tokens }, pageShapes(shape));
  serve(
    CONVERTER_ORDERS,
    {
      convert({ task, memory, jobs }) {
        const site = new SiteMemory(memory);
        return jobs.map((job) => {
          Atomics.add(counter, 0, 1);
          return resultOf(() => (task === 'learn' ? converter.learn(job.id, site) : converter.convert(job, site)));
        });
      },
    },
    {},
  );
});
