import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/config/commands.js';
import type { OptionSpec } from '../../src/config/option-spec.js';
import { configKeyOf, OPTION_KEYS, type OptionKey, specFor, specOf, variableOf } from '../../src/config/options.js';
import { defaultOf } from '../../src/config/resolve.js';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';

/** Texts that their options accept, where any text would not do. */
const SAMPLES: Partial<Record<OptionKey, string>> = {
  headers: 'X-Sample: 1',
  user: 'name:word',
  seedingStrategy: 'sitemap,ct',
  contentTypes: 'text/plain',
  ctUrl: 'https://sample.test',
  commoncrawlUrl: 'https://sample.test',
  proxy: 'socks5://127.0.0.1:1080',
  clientPassphrase: 'env:SAMPLE',
  allowNetworks: '10.0.0.0/8',
  connectTo: 'a.test:80:127.0.0.1:8080',
  dnsServers: '127.0.0.1:5353',
  reports: 'jsonl=/sample.jsonl',
  failOn: '+moved',
  accept: '403',
  baseUrl: 'https://sample.test/',
  suggestUrl: 'https://sample.test/available',
  remaps: 'https://a.test=https://b.test',
  extract: 'sample=h1@text',
  notify: 'https://sample.test/hook',
  givenData: '{"a":1}',
  ignoredParts: 'title',
  mapHosts: 'a.test=b.test',
  hosts: '*.sample.test delay=5s max-inflight=2',
  redisUrl: 'redis://127.0.0.1:6379',
  lang: 'en-GB',
  // Beside each other: the buffer holds a body, the keys are less than all memory, and lanes are as many as the cores allow.
  maxBodyBytes: '2MiB',
  parseBufferBytes: '4MiB',
  memoryLimitBytes: '512MiB',
  seenMemoryBytes: '8MiB',
  parseWorkers: '1',
};

/** A value that is not the default. */
function sampleOf(command: Command, key: OptionKey): string {
  const spec = specFor(command, key);
  const sample = SAMPLES[key];
  if (sample !== undefined) {
    return sample;
  }
  switch (spec.type) {
    case 'boolean':
      return String(!(defaultOf(command, spec) ?? true));
    case 'enum':
      return spec.values.find((value) => value !== defaultOf(command, spec))!;
    case 'path':
      return '/sample/file';
    case 'list':
      return spec.item === 'path' ? '/sample/file' : 'sample';
    case 'text':
      return 'sample';
    case 'duration':
      return `${spec.min + 7}ms`;
    case 'size':
      return `${spec.min + 7}B`;
    case 'number':
      return String(spec.max);
    default:
      return String(spec.min + 7);
  }
}

function asFlag(spec: OptionSpec, sample: string): string[] {
  if (spec.type !== 'boolean') {
    // A flag that may stand alone takes its value behind `=` only.
    return spec.bare === undefined ? [`--${spec.flag}`, sample] : [`--${spec.flag}=${sample}`];
  }
  return [sample === 'true' ? `--${spec.flag}` : `--no-${spec.flag}`];
}

function inConfigFile(spec: OptionSpec, sample: string): unknown {
  if (spec.type === 'boolean') {
    return sample === 'true';
  }
  if (spec.type === 'list') {
    return [sample];
  }
  return spec.type === 'integer' || spec.type === 'number' ? Number(sample) : sample;
}

type InForce = Record<string, { value: unknown; source: string }>;
type Way = 'flag' | 'variable' | 'old variable' | 'config file' | 'default';

/** They say what is to be answered, and with which file. */
const ASKING: readonly OptionKey[] = ['printConfig', 'config'];
/** They contradict others, so they are given apart. */
const APART: readonly OptionKey[] = ['verbose', 'resume', 'json', 'httpCache', 'httpCacheOnly'];

interface Batch {
  readonly name: string;
  readonly command: Command;
  readonly keys: readonly OptionKey[];
}
const batchOf = (name: string, command: Command, belongs: (key: OptionKey) => boolean): Batch => ({
  name,
  command,
  keys: OPTION_KEYS.filter((key) => specOf(key).commands.includes(command) && !ASKING.includes(key) && belongs(key)),
});
const CRAWL = batchOf('crawl', 'crawl', (key) => !APART.includes(key));
const BATCHES: readonly Batch[] = [
  CRAWL,
  batchOf('crawl, apart', 'crawl', (key) => APART.includes(key)),
  batchOf('check', 'check', (key) => !APART.includes(key)),
  batchOf('check, apart', 'check', (key) => APART.includes(key)),
  batchOf('docs', 'docs', (key) => !APART.includes(key)),
  batchOf('docs, apart', 'docs', (key) => APART.includes(key)),
  batchOf('add', 'add', (key) => !APART.includes(key)),
  batchOf('preview', 'preview', (key) => !APART.includes(key)),
  batchOf('robots', 'robots', (key) => !APART.includes(key)),
  batchOf('export', 'export', (key) => !APART.includes(key)),
  batchOf('graph', 'graph', (key) => !APART.includes(key)),
  batchOf('diff', 'diff', (key) => !APART.includes(key)),
  batchOf('search', 'search', (key) => !APART.includes(key)),
  batchOf('serve', 'serve', (key) => !APART.includes(key)),
  batchOf('list', 'list', (key) => !APART.includes(key)),
  batchOf('show', 'show', (key) => !APART.includes(key)),
  batchOf('md', 'md', (key) => !APART.includes(key)),
];

