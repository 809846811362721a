import { describe, expect, it } from 'vitest';
import { dashboardApp } from '../../src/dashboard/app.js';
import type { Question } from '../../src/dashboard/questions.js';
import { Series } from '../../src/dashboard/series.js';
import { madeRun } from './snapshot.js';

const TOKEN = 'the-token';
const PORT = 4567;
const ORIGIN = `http://127.0.0.1:${PORT}`;

/** A dashboard without a socket: requests as they arrive, with their Host. */
function dashboard({ host = '127.0.0.1', isLive = true } = {}) {
  const { run, told, failures } = madeRun();
  const asked: Question[] = [];
  const app = dashboardApp({
    shown: { run: () => (isLive ? run : null), isLive, crawls: ['/kept'], corpora: () => ['/corpus'] },
    access: { host, port: () => PORT, token: TOKEN },
    disk: {
      ask: async (question) => {
        asked.push(question);
        if (question.about === 'kept') {
          throw new TypeError('a fault of ours');
        }
        return question.about === 'host' ? JSON.stringify({ isKnown: question.name === 'a.test' }) : '{"rows":[]}';
      },
      close: async () => {},
    },
    series: new Series(),
    failed: (error) => run.dashboardFailed(error),
    assets: new Map([['/', { type: 'text/html', body: 'the page' }]]),
  });
  const request = (path: string, { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> } = {}) =>
    app.request(`${ORIGIN}${path}`, { ...init, headers: { host: `127.0.0.1:${PORT}`, ...headers } });
  const tell = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(`/api/control/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { origin: ORIGIN, 'x-gossamer-token': TOKEN, 'content-type': 'application/json', ...headers },
    });
  return { request, tell, told, asked, failures };
}

describe('who may ask', () => {
  it.each([`127.0.0.1:${PORT}`, `localhost:${PORT}`, `[::1]:${PORT}`, `LOCALHOST:${PORT}`])(
    'Host %s is ours',
    async (host) => {
      expect((await dashboard().request('/api/live', { headers: { host } })).status).toBe(200);
    },
  );

  it.each(['evil.example', `evil.example:${PORT}`, '127.0.0.1', '127.0.0.1:80', `127.0.0.1.evil.example:${PORT}`, ''])(
    'Host %j gets 403, whatever it asks for',
    async (host) => {
      const { request } = dashboard();
      for (const path of ['/', '/api/live', '/api/pages', '/metrics']) {
        expect((await request(path, { headers: { host } })).status).toBe(403);
      }
    },
  );

  it.each([
    'http://evil.example',
    `http://evil.example:${PORT}`,
    `https://127.0.0.1:${PORT}`,
    'http://127.0.0.1',
    'null',
    '',
  ])('a control from Origin %j gets 403 and is not heard', async (origin) => {
    const { tell, told } = dashboard();
    expect((await tell('stop', {}, { origin })).status).toBe(403);
    expect(told).toEqual([]);
  });

  it.each(['http://evil.example', `http://evil.example:${PORT}`, 'null', ''])(
    'a question from Origin %j gets 403, and one from our own page or from no page an answer',
    async (origin) => {
      const { request } = dashboard();
      for (const path of ['/', '/api/live', '/metrics']) {
        expect((await request(path, { headers: { origin } })).status).toBe(403);
        expect((await request(path, { headers: { origin: ORIGIN } })).status).not.toBe(403);
        expect((await request(path)).status).not.toBe(403);
      }
    },
  );

  it('a control without the token, or with another, gets 403 and is not heard', async () => {
    const { request, tell, told } = dashboard();
    const bare = await request('/api/control/stop', { method: 'POST', headers: { origin: ORIGIN } });
    expect(bare.status).toBe(403);
    for (const token of ['', 'another', `${TOKEN}x`]) {
      expect((await tell('stop', {}, { 'x-gossamer-token': token })).status).toBe(403);
    }
    expect(told).toEqual([]);
  });

  it('on loopback reading needs no token; elsewhere every question does, and the page alone does not', async () => {
    expect((await dashboard().request('/api/live')).status).toBe(200);
    const { request } = dashboard({ host: '192.0.2.7' });
    const host = `192.0.2.7:${PORT}`;
    for (const path of ['/api/about', '/api/live', '/api/hosts', '/api/series', '/metrics']) {
      expect((await request(path, { headers: { host } })).status).toBe(403);
    }
    expect((await request('/', { headers: { host } })).status).toBe(200);
    expect((await request('/api/live', { headers: { host, 'x-gossamer-token': TOKEN } })).status).toBe(200);
    expect((await request('/api/live', { headers: { host, authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s gets 405', async (method) => {
    const response = await dashboard().request('/api/live', { method, headers: { origin: ORIGIN } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

describe('what a browser may do with it', () => {
  it('every answer has a policy that lets only our own script run, and none lets another site read it', async () => {
    const { request } = dashboard();
    for (const [path, host] of [
      ['/', `127.0.0.1:${PORT}`],
      ['/api/live', `127.0.0.1:${PORT}`],
      ['/nothing', `127.0.0.1:${PORT}`],
      ['/', 'evil.example'],
    ] as const) {
      const { headers } = await request(path, { headers: { host, origin: 'http://evil.example' } });
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('controls', () => {
  it('reach the run', async () => {
    const { tell, told } = dashboard();
    const orders: [string, object][] = [
      ['pause', {}],
      ['go', {}],
      ['workers', { count: 8 }],
      ['delay', { host: 'a.test', delayMs: 250 }],
      ['delay', { host: null, delayMs: 0 }],
      ['quarantine', { host: 'a.test' }],
      ['release', { host: 'a.test' }],
      ['allow-trap', { pattern: 'known' }],
      ['stop', {}],
    ];
    for (const [what, values] of orders) {
      expect((await tell(what, values)).status).toBe(200);
    }
    expect(told).toEqual([
      ...['pause', 'go on', 'workers 8', 'delay a.test 250', 'delay null 0', 'quarantine a.test', 'release a.test'],
      ...['allow known', 'stop'],
    ]);
  });

  it('a value that is none is refused in a sentence', async () => {
    const { tell, told } = dashboard();
    const answers = await Promise.all([
      tell('workers', { count: 0 }),
      tell('workers', { count: '5' }),
      tell('delay', { host: 5, delayMs: 1 }),
      tell('quarantine', {}),
      tell('quarantine', []),
      tell('release', { host: 'b.test' }),
      tell('allow-trap', { pattern: 'unknown' }),
      tell('explode', {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 404, 404, 404]);
    expect(await answers[0]!.json()).toEqual({ problem: 'count must be a whole number from 1 to 4096' });
    expect(told).toEqual([]);
  });

  it('have no names but their own, whatever an object inherits', async () => {
    const { tell, told } = dashboard();
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect((await tell(name, {})).status, name).toBe(404);
    }
    expect(told).toEqual([]);
  });

  it('a delay of a host that the crawl does not know is refused', async () => {
    const { tell, told } = dashboard();
    expect((await tell('delay', { host: 'unknown.test', delayMs: 1 })).status).toBe(404);
    expect(told).toEqual([]);
  });

  it('are offered to those alone who bring the token', async () => {
    const { request } = dashboard();
    const hasControls = async (headers: Record<string, string>) =>
      ((await (await request('/api/live', { headers })).json()) as { hasControls: boolean }).hasControls;
    expect(await hasControls({})).toBe(false);
    expect(await hasControls({ 'x-gossamer-token': 'wrong' })).toBe(false);
    expect(await hasControls({ 'x-gossamer-token': TOKEN })).toBe(true);
  });

  it('a body that is large, or not JSON, is refused', async () => {
    const { tell, told } = dashboard();
    expect((await tell('quarantine', { host: 'x'.repeat(10_000) })).status).toBe(413);
    expect((await tell('quarantine', { host: 'a.test' }, { 'content-type': 'text/plain' })).status).toBe(400);
    expect(told).toEqual([]);
  });

  it('where no run is under way nothing can be told', async () => {
    expect((await dashboard({ isLive: false }).tell('pause', {})).status).toBe(409);
  });
});

it('metrics are those of the run, as Prometheus reads them', async () => {
  const response = await dashboard().request('/metrics');
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(await response.text()).toMatch(/^# TYPE gossamer_/m);
  expect((await dashboard({ isLive: false }).request('/metrics')).status).toBe(409);
});

describe('questions', () => {
  it('name a crawl by its number; paths of the disk are never taken from a request', async () => {
    const { request, asked } = dashboard();
    expect(
      (
        await request(
          '/api/pages?crawl=0&state=failed&class=timeout&status=4xx&depth=2&host=a.test&q=x&after=9&limit=9999',
        )
      ).status,
    ).toBe(200);
    expect((await request('/api/pages?crawl=1')).status).toBe(404);
    expect((await request('/api/pages?crawl=../etc')).status).toBe(400);
    expect((await request('/api/corpus/page?corpus=0&path=../../etc/passwd')).status).toBe(200);
    expect(asked).toEqual([
      {
        about: 'pages',
        directory: '/kept',
        question: {
          ...{ state: 'failed', reason: 'timeout', status: '4xx', depth: 2, host: 'a.test', text: 'x' },
          ...{ isNewestFirst: false, after: 9, limit: 500 },
        },
      },
      // Whoever reads the corpus refuses what leads out of it.
      { about: 'document', directory: '/corpus', path: '../../etc/passwd' },
    ]);
  });

  it.each([
    'pages?state=odd',
    'pages?status=9xx',
    'pages?depth=x',
    'hosts?sort=odd',
    'explain',
    `pages?q=${'x'.repeat(5000)}`,
  ])('%s is refused before the disk is asked', async (path) => {
    const { request, asked } = dashboard();
    expect((await request(`/api/${path}`)).status).toBe(400);
    expect(asked).toEqual([]);
  });
});

it('a fault of its own is told to whoever keeps the log, and its words to nobody else', async () => {
  const { request, failures } = dashboard();
  const response = await request('/api/kept?crawl=0');
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('a fault of ours');
  expect(failures).toEqual(['a fault of ours']);
});

it('hosts are asked for with the delays that somebody set for the run', async () => {
  const { request, asked } = dashboard();
  await request('/api/hosts?crawl=0');
  expect(asked).toMatchObject([{ about: 'hosts', delays: { all: 300, hosts: { 'a.test': 250 } } }]);
});
