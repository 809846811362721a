import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { html, type SiteAnswer } from '../web/site.js';
import { appSite, sentences } from './app.js';
import { type DocsRun, docsBox, renderings } from './docs-box.js';

/** Stands in the code of a page for what writes its text. */
const SAYS_SO = '/* says so */';
const saying = (name: string): string =>
  `document.querySelector('#root').innerHTML = '<main><h1>${name}</h1><p>${sentences(name).join('</p><p>')}</p></main>';`;
const page = (code: string): SiteAnswer =>
  html(`<!doctype html><title>Frame</title><div id="root"></div><script>${code}</script>`);

/** What has to be given up when its time is over. */
const ENDLESS = new Set(['loop', 'lateLoop', 'blank', 'huge', 'floods']);

describe('hostile pages', () => {
  const box = docsBox();
  let forbidden: Server;
  let connections = 0;
  /** Of the pages that have to be given up. */
  let givenUp: DocsRun;
  /** Of the others: they come to rest by themselves, and have all the time that a busy machine takes. */
  let run: DocsRun;
  beforeAll(async () => {
    forbidden = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => forbidden.listen(0, '127.0.0.1', resolve));
    const { port } = forbidden.address() as { port: number };
    const other = `http://127.0.0.1:${port}`;
    const codes: Record<string, string> = {
      loop: `${SAYS_SO} while (true) {}`,
      lateLoop: `${SAYS_SO} setTimeout(() => { while (true) {} }, 50);`,
      dialogs: `alert('a'); confirm('b'); prompt('c'); onbeforeunload = () => 'stay'; ${SAYS_SO}`,
      popups: `for (let i = 0; i < 50; i++) open('/docs/popup' + i); ${SAYS_SO}`,
      away: `${SAYS_SO} location.href = '${other}/away';`,
      reloads: `${SAYS_SO} setInterval(() => location.reload(), 5);`,
      blank: `${SAYS_SO} setTimeout(() => { location.href = 'about:blank'; }, 20);`,
      grows: `${SAYS_SO} setInterval(() => { document.body.append(document.createElement('p')); }, 1);`,
      huge: `document.querySelector('#root').textContent = 'x'.repeat(3_000_000);`,
      polls: `${SAYS_SO} setInterval(() => fetch('/data/poll.json'), 100);`,
      floods: `${SAYS_SO} setInterval(() => { fetch('/data/poll.json').catch(() => {}); new Image().src = '/image?' + Math.random(); }, 1);`,
      many: `${SAYS_SO} for (let i = 0; i < 1000; i++) fetch('/data/' + i).catch(() => {});`,
      clobbers: `Element.prototype.remove = () => { throw 1; }; Object.defineProperty(Element.prototype, 'outerHTML', { get: () => 'stolen' }); window.MutationObserver = null; ${SAYS_SO}`,
      private: `${SAYS_SO}
        for (const url of ['http://169.254.169.254/latest/meta-data/', '${other}/fetch', 'http://10.0.0.1/', 'file:///etc/passwd']) fetch(url).catch(() => {});
        fetch('${other}/post', { method: 'POST', body: 'x' }).catch(() => {});
        navigator.sendBeacon('${other}/beacon', 'x');
        new Image().src = '${other}/image';
        new WebSocket('ws://127.0.0.1:${port}/socket');
        new EventSource('${other}/events');
        new Worker(URL.createObjectURL(new Blob(["fetch('${other}/worker'); importScripts('${other}/import')"])));
        const frame = document.createElement('iframe'); frame.src = '${other}/frame'; document.body.append(frame);
        const link = document.createElement('link'); link.rel = 'preconnect'; link.href = '${other}'; document.head.append(link);
        new RTCPeerConnection({ iceServers: [{ urls: 'turn:127.0.0.1:${port}?transport=tcp', username: 'a', credential: 'b' }] }).createDataChannel('x');`,
    };
    const site = appSite({ pages: { '/docs/good': { title: 'Good' }, '/endless/good': { title: 'Good' } } });
    box.web.site('127.0.0.1', {
      handle: (request) => {
        const [, folder, name = ''] = request.path.split('/');
        if (codes[name] !== undefined) {
          return page(codes[name].replace(SAYS_SO, saying(name)));
        }
        const names = [...Object.keys(codes).filter((each) => ENDLESS.has(each) === (folder === 'endless')), 'good'];
        const links = names.map((each) => `<a href="/${folder}/${each}">${each}</a>`);
        if (name === '' && (folder === 'docs' || folder === 'endless')) {
          return html(`<!doctype html><title>All</title>${links.join(' ')}<p>${sentences('/').join('')}`);
        }
        return request.path.startsWith('/data/poll')
          ? { headers: { 'content-type': 'application/json' }, body: '{}' }
          : site.handle(request);
      },
    });
    const rendered = (folder: string, timeout: string): Promise<DocsRun> =>
      box.docs(
        [`${box.web.origin}/${folder}/`],
        ['--render', 'always', '--timeout', timeout, '--max-body', '1MiB', '--max-wait', '2s', '--retries', '0'],
        { isDirect: true },
      );
    givenUp = await rendered('endless', '15s');
    run = await rendered('docs', '60s');
  }, 600_000);
  afterAll(() => {
    forbidden.close();
  });

  it('are survived, and the pages beside them are rendered', () => {
    expect([givenUp.code, run.code], givenUp.stderr + run.stderr).toEqual([0, 0]);
    expect(givenUp.page('endless/good.md')).toContain(sentences('/endless/good')[0]);
    expect(run.page('docs/good.md')).toContain(sentences('/docs/good')[0]);
  });

  it('that never end, leave or grow without end stay as they came', () => {
    const futile = Object.entries(renderings(givenUp.directory)).filter(
      // Whether it can still answer when it is silenced is its own affair.
      ([path, state]) => state !== 'rendered' && path !== '/endless/floods',
    );
    expect(Object.fromEntries(futile)).toEqual({
      '/endless/loop': 'futile',
      '/endless/lateLoop': 'futile',
      '/endless/blank': 'futile',
      '/endless/huge': 'futile',
    });
  });

  it('all others are rendered', () => {
    expect(new Set(Object.values(renderings(run.directory)))).toEqual(new Set(['rendered']));
    for (const name of ['dialogs', 'popups', 'away', 'reloads', 'grows', 'polls', 'many', 'clobbers', 'private']) {
      expect(run.page(`docs/${name}.md`), name).toContain(sentences(name)[0]);
    }
  });

  it('reach no private address, no other port, no server at all but through the crawl', () => {
    expect(connections).toBe(0);
    const asked = box.web.log.map(({ path, method }) => `${method} ${path}`);
    expect(asked.filter((each) => /popup\d|POST/.test(each))).toEqual([]);
    // Of a thousand requests a page may make two hundred; a page that polls gets the same answer each time, in each of the two runs.
    expect(asked.filter((each) => /\/data\/\d+$/.test(each)).length).toBeLessThanOrEqual(200);
    expect(asked.filter((each) => each.endsWith('/data/poll.json'))).toHaveLength(2);
  });
});

