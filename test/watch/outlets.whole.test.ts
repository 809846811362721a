import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { METRICS_TYPE, metricsText } from '../../src/watch/metrics.js';
import { MetricsServer } from '../../src/watch/metrics-server.js';
import { notify } from '../../src/watch/notify.js';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { html, linkPage, notFound } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { eventfulMoment } from './live-fixture.js';

/** Debian's `prometheus` has it; a variable says where else it is. */
const PROMTOOL = [process.env.PROMTOOL, '/usr/bin/promtool', '/usr/local/bin/promtool'].find(
  (path) => path !== undefined && existsSync(path),
);

const asked = (
  url: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; type: string; text: string }> =>
  new Promise((resolve, reject) => {
    const asking = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode!, type: response.headers['content-type'] ?? '', text }),
      );
    });
    asking.on('error', reject).end();
  });

describe('metrics that are served', () => {
  it('are text for Prometheus, for GET and for names of this machine alone', async () => {
    let live: ReturnType<typeof eventfulMoment> | null = null;
    const server = await MetricsServer.open(0, () => live);
    try {
      const { url } = server;
      expect(await asked(url)).toMatchObject({ status: 503 });
      live = eventfulMoment();
      const answer = await asked(url);
      expect(answer).toMatchObject({ status: 200, type: METRICS_TYPE });
      expect(answer.text).toBe(await metricsText(live));
      const { port } = new URL(url);
      for (const host of [`localhost:${port}`, `[::1]:${port}`]) {
        expect(await asked(url, { headers: { host } })).toMatchObject({ status: 200 });
      }
      for (const host of ['evil.test', `evil.test:${port}`, '127.0.0.1', 'localhost:1']) {
        expect(await asked(url, { headers: { host } })).toMatchObject({ status: 403 });
      }
      expect(await asked(url, { headers: { origin: 'http://evil.test' } })).toMatchObject({ status: 403 });
      expect(await asked(url, { method: 'POST' })).toMatchObject({ status: 405 });
      expect(await asked(url.replace('/metrics', '/'))).toMatchObject({ status: 404 });
      await expect(MetricsServer.open(Number(port), () => null)).rejects.toThrow('the port is in use');
    } finally {
      await server.close();
    }
  });

  it.skipIf(PROMTOOL === undefined)(
    'leave promtool nothing to say (skipped where it is not installed and PROMTOOL does not name it)',
    async () => {
      const { status, stdout, stderr } = spawnSync(PROMTOOL!, ['check', 'metrics'], {
        input: await metricsText(eventfulMoment()),
        encoding: 'utf8',
      });
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
    },
  );
});

let web: WebInABox;
let receiver: Server;
let answers: RequestListener;
const received: { authorization: string | undefined; url: string; method: string; body: string }[] = [];
const folder = temporaryFolder();

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of incoming) {
    body += piece;
  }
  return body;
}

