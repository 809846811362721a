import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { start, temporaryFolder } from '../crawl/support.js';
import { Random } from '../web/random.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { chapters, filesOf, Manual, readIndex } from './manual.js';

let web: WebInABox;
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(async () => {
  web = await openWeb();
  folder = temporaryFolder();
});
afterEach(async () => {
  await web.close();
  folder.remove();
});

/** Of a run over midnight the date would differ, and nothing else. */
const contents = (output: string): Map<string, string> =>
  new Map([...filesOf(output)].map(([path, bytes]) => [path, bytes.toString('latin1')]));

const docs = (name: string, ...more: string[]) => [
  'docs',
  `${web.origin}/docs/`,
  ...['--output', join(folder.path, name), '--data-dir', join(folder.path, `${name}-data`), ...more],
];

describe('the same site gives the same files', () => {
  it('whichever page comes first', async () => {
    const seen: Map<string, string>[] = [];
    for (const seed of [1, 2, 3]) {
      const random = new Random(seed);
      web.site('127.0.0.1', new Manual(chapters(40), { afterMs: () => random.between(0, 25) }));
      web.clearLog();
      const run = await inProcess(docs(`run-${seed}`), { cwd: folder.path });
      expect(run.stderr).toContain('Saved 41 pages');
      seen.push(contents(join(folder.path, `run-${seed}`)));
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });

  it('after a kill at any moment, without asking again for what was settled', async () => {
    const site = () => new Manual(chapters(60), { afterMs: () => 15 });
    web.site('127.0.0.1', site());
    await inProcess(docs('whole'), { cwd: folder.path });
    const whole = contents(join(folder.path, 'whole'));
    web.clearLog();

    const command = docs('killed', '--workers', '4');
    for (const [round, requests] of [3, 12, 30].entries()) {
      const before = web.log.length;
      const { child, ended } = start(round === 0 ? command : ['resume', join(folder.path, 'killed-data')], {
        cwd: folder.path,
      });
      await when(() => web.log.length >= before + requests);
      child.kill('SIGKILL');
      await ended;
      expect(existsSync(join(folder.path, 'killed', 'index.json'))).toBe(false);
    }
    const last = await inProcess(['resume', join(folder.path, 'killed-data')], { cwd: folder.path });
    expect(last.stderr).toMatch(/Saved 61 pages/);
    expect(contents(join(folder.path, 'killed'))).toEqual(whole);
    const asked = new Map<string, number>();
    for (const { path } of web.log) {
      asked.set(path, (asked.get(path) ?? 0) + 1);
    }
    // Under way at a kill: four at the most, three times.
    const twice = [...asked].filter(([path, times]) => path.startsWith('/docs/') && times > 1);
    expect(twice.length).toBeLessThanOrEqual(12);
  });

  it('leaves what is done in DIR.partial when it is interrupted, and finishes it', async () => {
    web.site('127.0.0.1', new Manual(chapters(60), { afterMs: () => 20 }));
    const output = join(folder.path, 'corpus');
    const { child, ended } = start(docs('corpus', '--workers', '2'), { cwd: folder.path });
    await when(() => web.log.length >= 25);
    child.kill('SIGINT');
    const run = await ended;
    expect(run.code).toBe(130);
    expect(run.stderr).toContain(`what is done stands in ${output}.partial`);
    expect(existsSync(output)).toBe(false);
    const partial = [...filesOf(`${output}.partial`)].filter(([path]) => path.endsWith('.md'));
    expect(partial.length).toBeGreaterThan(5);
    for (const [, bytes] of partial) {
      expect(bytes.toString()).toMatch(/^---\nsource: [\s\S]*\n---\n\n# /);
    }

    const refused = await inProcess(docs('corpus'), { cwd: folder.path });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/unfinished corpus: `gossamer resume .*corpus-data` goes on with it/);
    const rest = await inProcess(['resume', join(folder.path, 'corpus-data')], { cwd: folder.path });
    expect(rest.stderr).toMatch(/Saved 61 pages/);
    expect(existsSync(`${output}.partial`)).toBe(false);
    expect(readIndex(output).documents).toHaveLength(61);
  });
});

describe('a stop while pages become Markdown', () => {
  it('leaves the corpus as it was, and the rest to the next run, without asking for anything again', async () => {
    web.site('127.0.0.1', new Manual(chapters(250)));
    const output = join(folder.path, 'corpus');
    const { child, ended, stderr } = start(docs('corpus'), { cwd: folder.path });
    await when(() => stderr().includes('become Markdown'));
    child.kill('SIGINT');
    const run = await ended;
    expect(run.stderr).toContain('goes on');
    expect(run.code).toBe(130);
    expect(existsSync(output)).toBe(false);
    web.clearLog();
    const rest = await inProcess(['resume', join(folder.path, 'corpus-data')], { cwd: folder.path });
    expect(rest.stderr).toMatch(/Saved 251 pages/);
    expect(web.log).toEqual([]);
  });
});

describe('several sites', () => {
  it('have a folder each, and are crawled at the same time', async () => {
    for (const host of ['one.test', 'two.test']) {
      web.site(host, new Manual(chapters(host === 'one.test' ? 8 : 5), { afterMs: () => 5 }));
    }
    const seeds = ['http://one.test/docs/', 'http://two.test/docs/'];
    const flags = ['--delay', '0', ...web.connectTo.flatMap((to) => ['--connect-to', to])];
    const first = await inProcess(['docs', ...seeds, ...flags], { cwd: folder.path });
    expect(first.stderr).toMatch(/Saved 15 pages/);
    const count = (host: string) => readIndex(join(folder.path, `${host}-docs`)).documents.length;
    expect([count('one.test'), count('two.test')]).toEqual([9, 6]);
    const hosts = web.log.filter(({ path }) => path.startsWith('/docs/')).map(({ host }) => host);
    expect(hosts.indexOf('two.test')).toBeLessThan(hosts.lastIndexOf('one.test'));
    expect(hosts.indexOf('one.test')).toBeLessThan(hosts.lastIndexOf('two.test'));

    // One of them cannot be had: the other is written all the same.
    web.site('two.test', { handle: () => ({ status: 404 }) });
    const second = await inProcess(['docs', ...seeds, ...flags, '--output', join(folder.path, 'both')], {
      cwd: folder.path,
    });
    expect(second.stderr).toMatch(/no page of http:\/\/two\.test\/docs\/ could be fetched/);
    expect(readIndex(join(folder.path, 'both', 'one.test-docs')).documents).toHaveLength(9);
    expect(existsSync(join(folder.path, 'both', 'two.test-docs', 'index.json'))).toBe(false);
  });
});

/** Until something holds that the web in a box or the program's output shows. It leaves the processor to the program. */
async function when(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