/** What `--print-config` says, by option; JSON where the command can. */
function readPrinted(text: string): InForce {
  if (text.startsWith('{')) {
    return JSON.parse(text);
  }
  const lines = text.trimEnd().split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [flag, value, source = ''] = line.split(/ {2,}/);
      const key = OPTION_KEYS.find((each) => `--${specOf(each).flag}` === flag)!;
      return [key, { value, source }];
    }),
  );
}

describe('an option is the same, however it is given', () => {
  const folder = temporaryFolder();
  const inForce = new Map<string, InForce>();
  afterAll(() => folder.remove());

  beforeAll(async () => {
    for (const batch of BATCHES) {
      const asksForJson = batch.keys.includes('json') || !specOf('json').commands.includes(batch.command);
      for (const [way, { args = [], env = {} }] of Object.entries(inputsOf(batch))) {
        const ask = ['--print-config', ...(asksForJson ? [] : ['--json'])];
        const directory =
          {
            add: ['some-crawl'],
            export: ['some-crawl'],
            graph: ['some-crawl'],
            diff: ['some-crawl', 'other-crawl'],
            search: ['some-corpus', 'word'],
            serve: ['some-crawl'],
            list: ['some-corpus'],
            show: ['some-corpus', 'page'],
            md: ['http://a.test/'],
          }[batch.command as string] ?? [];
        const run = await inProcess([batch.command, ...directory, ...args, ...ask], { cwd: folder.path, env });
        expect(run.code, run.stderr).toBe(0);
        inForce.set(`${batch.name} ${way}`, readPrinted(run.stdout));
      }
    }
  });

  function inputsOf({ name, command, keys }: Batch): Record<Way, { args?: string[]; env?: Record<string, string> }> {
    const samples = keys.map((key) => ({ spec: specOf(key), sample: sampleOf(command, key) }));
    const file = join(folder.path, `${name}.json`);
    const config = samples.map(({ spec, sample }) => [configKeyOf(spec), inConfigFile(spec, sample)]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(config)));
    const old = samples.filter(({ spec }) => spec.oldVariable !== undefined);
    return {
      default: {},
      flag: { args: samples.flatMap(({ spec, sample }) => asFlag(spec, sample)) },
      variable: { env: Object.fromEntries(samples.map(({ spec, sample }) => [variableOf(spec), sample])) },
      'old variable': { env: Object.fromEntries(old.map(({ spec, sample }) => [spec.oldVariable!, sample])) },
      'config file': { args: ['--config', file] },
    };
  }

  const found = ({ name }: Batch, way: Way, key: OptionKey) => inForce.get(`${name} ${way}`)![key]!;

  it('covers every option', () => {
    expect([...new Set([...BATCHES.flatMap(({ keys }) => keys), ...ASKING])].sort()).toEqual([...OPTION_KEYS].sort());
  });

  for (const batch of BATCHES) {
    it.each(batch.keys)(`${batch.name}: %s by flag, variable and config file`, (key) => {
      const { value, source } = found(batch, 'flag', key);
      expect(source).toBe('flag');
      expect(String(value), 'the sample is the default').not.toBe(String(found(batch, 'default', key).value));
      expect(found(batch, 'variable', key)).toEqual({ value, source: `variable ${variableOf(specOf(key))}` });
      expect(found(batch, 'config file', key)).toEqual({ value, source: expect.stringContaining('config file ') });
    });
  }

  it.each(CRAWL.keys.filter((key) => specOf(key).oldVariable !== undefined))('%s by its old variable', (key) => {
    const { value } = found(CRAWL, 'flag', key);
    expect(found(CRAWL, 'old variable', key)).toEqual({ value, source: `variable ${specOf(key).oldVariable}` });
  });

  it('every layer that has an old name in the table of layers still answers to it', () => {
    expect(OPTION_KEYS.flatMap((key) => specOf(key).oldVariable ?? []).sort()).toEqual([
      'FP_CHECK_SEMAPHORE_LIMIT',
      'GLOBAL_FRONTIER_SIZE_LIMIT',
      'GOVERNOR_ENABLED',
      'MAX_INFLIGHT_PER_HOST',
      'METRIC_EXPORT_INTERVAL_SECS',
      'PARSE_SEMAPHORE_LIMIT',
      'READY_HEAP_SIZE_LIMIT',
      'ROBOTS_FETCH_SEMAPHORE_LIMIT',
    ]);
  });

  it('a switch of the config file holds for the exit code and for the last line too', async () => {
    writeFileSync(join(folder.path, 'general.json'), '{ "exitSimple": true, "color": true }');
    const run = await inProcess(['status', 'nothing', '--config', join(folder.path, 'general.json')], {
      cwd: folder.path,
    });
    expect([run.code, run.stderr.includes('\u001b[31merror:')]).toEqual([1, true]);
    const overruled = await inProcess(
      ['status', 'nothing', '-c', join(folder.path, 'general.json'), '--no-exit-simple'],
      {
        cwd: folder.path,
        env: { GOSSAMER_COLOR: 'off' },
      },
    );
    expect([overruled.code, overruled.stderr.includes('\u001b[')]).toEqual([3, false]);
  });
});
