import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Run } from '../crawl/support.js';
import { CERTIFICATE, PKCS12, PKCS12_PASSPHRASE, PRIVATE_KEY } from '../fetch/certificate.js';
import { html, linkPage, pathSite, text } from '../web/site.js';
import { CORPUS, DATA, type Row, type Seen, type Stage, type Trial } from './harness.js';
import { headersSent, says } from './questions.js';
import { askingServer, lateDoor, nameServer, tlsServer } from './servers.js';
import { here } from './stages.js';

type Asking = 'crawl' | 'check' | 'docs' | 'preview' | 'robots' | 'md';
const SHORT = ['--seeding-strategy', 'none', '--delay', '0', '--retries', '0'];
/** What reads pages of a site, and not robots.txt or one page alone. */
const walks = (command: Asking): boolean => command !== 'preview' && command !== 'robots' && command !== 'md';
/** The command for one URL of which robots.txt and home page are all there is. */
const ask = (command: Asking, url: string): string[] =>
  ({
    crawl: ['crawl', url, '--data-dir', DATA, ...SHORT],
    check: ['check', url, '--second-look-budget', '0', ...SHORT],
    docs: ['docs', url, '--data-dir', DATA, '--output', CORPUS, ...SHORT],
    preview: ['preview', url, '--delay', '0'],
    robots: ['robots', url],
    md: ['md', url],
  })[command];

const asking = (name: string, play: (values: readonly string[], trial: Trial) => Promise<Run>): Stage => ({
  name,
  play,
});

const plain = (command: Asking): Stage =>
  asking(`one page (${command})`, async (values, trial) => {
    const web = await trial.web();
    web.site('127.0.0.1', pathSite({ '/': html(linkPage('Home', [`http://other.test/`])) }));
    web.site('other.test', pathSite({ '/': html(linkPage('Other', [])) }));
    const scope = walks(command) ? ['--scope', 'any'] : [];
    return trial.run([...ask(command, `${web.origin}/`), ...here(web), ...scope, ...values]);
  });

const secure = (command: Asking): Stage =>
  asking(`https (${command})`, async (values, trial) => {
    writeFileSync(join(trial.folder, 'ca.pem'), CERTIFICATE);
    return trial.run([...ask(command, `https://127.0.0.1:${await tlsServer(trial)}/`), ...values]);
  });

/** A server that sets a cookie with its first answer, and files that say who asks. */
const session = (command: Asking): Stage =>
  asking(`a session (${command})`, async (values, trial) => {
    const web = await trial.web();
    const headers = { 'content-type': 'text/html', 'set-cookie': 'sid=1; Path=/' };
    web.site('127.0.0.1', { handle: ({ path }) => ({ status: path === '/' ? 200 : 404, headers, body: '' }) });
    writeFileSync(join(trial.folder, 'jar.txt'), '127.0.0.1\tFALSE\t/\tFALSE\t0\tgiven\tyes\n');
    writeFileSync(join(trial.folder, 'auth'), `${web.origin} bearer t0k3n\n`, { mode: 0o600 });
    return trial.run([...ask(command, `${web.origin}/`), ...values]);
  });

/** A server that asks for a certificate. */
const vouched = (command: Asking): Stage =>
  asking(`client certificates (${command})`, async (values, trial) => {
    const file = (name: string, text: string | Buffer): void => writeFileSync(join(trial.folder, name), text);
    file('cert.pem', CERTIFICATE);
    file('key.pem', PRIVATE_KEY);
    file('both.pem', `${CERTIFICATE}\n${PRIVATE_KEY}`);
    file('both.p12', Buffer.from(PKCS12, 'base64'));
    const url = `https://127.0.0.1:${await askingServer(trial)}/`;
    return trial.run([...ask(command, url), '--insecure', ...values], { env: { P12: PKCS12_PASSPHRASE } });
  });

const late = (command: Asking): Stage =>
  asking(`TLS that takes a second (${command})`, async (values, trial) => {
    const port = await lateDoor(trial, await tlsServer(trial), 1000);
    const robots = walks(command) ? ['--ignore-robots'] : [];
    return trial.run([...ask(command, `https://127.0.0.1:${port}/`), '-k', ...robots, ...values]);
  });

/** A name that leads to this machine. `%1` and `%2` in the values are two name servers. */
const named = (command: Asking, ...args: string[]): Stage =>
  asking(`a name at 127.0.0.1 (${command} ${args.join(' ')})`, async (values, trial) => {
    const web = await trial.web();
    web.site('named.test', pathSite({ '/': html(linkPage('Named', [])) }));
    const servers = [await nameServer(trial, 'first'), await nameServer(trial, 'second')];
    const filled = [...args, ...values].map((value) => value.replace(/^%([12])$/, (_, place) => servers[place - 1]!));
    return trial.run([...ask(command, `http://named.test:${web.port}/`), ...filled]);
  });