describe('hostile routes', () => {
  const box = docsBox();

  it('cost their own page only', async () => {
    const names = ['loops', 'leaves', 'reloads', 'opens', 'grows', 'good'];
    const codes: Record<string, string> = {
      loops: 'while (true) {}',
      leaves: "location.href = 'http://elsewhere.test/';",
      reloads: 'setInterval(() => location.reload(), 5);',
      opens: "for (let i = 0; i < 20; i++) open('/popup' + i); alert('a');",
      grows: "setInterval(() => { location.hash = '#/more' + Math.random(); }, 1);",
    };
    const links = names.map((name) => `<a href="#/${name}">${name}</a>`).join(' ');
    box.web.site('routes.test', {
      handle: ({ path }) =>
        path === '/'
          ? page(`const draw = () => {
              const name = location.hash.slice(2);
              document.querySelector('#root').innerHTML = '<h1>At ' + name + '</h1><p>${sentences('/').join('')}</p>${links}';
              if (name === 'good') document.querySelector('#root').append('What this one has to say.');
              ${Object.entries(codes)
                .map(([name, code]) => `if (name === '${name}') { ${code} }`)
                .join('\n')}
            };
            addEventListener('hashchange', draw);
            draw();`)
          : html('', 404),
    });
    const run = await box.check(
      ['http://routes.test/'],
      [
        ...['--render', 'always', '--hash-routes', '--timeout', '25s', '--second-look-budget', '0'],
        ...['--seeding-strategy', 'none', '--format', 'json'],
      ],
    );
    expect([0, 1], run.stderr).toContain(run.code);
    const { links: found } = JSON.parse(run.stdout) as { links: { url: string; verdict: string }[] };
    const verdicts = new Map(found.map(({ url, verdict }) => [url, verdict]));
    expect(verdicts.get('http://routes.test/#/good'), JSON.stringify(found)).toBe('ok');
    expect(verdicts.get('http://routes.test/#/loops')).toBe('unverifiable');
    for (const name of names) {
      expect(['ok', 'unverifiable'], name).toContain(verdicts.get(`http://routes.test/#/${name}`));
    }
    expect(box.web.log.filter(({ path, host }) => path.includes('popup') || host === 'elsewhere.test')).toEqual([]);
  }, 600_000);
});
