import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { RedisServer } from '../test/cluster/redis-server.js';
import { html, linkPage, notFound, type Site } from '../test/web/site.js';
import { openWeb } from '../test/web/web.js';
import { say } from './compete.js';
import { table, whole } from './figures.js';
import { DISK_FOLDER, GOSSAMER_BIN, removeFolder, temporaryFolder } from './folders.js';
import { residentBytes } from './memory.js';
import type { Scenario } from './scenario.js';

const HOSTS = 40;
const PAGES_A_HOST = 75;
const LINKS = 30;
const FOREIGN = [0.1, 0.5, 0.9];
const LOOK_EVERY_MS = 50;
const IDLE_MS = 15_000;
const WORDS = 'Some words that stand on every page of this web, as they do on most. '.repeat(40);

/** Two processes that meet in a Redis, against one process with as many threads, on webs whose links stay on their hosts or do not. */
export const cluster: Scenario = {
  word: 'cluster',
  sentence: `webs of ${whole(HOSTS * PAGES_A_HOST)} pages whose links leave their hosts at ${FOREIGN.map((share) => `${share * 100} %`).join(', ')}: two processes with a Redis against one`,
  run: async () => {
    const rows: string[][] = [];
    for (const share of FOREIGN) {
      rows.push(await measure(share));
    }
    process.stdout.write(
      table(
        [
          'foreign links',
          'alone, s',
          'two, s',
          'CPU alone, s',
          'CPU two, s',
          'more',
          'CPU of Redis, s',
          'round trips/page',
          'bytes/page',
          'mail, pieces/page',
          'mail, bytes/page',
          'Redis, KiB at most',
          'merge, s',
          'pages/s',
          'MiB',
        ],
        rows,
      ),
    );
    say(`a node that has nothing to do: ${await idleShare()} of a core`);
  },
};

async function measure(share: number): Promise<string[]> {
  const web = await openWeb();
  const redis = await RedisServer.start();
  const folder = temporaryFolder(DISK_FOLDER);
  try {
    for (let host = 0; host < HOSTS; host++) {
      web.site(`h${host}.web.test`, siteOf(host, share));
    }
    const rules = [
      '--scope',
      'domain',
      '--delay',
      '0',
      '--seeding-strategy',
      'none',
      '--max-shape-variants',
      '0',
      '--connect-to',
      web.connectTo[0]!,
    ];
    const seeds = Array.from({ length: HOSTS }, (_, host) => `http://h${host}.web.test/`);
    const alone = await timed([
      ['crawl', ...seeds, ...rules, '--parse-workers', '2', '--data-dir', join(folder, 'alone')],
    ]);
    const meeting = ['--redis-url', redis.url, '--crawl-id', 'bench', '--parse-workers', '1'];
    const client = redis.client();
    const before = await figuresOf(client);
    const peak = peakOf(client);
    const parts = [0, 1].map((slot) => join(folder, `part-${slot}`)) as [string, string];
    const together = await timed(
      [
        ['crawl', ...seeds, ...rules, ...meeting, '--nodes', '2', '--data-dir', parts[0]],
        ['join', ...meeting, '--connect-to', web.connectTo[0]!, '--data-dir', parts[1]],
      ],
      () => redis.has('{gossamer:bench}:state', new Promise(() => {})),
    );
    const peaks = await peak();
    const after = await figuresOf(client);
    const mail = mailIn((await client.get('{gossamer:bench}:state'))!);
    client.disconnect();
    const merge = await timed([['merge', ...parts, '-o', join(folder, 'whole')]]);
    const pages = HOSTS * PAGES_A_HOST;
    return [
      `${share * 100} %`,
      (alone.ms / 1000).toFixed(1),
      (together.ms / 1000).toFixed(1),
      (alone.cpuMs / 1000).toFixed(1),
      (together.cpuMs / 1000).toFixed(1),
      `${Math.round(100 * (together.cpuMs / alone.cpuMs - 1))} %`,
      ((after.cpuMs - before.cpuMs) / 1000).toFixed(2),
      ((after.calls - before.calls) / pages).toFixed(3),
      whole((after.bytes - before.bytes - peaks.bytes) / pages),
      (mail.pieces / pages).toFixed(2),
      whole(mail.bytes / pages),
      whole((peaks.memory - before.memory) / 1024),
      (merge.ms / 1000).toFixed(1),
      whole((pages * 1000) / merge.ms),
      whole(merge.bytes / 2 ** 20),
    ];
  } finally {
    await redis.close();
    await web.close();
    removeFolder(folder);
  }
}

function siteOf(host: number, share: number): Site {
  return {
    handle({ path }) {
      const number = path === '/' ? 0 : Number(/^\/p(\d+)$/.exec(path)?.[1] ?? -1);
      if (number < 0 || number >= PAGES_A_HOST) {
        return notFound;
      }
      const links = Array.from({ length: LINKS }, (_, link) => {
        const mixed = Math.imul(host * 7919 + number * 104_729 + link * 1_299_709, 0x9e37_79b1) >>> 0;
        const to = (number * LINKS + link + 1 + (mixed % 7)) % PAGES_A_HOST;
        const there = (mixed >>> 8) % 1000 < share * 1000 ? mixed % HOSTS : host;
        return `http://h${there}.web.test/p${to}`;
      });
      return html(linkPage(`Page ${number} of ${host}`, links, WORDS));
    },
  };
}