/** Two webs; `%1` and `%2` in the values are their ports. The second is a proxy as good as any. */
const twoWebs = (command: Asking): Stage =>
  asking(`two servers (${command})`, async (values, trial) => {
    const webs = [await trial.web(), await trial.web()];
    const home = html(linkPage('Home', []));
    webs.forEach((web, place) => {
      web.site('*', {
        handle({ path }) {
          trial.notes.push(`${place + 1} ${path.replace(/:\d+/, '')}`);
          return path.endsWith('test/') || path === '/' || path.endsWith('1/') ? home : text('', 404);
        },
      });
    });
    const filled = values.map((value) => value.replace(/%([12])/, (_, place) => String(webs[place - 1]!.port)));
    return trial.run([...ask(command, `http://127.0.0.1:${webs[0]!.port}/`), ...filled]);
  });

const isReached = (seen: Seen): boolean => seen.notes.length + seen.log.length > 0;
/** What is asked for, sorted. */
const PAGE_OF: Record<Asking, string[]> = {
  crawl: ['/', '/robots.txt'],
  check: ['/', '/robots.txt'],
  docs: ['/', '/robots.txt'],
  preview: ['/robots.txt', '/sitemap.xml', '/sitemap_index.xml'],
  robots: ['/robots.txt'],
  md: ['/', '/robots.txt'],
};
const sortedNotes = (seen: Seen): string[] => [...seen.notes].sort();
/** No seed reached, or nothing to answer with. */
const NOT_REACHED: Record<Asking, unknown> = {
  crawl: 4,
  check: 4,
  docs: 4,
  preview: 4,
  robots: expect.toSatisfy((code: number) => code > 1),
  md: 4,
};

/** Options of a single request, which these commands share. */
const sharedEvidence = (command: Asking): Row[] => [
  {
    key: 'connectTimeoutMs',
    command,
    stage: late(command),
    values: [[], ['--connect-timeout', '200ms']],
    sees: (seen) => [seen.code, isReached(seen)],
    gives: [
      [0, true],
      // A robots.txt that takes too long is put off, not given up.
      [command === 'preview' ? 0 : NOT_REACHED[command], false],
    ],
  },
  {
    key: 'headers',
    command,
    stage: plain(command),
    values: [[], ['-H', 'X-Trial: yes', '-H', '*|Accept-Language: la']],
    sees: (seen) => [
      headersSent({ ...seen, log: seen.log.filter(({ host }) => host === '127.0.0.1') }, 'x-trial'),
      headersSent({ ...seen, log: seen.log.filter(({ host }) => host !== '127.0.0.1') }, 'x-trial'),
      headersSent(seen, 'accept-language'),
    ],
    gives: [
      [['none'], walks(command) ? ['none'] : [], ['none']],
      [['yes'], walks(command) ? ['none'] : [], ['la']],
    ],
  },
  {
    key: 'user',
    command,
    stage: plain(command),
    values: [[], ['--user', 'name:word']],
    sees: (seen) => [
      headersSent({ ...seen, log: seen.log.filter(({ host }) => host === '127.0.0.1') }, 'authorization'),
      headersSent({ ...seen, log: seen.log.filter(({ host }) => host !== '127.0.0.1') }, 'authorization'),
    ],
    gives: [
      [['none'], walks(command) ? ['none'] : []],
      [[`Basic ${btoa('name:word')}`], walks(command) ? ['none'] : []],
    ],
  },
  {
    key: 'proxy',
    command,
    stage: twoWebs(command),
    values: [[], ['--proxy', 'http://127.0.0.1:%2']],
    sees: sortedNotes,
    gives: [PAGE_OF[command].map((path) => `1 ${path}`), PAGE_OF[command].map((path) => `2 http://127.0.0.1${path}`)],
  },
  {
    key: 'authFile',
    command,
    stage: session(command),
    values: [[], ['--auth-file', 'auth']],
    sees: (seen) => headersSent(seen, 'authorization'),
    gives: [['none'], ['Bearer t0k3n']],
  },
  {
    key: 'clientCerts',
    command,
    stage: vouched(command),
    values: [[], ['--client-cert', 'both.pem']],
    sees: (seen) => [seen.code, ...new Set(seen.notes)],
    gives: [
      [0, 'nobody'],
      [0, 'it is gossamer test'],
    ],
  },
  {
    key: 'clientKeys',
    command,
    stage: vouched(command),
    values: [
      ['--client-cert', 'cert.pem'],
      ['--client-cert', 'cert.pem', '--client-key', 'key.pem'],
    ],
    sees: (seen) => [seen.code, ...new Set(seen.notes)],
    gives: [[2], [0, 'it is gossamer test']],
  },
  {
    key: 'clientPassphrase',
    command,
    stage: vouched(command),
    values: [
      ['--client-cert', 'both.p12'],
      ['--client-cert', 'both.p12', '--client-passphrase', 'env:P12'],
    ],
    sees: (seen) => [seen.code, ...new Set(seen.notes)],
    gives: [[2], [0, 'it is gossamer test']],
  },
  {
    key: 'insecure',
    command,
    stage: secure(command),
    values: [[], ['--insecure']],
    sees: (seen) => [seen.code, isReached(seen), says(seen, 'warning: TLS certificates are not verified')],
    gives: [
      [NOT_REACHED[command], false, false],
      [0, true, true],
    ],
  },
  {
    key: 'cacert',
    command,
    stage: secure(command),
    values: [[], ['--cacert', 'ca.pem']],
    sees: (seen) => [seen.code, isReached(seen)],
    gives: [
      [NOT_REACHED[command], false],
      [0, true],
    ],
  },
  {
    key: 'http2',
    command,
    stage: secure(command),
    values: [
      ['--cacert', 'ca.pem'],
      ['--cacert', 'ca.pem', '--no-http2'],
    ],
    sees: sortedNotes,
    gives: [PAGE_OF[command].map((path) => `2.0 ${path}`), PAGE_OF[command].map((path) => `1.1 ${path}`)],
  },
  {
    key: 'allowPrivate',
    command,
    stage: named(command, '--resolver', '%1'),
    values: [[], ['--allow-private']],
    sees: (seen) => [seen.code, says(seen, 'not a public address'), seen.log.length > 0],
    gives: [
      [NOT_REACHED[command], true, false],
      [0, false, true],
    ],
  },
  {
    key: 'allowNetworks',
    command,
    stage: named(command, '--resolver', '%1'),
    values: [
      ['--allow-network', '127.0.0.0/8'],
      ['--allow-network', '10.0.0.0/8'],
    ],
    sees: (seen) => [seen.code, seen.log.length > 0],
    gives: [
      [0, true],
      [NOT_REACHED[command], false],
    ],
  },
  {
    key: 'dnsServers',
    command,
    stage: named(command, '--allow-private'),
    values: [
      ['--resolver', '%1'],
      ['--resolver', '%2'],
    ],
    sees: (seen) => [...new Set(seen.notes)],
    gives: [['first: named.test'], ['second: named.test']],
  },
  {
    key: 'connectTo',
    command,
    stage: twoWebs(command),
    values: [[], ['--connect-to', '::127.0.0.1:%2']],
    sees: sortedNotes,
    gives: [PAGE_OF[command].map((path) => `1 ${path}`), PAGE_OF[command].map((path) => `2 ${path}`)],
  },
];

