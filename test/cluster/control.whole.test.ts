import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { slotOf } from '../../src/url/slots.js';
import { gossamer, type Run, start, temporaryFolder } from '../crawl/support.js';
import { linkPage } from '../web/site.js';
import { RedisServer } from './redis-server.js';

const LEASE_MS = 1_000;
const PAGES = 3_000;

const hostIn = (slot: number): string =>
  Array.from({ length: 50 }, (_, i) => `host${i}.test`).find((host) => slotOf(`http://${host}/`, 2) === slot)!;
const HOSTS = [hostIn(0), hostIn(1)] as const;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Two processes, a Redis, and a site on two hosts of which each page leads to both. What is said of them is judged by what the site was asked for. */
describe('what is ordered of a crawl on several machines', () => {
  const folder = temporaryFolder();
  const parts = [`${folder.path}/part-0`, `${folder.path}/part-1`];
  const log: { at: number; host: string; path: string }[] = [];
  const children = new Set<ReturnType<typeof start>>();
  let redis: RedisServer;
  let site: Server;
  let connectTo: string[];

  beforeAll(async () => {
    redis = await RedisServer.start();
    site = createServer((request, response) => {
      const host = request.headers.host!.split(':')[0]!;
      log.push({ at: performance.now(), host, path: request.url! });
      if (request.url === '/robots.txt') {
        response.writeHead(404).end();
        return;
      }
      const number = Number(/\d+/.exec(request.url!)?.[0] ?? 0);
      const links = HOSTS.flatMap((each) =>
        Array.from({ length: 4 }, (_, i) => `http://${each}/p${(number * 4 + i + 1) % PAGES}`),
      );
      response.writeHead(200, { 'content-type': 'text/html' }).end(linkPage(request.url!, links));
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    connectTo = ['--connect-to', `::127.0.0.1:${(site.address() as AddressInfo).port}`];
  });

  afterAll(async () => {
    for (const { child } of children) {
      child.kill('SIGKILL');
    }
    await Promise.all([...children].map(({ ended }) => ended));
    site.closeAllConnections();
    site.close();
    await redis.close();
    folder.remove();
  });

  const meeting = (id: string): string[] => ['--redis-url', redis.url, '--crawl-id', id];
  const run = (args: string[]): ReturnType<typeof start> => {
    const begun = start(args);
    children.add(begun);
    void begun.ended.then(() => children.delete(begun));
    return begun;
  };
  const begin = (id: string, more: string[] = []): ReturnType<typeof start> =>
    run([
      ...['crawl', ...HOSTS.map((host) => `http://${host}/`), '--nodes', '2', '--lease', `${LEASE_MS}ms`],
      ...['--data-dir', parts[0]!, '--delay', '30', '--max-crawl-delay', '5s', '--seeding-strategy', 'none'],
      ...connectTo,
      ...meeting(id),
      ...more,
    ]);
  const join = (id: string, slot: number, more: string[] = []): ReturnType<typeof start> =>
    run(['join', '--data-dir', parts[slot]!, ...connectTo, ...meeting(id), ...more]);
  const order = (id: string, ...words: string[]): Promise<Run> =>
    gossamer(['cluster', ...words, '--json', ...meeting(id)]);

  /** Each host was asked for so many more URLs; fails where a process ends first. */
  async function asked(count: number, runs: ReturnType<typeof start>[], hosts: number = HOSTS.length): Promise<void> {
    const from = log.length;
    let over: Run | null = null;
    for (const { ended } of runs) {
      void ended.then((end) => {
        over = end;
      });
    }
    while (HOSTS.slice(0, hosts).some((host) => log.slice(from).filter((each) => each.host === host).length < count)) {
      if (over !== null) {
        throw new Error(`it has ended: ${JSON.stringify(over)}`);
      }
      await pause(10);
    }
  }

  async function stopped(id: string, runs: ReturnType<typeof start>[]): Promise<void> {
    expect(await order(id, 'stop')).toMatchObject({ code: 0 });
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    expect(ends.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual(runs.map(() => [0, '']));
  }

  it('is done: pause, go, stop, go on after that, replace; and an old copy of a store is refused', async () => {
    const id = 'orders';
    const first = begin(id);
    await redis.has(`{gossamer:${id}}:state`, first.ended);
    let runs = [first, join(id, 1)];
    await asked(5, runs);

    const paused = await order(id, 'pause');
    expect([paused.code, JSON.parse(paused.stdout).phase]).toEqual([0, 'paused']);
    // A node has heard of it when it renews its lease, and sends nothing when it does not.
    await pause(LEASE_MS + 500);
    const before = log.length;
    await pause(LEASE_MS);
    expect(log.slice(before)).toEqual([]);
    expect(await order(id, 'go')).toMatchObject({ code: 0 });
    await asked(5, runs);

    await stopped(id, runs);
    const atStop = log.length;
    const refused = await join(id, 0).ended;
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('gossamer cluster go')]);
    expect(log.length).toBe(atStop);
    cpSync(parts[0]!, `${folder.path}/copy`, { recursive: true });

    expect(await order(id, 'go')).toMatchObject({ code: 0 });
    runs = [join(id, 0), join(id, 1)];
    await asked(20, runs);
    await stopped(id, runs);

    // A disk is lost: nobody knows when its hosts were last asked, or at what delay.
    rmSync(parts[1]!, { recursive: true });
    expect(await order(id, 'go')).toMatchObject({ code: 0 });
    while ((await order(id, 'replace', '1')).code !== 0) {
      await pause(100);
    }
    const from = log.length;
    const begunAt = performance.now();
    runs = [join(id, 0), join(id, 1)];
    await asked(3, runs);
    expect(log.slice(from).find(({ host }) => host === HOSTS[1])!.at - begunAt).toBeGreaterThan(5_000);
    await stopped(id, runs);

    // A disk is restored from a copy.
    rmSync(parts[0]!, { recursive: true });
    cpSync(`${folder.path}/copy`, parts[0]!, { recursive: true });
    expect(await order(id, 'go')).toMatchObject({ code: 0 });
    const other = join(id, 1);
    const old = await join(id, 0).ended;
    expect([old.code, old.stderr]).toEqual([3, expect.stringContaining('gossamer cluster replace 0')]);
    await stopped(id, [other]);
  }, 180_000);

  it('is limited together: no more URLs than --max-urls, though one is killed, and one reason on both', async () => {
    const most = 80;
    for (const part of parts) {
      rmSync(part, { recursive: true, force: true });
    }
    const from = log.length;
    const first = begin('limited', ['--max-urls', String(most)]);
    await redis.has('{gossamer:limited}:state', first.ended);
    const runs = [first, join('limited', 1)];
    await asked(5, runs);
    runs[1]!.child.kill('SIGKILL');
    await runs[1]!.ended;
    runs[1] = join('limited', 1);
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    expect(ends.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual(runs.map(() => [0, '']));
    const urls = new Set(log.slice(from).flatMap(({ host, path }) => (path === '/robots.txt' ? [] : [host + path])));
    expect(urls.size).toBe(most);
    expect(ends[1]!.stdout + ends[1]!.stderr).toContain('`gossamer merge` makes one crawl of all parts');
    expect(parts.map((part) => JSON.parse(readFileSync(`${part}/summary.json`, 'utf8')).truncated)).toEqual([
      'max_urls',
      'max_urls',
    ]);
  }, 120_000);

  it('has its time together, from when it was begun: who joins late has what is left', async () => {
    for (const part of parts) {
      rmSync(part, { recursive: true, force: true });
    }
    const begunAt = performance.now();
    const first = begin('timed', ['--duration', '4s']);
    await redis.has('{gossamer:timed}:state', first.ended);
    await asked(1, [first], 1);
    const runs = [first, join('timed', 1)];
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    expect(ends.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual(runs.map(() => [0, '']));
    const last = log.at(-1)!.at;
    expect(last - begunAt).toBeLessThan(9_000);
    expect(parts.map((part) => JSON.parse(readFileSync(`${part}/summary.json`, 'utf8')).truncated)).toEqual([
      'duration',
      'duration',
    ]);
  }, 60_000);

  it('hooks are compared by their text, and those that log in are refused', async () => {
    const [here, there, other, login] = ['here', 'there', 'other', 'login'].map((name) => `${folder.path}/${name}.mjs`);
    const text = 'export default { link() {} };\n';
    writeFileSync(here!, text);
    writeFileSync(there!, text);
    writeFileSync(other!, `${text}// another\n`);
    writeFileSync(login!, 'export default { async start() {} };\n');
    for (const part of parts) {
      rmSync(part, { recursive: true, force: true });
    }
    const refused = await begin('login', ['--hooks', login!]).ended;
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('the hook `start`')]);
    const cookies = await begin('cookies', ['--cookies', '--data-dir', `${folder.path}/cookies`]).ended;
    expect([cookies.code, cookies.stderr]).toEqual([2, expect.stringContaining('--cookies')]);

    rmSync(parts[0]!, { recursive: true, force: true });
    const first = begin('hooks', ['--hooks', here!]);
    await redis.has('{gossamer:hooks}:state', first.ended);
    const differs = await join('hooks', 1, ['--hooks', other!]).ended;
    expect([differs.code, differs.stderr]).toEqual([3, expect.stringContaining('--hooks')]);
  }, 60_000);

  it('a process that is stopped between connect and write, for twice its lease, sends nothing until it has its lease again', async () => {
    const sent: { at: number; line: string }[] = [];
    let wokenAt = 0;
    let node: ReturnType<typeof start>;
    // What it asked for is open when this says so: that is when the process sleeps.
    const proxy = createTcpServer((socket) => {
      let step = 0;
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        step++;
        if (step === 1) {
          socket.write(Buffer.from([5, 0]));
        } else if (step === 2) {
          if (wokenAt === 0) {
            wokenAt = Number.POSITIVE_INFINITY;
            node.child.kill('SIGSTOP');
            setTimeout(() => {
              wokenAt = performance.now();
              node.child.kill('SIGCONT');
            }, 2 * LEASE_MS);
          }
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        } else {
          sent.push({ at: performance.now(), line: String(bytes).split('\r\n')[0]! });
          socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        }
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      proxy.close();
    });
    const address = `socks5h://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    node = run([
      ...['crawl', `http://${HOSTS[0]}/`, '--nodes', '2', '--lease', `${LEASE_MS}ms`, '--proxy', address],
      ...['--data-dir', `${folder.path}/slept`, '--seeding-strategy', 'none', ...meeting('slept')],
    ]);
    let over: Run | null = null;
    void node.ended.then((end) => {
      over = end;
    });
    while (sent.length === 0 && over === null) {
      await pause(10);
    }
    expect([sent[0]?.line, over]).toEqual(['GET /robots.txt HTTP/1.1', null]);
    // It has to claim the lease anew, and waits a whole one then.
    expect(sent[0]!.at - wokenAt).toBeGreaterThan(LEASE_MS);
  }, 60_000);
});
