import { parseArgs } from 'node:util';
import { demoSite } from './demo.js';
import { makeGraph } from './graph.js';
import { INGREDIENTS } from './graph-page.js';
import { tree } from './plain.js';
import { openWeb } from './web.js';

/**
 * The web in a box as a process of its own, so that what is crawled survives the crawler:
 *   node dist/test/web/serve.js --port 0 --seed 7 --hosts 50 --urls 5000 --log FILE
 * prints {"port":…} when it is ready and ends on SIGTERM or SIGINT.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    hosts: { type: 'string', default: '10' },
    urls: { type: 'string', default: '1000' },
    log: { type: 'string' },
    /** Host names are h0.<domain>, h1.<domain>, … */
    domain: { type: 'string', default: 'test' },
    /** Ingredients of the graph to leave out, with commas. */
    without: { type: 'string', default: '' },
    /** Besides the graph: a tree of so many pages at tree.test and 127.0.0.1. */
    tree: { type: 'string' },
    'body-bytes': { type: 'string', default: '0' },
    links: { type: 'string', default: '10' },
    /** Besides the graph: the demo at demo.test and 127.0.0.1. */
    demo: { type: 'boolean', default: false },
  },
});

function integer(name: 'port' | 'seed' | 'hosts' | 'urls' | 'tree' | 'body-bytes' | 'links'): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`--${name}: expected an integer, got ${values[name]}`);
  }
  return value;
}

const without = values.without.split(',').filter((name) => name !== '');
for (const name of without) {
  if (!INGREDIENTS.some((known) => known === name)) {
    throw new RangeError(`--without: ${name} is not one of ${INGREDIENTS.join(', ')}`);
  }
}

const graph = makeGraph({
  seed: integer('seed'),
  hosts: integer('hosts'),
  urls: integer('urls'),
  hostName: (host) => `h${host}.${values.domain}`,
  ...Object.fromEntries(without.map((name) => [name, false])),
});
// The log goes to the file only: this process may serve millions of requests.
const web = await openWeb({
  port: integer('port'),
  keepLog: false,
  ...(values.log === undefined ? {} : { logFile: values.log }),
});
graph.install(web);
if (values.demo) {
  for (const host of ['demo.test', '127.0.0.1']) {
    web.site(host, demoSite());
  }
}
if (values.tree !== undefined) {
  const site = tree({ pages: integer('tree'), links: integer('links'), bodyBytes: integer('body-bytes') });
  for (const host of ['tree.test', '127.0.0.1']) {
    web.site(host, site);
  }
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    web.close().then(() => process.exit(0));
  });
}
process.stdout.write(`${JSON.stringify({ port: web.port })}\n`);