/** What holds for one host only, by a header that only it sees. */
const hostEvidence = (command: Asking): Row => ({
  key: 'hosts',
  command,
  stage: plain(command),
  values: [[], ['--host', '127.0.0.1 header="Accept-Language: la"', '--host', '* header="Accept-Language: grc"']],
  sees: (seen) => [
    headersSent({ ...seen, log: seen.log.filter(({ host }) => host === '127.0.0.1') }, 'accept-language'),
    headersSent({ ...seen, log: seen.log.filter(({ host }) => host !== '127.0.0.1') }, 'accept-language'),
  ],
  gives: [
    [['none'], walks(command) ? ['none'] : []],
    [['la'], walks(command) ? ['grc'] : []],
  ],
});

/** Of several requests, which these commands share. */
const sessionEvidence = (command: Exclude<Asking, 'robots' | 'md'>): Row[] => [
  {
    key: 'cookies',
    command,
    stage: session(command),
    values: [[], ['--cookies']],
    sees: (seen) => headersSent(seen, 'cookie').sort(),
    gives: [['none'], ['none', 'sid=1']],
  },
  {
    key: 'cookieJar',
    command,
    stage: session(command),
    values: [[], ['--cookie-jar', 'jar.txt']],
    sees: (seen) => [headersSent(seen, 'cookie').sort(), seen.files.get('jar.txt')!.includes('\tsid\t1\n')],
    gives: [
      [['none'], false],
      [['given=yes', 'given=yes; sid=1'], true],
    ],
  },
  {
    key: 'proxyRotation',
    command,
    stage: twoWebs(command),
    values: [
      ['--proxy', 'http://127.0.0.1:%1', '--proxy', 'http://127.0.0.1:%2'],
      ['--proxy', 'http://127.0.0.1:%1', '--proxy', 'http://127.0.0.1:%2', '--proxy-rotation', 'request'],
    ],
    sees: (seen) => new Set(seen.notes.map((note) => note[0])).size,
    gives: [1, 2],
  },
];

export const NETWORK_EVIDENCE: Row[] = [
  ...(['crawl', 'check', 'docs', 'preview'] as const).map(hostEvidence),
  ...sessionEvidence('crawl'),
  ...sessionEvidence('check'),
  ...sessionEvidence('docs'),
  ...sessionEvidence('preview'),
  ...sharedEvidence('crawl'),
  ...sharedEvidence('check'),
  ...sharedEvidence('docs'),
  ...sharedEvidence('preview'),
  ...sharedEvidence('robots'),
  ...sharedEvidence('md'),
];