/** Runs commands beside each other; those after the first begin when it is ready for them. */
async function timed(
  commands: readonly string[][],
  ready: () => Promise<void> = async () => {},
): Promise<{ ms: number; cpuMs: number; bytes: number }> {
  const startedAt = performance.now();
  const children: ChildProcess[] = [];
  const ends: Promise<void>[] = [];
  let bytes = 0;
  const cpu = new Map<ChildProcess, number>();
  const look = setInterval(() => {
    for (const child of children.filter(({ exitCode }) => exitCode === null)) {
      bytes = Math.max(bytes, residentBytes(child.pid!));
      cpu.set(child, cpuMsOf(child));
    }
  }, LOOK_EVERY_MS);
  for (const args of commands) {
    const child = spawn(process.execPath, [GOSSAMER_BIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr!.on('data', (text) => {
      said = `${said}${text}`.slice(-2_000);
    });
    children.push(child);
    ends.push(
      new Promise((resolve, reject) => {
        child.once('exit', (code) =>
          code === 0 ? resolve() : reject(new Error(`gossamer ${args[0]} ended with ${code}: ${said}`)),
        );
      }),
    );
    await Promise.race([ready(), ...ends]);
  }
  try {
    await Promise.all(ends);
  } finally {
    clearInterval(look);
    for (const child of children) {
      child.kill();
    }
  }
  return { ms: performance.now() - startedAt, cpuMs: [...cpu.values()].reduce((sum, ms) => sum + ms, 0), bytes };
}

/** What nodes send: scripts do the rest within Redis. */
const CALLS = ['evalsha', 'eval', 'xread'];

async function figuresOf(client: Redis): Promise<{ calls: number; bytes: number; memory: number; cpuMs: number }> {
  const info = `${await client.info()}\n${await client.info('commandstats')}`;
  const of = (name: string): number => Number(new RegExp(`^${name}:(?:calls=)?([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
  return {
    calls: CALLS.reduce((sum, call) => sum + of(`cmdstat_${call}`), 0),
    bytes: of('total_net_input_bytes') + of('total_net_output_bytes'),
    memory: of('used_memory'),
    cpuMs: 1000 * (of('used_cpu_user') + of('used_cpu_sys')),
  };
}

/** Looks at what Redis holds until it is asked for the most; and how many bytes the looking took. */
function peakOf(client: Redis): () => Promise<{ memory: number; bytes: number }> {
  let memory = 0;
  let bytes = 0;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const info = await client.info('memory');
      bytes += info.length;
      memory = Math.max(memory, Number(/^used_memory:(\d+)/m.exec(info)![1]));
      await pause(LOOK_EVERY_MS * 4);
    }
  })();
  return async () => {
    isOver = true;
    await looking;
    return { memory, bytes };
  };
}

/** What all nodes have told of the mail that they have sent. */
function mailIn(text: string): { pieces: number; bytes: number } {
  const { slots } = JSON.parse(text) as { slots: Record<string, { figures: string }> };
  const told = Object.values(slots).map(({ figures }) => JSON.parse(figures) as { mailOut: number; mailBytes: number });
  return {
    pieces: told.reduce((sum, { mailOut }) => sum + mailOut, 0),
    bytes: told.reduce((sum, { mailBytes }) => sum + mailBytes, 0),
  };
}

/** Of a process that waits for the mail of another one, which waits for a slow host. */
async function idleShare(): Promise<string> {
  const web = await openWeb();
  const redis = await RedisServer.start();
  const folder = temporaryFolder(DISK_FOLDER);
  const children: ChildProcess[] = [];
  try {
    web.site('a.test', {
      handle: ({ path }) => (path === '/robots.txt' ? notFound : html(linkPage('Slow', ['/1', '/2']))),
    });
    const meeting = ['--redis-url', redis.url, '--crawl-id', 'idle', '--connect-to', web.connectTo[0]!];
    const begin = (...args: string[]): void => {
      children.push(spawn(process.execPath, [GOSSAMER_BIN, ...args], { stdio: 'ignore' }));
    };
    begin('crawl', 'http://a.test/', '--nodes', '2', '--delay', '60s', ...meeting, '--data-dir', join(folder, 'a'));
    await redis.has('{gossamer:idle}:state', new Promise(() => {}));
    begin('join', ...meeting, '--data-dir', join(folder, 'b'));
    await pause(IDLE_MS / 2);
    const before = children.map(cpuMsOf);
    await pause(IDLE_MS);
    const shares = children.map((child, i) => ((100 * (cpuMsOf(child) - before[i]!)) / IDLE_MS).toFixed(2));
    return `${shares.join(' % and ')} %`;
  } finally {
    for (const child of children) {
      child.kill('SIGKILL');
    }
    await redis.close();
    await web.close();
    removeFolder(folder);
  }
}

/** CPU of a process so far, its threads included. */
function cpuMsOf({ pid }: ChildProcess): number {
  const [user, system] = ticksOf(pid!);
  return (user + system) * 10;
}

function ticksOf(pid: number): [number, number] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return [Number(fields[11]), Number(fields[12])];
}
