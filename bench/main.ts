import { parseArgs } from 'node:util';
import { cases } from './cases.js';
import { check } from './check.js';
import { cluster } from './cluster.js';
import { say } from './compete.js';
import { conversion } from './conversion.js';
import { docs } from './docs.js';
import { extract } from './extract.js';
import { HALVES } from './extraction/sample.js';
import { extraction } from './extraction.js';
import { fourSites } from './four-sites.js';
import { hooks } from './hooks.js';
import { manyHosts } from './many-hosts.js';
import { markdown } from './markdown.js';
import { names } from './names.js';
import { resume } from './resume.js';
import { type Scenario, WishError } from './scenario.js';
import { search } from './search.js';
import { MILLION, seen, TEN_MILLION } from './seen.js';
import { setup } from './setup.js';
import { site } from './site.js';
import { site100k } from './site-100k.js';
import { small } from './small.js';
import { split } from './split.js';
import { watched } from './watched.js';

const SCENARIOS: readonly Scenario[] = [
  site,
  site100k,
  fourSites,
  small,
  hooks,
  watched,
  manyHosts,
  resume,
  split,
  cluster,
  names,
  check,
  cases,
  markdown,
  extract,
  extraction,
  conversion,
  docs,
  search,
  {
    word: 'seen',
    sentence: 'a million distinct URLs and ten million repeats, the filter sized for 1,000',
    run: () => seen(MILLION),
  },
  {
    word: 'seen-on-disk',
    sentence: 'the same with a key table of 4 MiB: most keys are on disk behind the filter',
    run: () => seen({ ...MILLION, seenMemoryBytes: 4 * 1024 * 1024 }),
  },
  {
    word: 'urls',
    sentence: 'ten million distinct URLs and as many repeats through the frontier',
    run: () => seen(TEN_MILLION),
  },
];

const USAGE = `npm run bench -- [--setup] [${SCENARIOS.map(({ word }) => word).join(' | ')}] [--rounds N] [--only NAME,NAME] [--half dev|held-out] [--previous FOLDER] [--node FILE,FILE]
${SCENARIOS.map(({ word, sentence }) => `  ${word.padEnd(14)}${sentence}`).join('\n')}
Without a word: all of them. --setup installs what it can of the peers and of other versions of Node into bench/.peers/ and ends.
--only leaves out every contestant but these and the durable crawl, which says what the pages are.
--previous also crawls with another checkout of ours, which has to be built; --node also crawls with other programs of Node, by default with
those that --setup has installed. Both are for crawls of sites and for hosts; there --only chooses among them (gossamer-previous, gossamer-node-24).
--half measures extraction on that half of the labelled pages alone.
Tables and charts go to bench/results/. Others: node dist/bench/scan.js, node dist/bench/idle.js.
`;

// So that what is tied to the end of the process is ended too: nginx, contestants, folders.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(1));
}

const wishes = readArguments();
if (wishes === null) {
  process.stderr.write(USAGE);
  process.exit(2);
}
if (wishes.setup) {
  setup(wishes.only, say);
} else {
  try {
    for (const scenario of wishes.scenarios) {
      await scenario.run(wishes);
    }
  } catch (error) {
    if (!(error instanceof WishError)) {
      throw error;
    }
    say(error.message);
    process.exit(2);
  }
}

/** Null where they make no sense. */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        setup: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        only: { type: 'string' },
        half: { type: 'string' },
        previous: { type: 'string' },
        node: { type: 'string' },
      },
    });
    const scenarios = positionals.map((word) => SCENARIOS.find((scenario) => scenario.word === word));
    const rounds = values.rounds === undefined ? null : Number(values.rounds);
    const half = HALVES.find((each) => each === values.half) ?? null;
    if (values.half !== undefined && half === null) {
      return null;
    }
    if (scenarios.includes(undefined) || (rounds !== null && !(Number.isInteger(rounds) && rounds > 0))) {
      return null;
    }
    return {
      setup: values.setup,
      scenarios: scenarios.length === 0 ? SCENARIOS : (scenarios as Scenario[]),
      rounds,
      only: values.only === undefined ? null : values.only.split(','),
      half,
      previous: values.previous ?? null,
      nodes: values.node?.split(',') ?? null,
    };
  } catch {
    return null;
  }
}