beforeAll(async () => {
  web = await openWeb();
  web.site('a.test', {
    handle: ({ path }) =>
      path === '/robots.txt'
        ? { status: 200, headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /nothing\n' }
        : path === '/'
          ? html(linkPage('home', ['/gone', '/here']))
          : path === '/here'
            ? html('<p>here')
            : notFound,
  });
  receiver = createServer(async (incoming, response) => {
    const body = await bodyOf(incoming);
    received.push({
      authorization: incoming.headers.authorization,
      url: incoming.url!,
      method: incoming.method!,
      body,
    });
    answers(incoming, response);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  received.length = 0;
});

afterAll(async () => {
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await web.close();
  folder.remove();
});

const hook = (credentials = '') =>
  `http://${credentials}127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?key=topsecret`;
const fine: RequestListener = (_, response) => response.end('thanks');

/** A clock that waits for nothing, and keeps how long it was to wait. */
const hastyClock = (pauses: number[] = []): Clock => ({
  now: () => 0,
  wall: () => 0,
  at: (at, fire) => {
    pauses.push(at);
    queueMicrotask(fire);
    return () => {};
  },
});

describe('whoever is to be told of the end', () => {
  it('is told once, with the credentials of the URL as a header', async () => {
    answers = fine;
    expect(await notify(hook('me:pass%20word@'), { a: 1 })).toBeNull();
    expect(received).toEqual([
      {
        authorization: `Basic ${Buffer.from('me:pass word').toString('base64')}`,
        ...{ url: '/hook?key=topsecret', method: 'POST', body: '{"a":1}' },
      },
    ]);
  });

  it('is asked once more where it fails, and then left in peace; nothing secret is said', async () => {
    answers = (_, response) => {
      response.statusCode = 503;
      response.end();
    };
    const pauses: number[] = [];
    const problem = await notify(hook('me:password@'), {}, { clock: hastyClock(pauses) });
    expect(received).toHaveLength(2);
    expect(pauses, 'a while between the two').toEqual([1_500]);
    expect(problem).toMatch(/^--notify: http:\/\/127\.0\.0\.1:\d+\/hook was not told: it answered 503$/);
  });

  it('is not waited for longer than a while', async () => {
    answers = () => {};
    expect(await notify(hook(), {}, { timeoutMs: 50, clock: hastyClock() })).toContain('no answer in 0.05 s');
    expect(received).toHaveLength(2);
  });

  it('that is not there is a sentence, never an error', async () => {
    expect(await notify('http://127.0.0.1:1/', {}, { timeoutMs: 1_000, clock: hastyClock() })).toContain(
      'was not told',
    );
  });
});

describe.each(['crawl', 'check', 'docs'])('gossamer %s', (command) => {
  it('writes metrics and a log, and tells of its end', async () => {
    answers = fine;
    const place = join(folder.path, command);
    execFileSync('mkdir', [place]);
    const { code, stderr } = await inProcess(
      [
        ...[command, 'http://a.test/', '--data-dir', join(place, 'kept'), '--delay', '0'],
        ...['--metrics-file', join(place, 'metrics'), '--metrics-port', '0'],
        ...['--log-file', join(place, 'run.log'), '--log-level', 'debug', '--notify', hook('me:password@')],
        ...web.connectTo.flatMap((mapping) => ['--connect-to', mapping]),
        ...(command === 'docs' ? ['--output', join(place, 'corpus')] : []),
      ],
      { cwd: place },
    );
    expect(stderr).toMatch(/^metrics at http:\/\/127\.0\.0\.1:\d+\/metrics$/m);
    expect(stderr).not.toContain('password');
    const metrics = JSON.parse(readFileSync(join(place, 'metrics.json'), 'utf8'));
    const text = readFileSync(join(place, 'metrics.prom'), 'utf8');
    expect(metrics).toMatchObject({ command, state: 'ended', endReason: 'complete' });
    expect(text).toContain(`gossamer_requests_total ${metrics.requests}`);
    const log = readFileSync(join(place, 'run.log'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(log[0]).toMatchObject({ code: 'run_began', command });
    expect(log.filter(({ code: each }) => each === 'page_done').map(({ url }) => url)).toContain('http://a.test/here');
    expect(log.at(-1)).toMatchObject({ code: 'run_ended', reason: 'complete', requests: metrics.requests });
    expect(received).toHaveLength(1);
    const told = JSON.parse(received[0]!.body);
    expect(told).toMatchObject({ command, reason: 'complete', requests: metrics.requests, error: null });
    expect(told.summary).not.toBeNull();
    if (command === 'crawl') {
      // Also here, where robots.txt has a body.
      expect([told.bytes, metrics.bytes]).toEqual([told.summary.bytes, told.summary.bytes]);
    }
    expect(code).toBe(command === 'check' ? 1 : 0);
  });
});

it('a run whose seed cannot be reached says so to whoever is told, and ends as it would have', async () => {
  answers = fine;
  const log = join(folder.path, 'failed.log');
  const { code } = await inProcess([
    ...['crawl', 'http://127.0.0.1:1/', '--data-dir', join(folder.path, 'failed')],
    ...['--retries', '0', '--log-file', log, '--notify', hook()],
  ]);
  expect(code).toBe(4);
  expect(JSON.parse(received[0]!.body)).toMatchObject({ error: expect.any(String), command: 'crawl' });
  expect(readFileSync(log, 'utf8')).toContain('"code":"run_failed"');
});

it('a receiver that is gone changes no exit code', async () => {
  const { code, stderr } = await inProcess([
    ...['crawl', 'http://a.test/', '--data-dir', join(folder.path, 'untold'), '--delay', '0'],
    ...['--notify', 'http://me:password@127.0.0.1:1/hook', ...web.connectTo.flatMap((each) => ['--connect-to', each])],
  ]);
  expect(code).toBe(0);
  expect(stderr).toContain('--notify: http://127.0.0.1:1/hook was not told');
  expect(stderr).not.toContain('password');
});
