import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckedLink } from '../../src/check/report/result.js';
import { type Checked, type Closing, check, HASTY, tlsFront, unknowingNames } from '../check/checking.js';
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
import { html, text } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

const FORBIDDEN: Plant = { href: 'http://robots.test/private', verdict: 'unchecked', fails: false, answer: ok };
const STYLED: Plant = {
  href: '/styled',
  verdict: 'ok',
  fails: false,
  answer: html('<!doctype html><title>Styled</title><link rel="stylesheet" href="/own.css"><p id="text">Text'),
};
const PLANTS: Plant[] = [
  ...REDIRECTS,
  ...STATUSES,
  ...WALLS,
  ...NETWORK,
  ...BROKEN_PAGES,
  ...FRAGMENTS,
  ...NO_URLS,
  ...HEADS,
  FORBIDDEN,
  STYLED,
];
const CSS = { 'content-type': 'text/css' };
const UNKNOWN = ['nobody.site.test', 'nobody.test', 'servfail.test', ''];
/** Out of scope, and known to a crawl by HEAD alone: what a server says to GET, and what ids its pages have, nobody has asked. */
const BY_HEAD_ALONE = /^http:\/\/(?:head|manual\.test|app\.test\/page#)/;

/** Without the moments at which it was asked. */
const timeless = (link: CheckedLink | undefined): unknown =>
  link && {
    ...link,
    evidence: { ...link.evidence, looks: link.evidence.looks.map((look) => ({ ...look, at: null })) },
  };

describe('a check of a kept crawl of a web with faults of every kind', () => {
  const folder = temporaryFolder();
  const closing: Closing[] = [];
  let web: WebInABox;
  let online: Checked;
  let offline: Checked;

  beforeAll(async () => {
    web = await openWeb();
    plant(web, PLANTS, {
      ...HOPS,
      '/nothing': status(404),
      '/own.css': { headers: CSS, body: '@import "more.css"; body { background: url(gone.png) }' },
      '/more.css': { headers: CSS, body: 'p { background: url(/styled) }' },
      'http://fine.test/y': ok,
      'http://robots.test/robots.txt': text('User-agent: *\nDisallow: /private\n'),
    });
    const tls = await tlsFront(web.port);
    const names = await unknowingNames();
    closing.push(tls, names);
    const closed = await closedPort();
    const hosts = new Set(
      PLANTS.flatMap(({ href }) => (URL.canParse(href, SEED) ? [new URL(href, SEED).hostname] : [])),
    );
    const connectTo = [...hosts]
      .filter((host) => !UNKNOWN.includes(host))
      .flatMap((host) => [
        ...['--connect-to', `${host}:80:127.0.0.1:${host.startsWith('refused') ? closed : web.port}`],
        ...['--connect-to', `${host}:443:127.0.0.1:${tls.port}`],
      ]);
    const kept = join(folder.path, 'kept');
    const how = ['--timeout', '4s', '--idle-timeout', '4s', '--max-redirects', '5', '--resolver', names.address];
    const asked = [SEED, ...HASTY, ...how, ...connectTo];
    await inProcess(['crawl', ...asked, '--keep', 'body', '--assets', '--external', '--data-dir', kept]);
    online = await check(asked, { code: 1 });
    web.clearLog();
    names.questions.length = 0;
    // The redirects that are followed are those of the crawl.
    offline = await check([kept, '--retries', '0'], { code: 1 });
    expect(names.questions).toEqual([]);
  }, 60_000);

  afterAll(async () => {
    for (const each of closing) {
      each.close();
    }
    await web.close();
    folder.remove();
  });

  it('asks nobody', () => {
    expect(web.log).toEqual([]);
  });

  it('says the same of every link, with the same evidence and places', () => {
    const urls = [...new Set([...online.byUrl.keys(), ...offline.byUrl.keys()])].filter(
      (url) => !BY_HEAD_ALONE.test(url),
    );
    expect(urls.length).toBeGreaterThan(75);
    for (const url of urls) {
      expect(timeless(offline.byUrl.get(url)), url).toEqual(timeless(online.byUrl.get(url)));
    }
    expect(offline.summary.pages).toBe(online.summary.pages);
  });

  it('says of ids on pages out of scope that the crawl did not read them', () => {
    for (const url of ['http://manual.test/page#nowhere', 'http://app.test/page#made-later']) {
      expect(offline.byUrl.get(url), url).toMatchObject({ verdict: 'unchecked', unchecked: 'not_kept', fails: false });
    }
    expect(offline.run.stderr).toMatch(/2 not in the crawl/);
  });

  it('has the answers that HEAD was given, and says so of servers that answer GET otherwise', () => {
    expect(online.byUrl.get('http://headfine.test/x')?.verdict).toBe('dead');
    expect(offline.byUrl.get('http://headfine.test/x')?.verdict).toBe('ok');
  });
});
