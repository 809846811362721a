import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Checked, check, HASTY, nameOf } from '../check/checking.js';
import {
  BROKEN_PAGES,
  FRAGMENTS,
  HEADS,
  HOPS,
  NETWORK,
  NO_URLS,
  ok,
  type Plant,
  plant,
  REDIRECTS,
  SEED,
  STATUSES,
  status,
  WALLS,
} from '../check/planted.js';
import { inProcess } from '../crawl/in-process.js';
import { closedPort, temporaryFolder } from '../crawl/support.js';
import { text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { type Closing, tlsFront, unknowingNames } from '../check/checking.js';

describe('x', () => {
  const folder = temporaryFolder();
  const closing: Closing[] = [];
  let web: WebInABox;
  let online: Checked;
  let offline: Checked;
  const PLANTS: Plant[] = [...REDIRECTS, ...STATUSES, ...WALLS, ...NETWORK, ...BROKEN_PAGES, ...FRAGMENTS, ...NO_URLS, ...HEADS,
  { href: 'http://robots.test/private', verdict: 'unchecked', fails: false, answer: ok, why: /robots\.txt/ },
  ];
  beforeAll(async () => {
    web = await openWeb();
    plant(web, PLANTS, {
      ...HOPS,
      '/nothing': status(404),
      'http://fine.test/y': ok,
      'http://robots.test/robots.txt': text('User-agent: *\nDisallow: /private\n'),
    });
    const tls = await tlsFront(web.port);
    const names = await unknowingNames();
    closing.push(tls, names);
    const closed = await closedPort();
    const hosts = new Set(PLANTS.flatMap(({ href }) => URL.canParse(href, SEED) ? [new URL(href, SEED).hostname] : []).filter((h) => h !== '' && !['nobody.site.test', 'nobody.test', 'servfail.test'].includes(h)));
    const connectTo = [...hosts].flatMap((host) => [
      ...['--connect-to', `${host}:80:127.0.0.1:${host.startsWith('refused') ? closed : web.port}`],
      ...['--connect-to', `${host}:443:127.0.0.1:${tls.port}`],
    ]);
    const more = ['--timeout', '2s', '--idle-timeout', '2s', '--max-redirects', '5', '--resolver', names.address];
    const kept = join(folder.path, 'kept');
    const run = await inProcess(['crawl', SEED, ...HASTY, ...more, ...connectTo, '--keep', 'body', '--assets', '--external', '--data-dir', kept]);
    console.log(run.stderr);
    online = await check([SEED, ...HASTY, ...more, ...connectTo]);
    web.clearLog();
    offline = await check([kept, '--retries', '0', '--verbose-network']);
    console.log(offline.run.stderr);
  }, 120000);
  afterAll(async () => {
    for (const each of closing) each.close();
    await web.close();
    folder.remove();
  });
  it('differs where', () => {
    expect(web.log).toEqual([]);
    const strip = (x: unknown): unknown => JSON.parse(JSON.stringify(x, (k, v) => (k === 'at' ? 0 : v)));
    const names = new Set([...online.byUrl.keys(), ...offline.byUrl.keys()]);
    for (const n of names) {
      const [a, b] = [strip(online.byUrl.get(n) ?? null), strip(offline.byUrl.get(n) ?? null)];
      if (JSON.stringify(a) !== JSON.stringify(b)) console.log(n, '\n ON ', JSON.stringify(a), '\n OFF', JSON.stringify(b));
    }
    console.log(names.size, nameOf);
  });
});
