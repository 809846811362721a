import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergeCrawls, splitCrawl } from 'gossamer';
import { beforeAll, describe, expect, it } from 'vitest';
import { openKept } from '../../src/store/directory.js';
import { DirectoryLock } from '../../src/store/lock.js';
import { openDatabase } from '../../src/store/sqlite.js';
import { writeMeta } from '../../src/store/store-file.js';
import { UnfinishedFolder } from '../../src/store/unfinished-folder.js';
import { box, type Crawled } from '../crawl/box.js';
import { inProcess } from '../crawl/in-process.js';
import { html, linkPage, pathSite, redirect, urlset, xml } from '../web/site.js';
import { contentOf, renumber } from './parts.js';

const HOSTS = ['a.test', 'www.a.test', 'b.test', 'c.test', 'd.test', 'e.test', 'f.test'];
const web = box();

/** Hosts that lead to each other in all ways: links, redirects over two hosts, one that never ends, sitemaps, pages that are the same. */
function site(host: string, i: number) {
  const next = HOSTS[(i + 1) % HOSTS.length]!;
  const after = HOSTS[(i + 2) % HOSTS.length]!;
  return pathSite({
    '/': html(
      linkPage(`Home of ${host}`, [
        ...['/1', '/gone', '/go', '/private/x', `http://${next}/`, `http://${after}/2`, 'mailto:a@a.test'],
        ...['http://outside.test/', `/x/x/x/x/${i}`],
      ]),
    ),
    '/1': html(linkPage('One', [`http://${after}/round`, '/same', `http://${next}/same`])),
    '/2': html(linkPage('Two', ['/1'])),
    '/same': html(linkPage('Same', [], 'The same words on every host.')),
    '/go': redirect(`http://${next}/hop`),
    '/hop': redirect(`http://${after}/1`),
    '/round': redirect(`http://${next}/round`),
    '/sitemap.xml': xml(urlset([`http://${host}/named`, `http://${host}/1`])),
    '/named': html(linkPage('Named', ['/'])),
    '/robots.txt': {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /private/\n',
    },
  });
}
const SEEDS = HOSTS.map((host) => `http://${host}/`);
const FLAGS = ['--keep', 'body', '--anchor-text', '--workers', '4'];

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
const filesIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => !/^lock\.sqlite|-shm$|-wal$/.test(name))
    .sort();

function contentIn(directory: string): Record<string, unknown> {
  const database = openKept(directory);
  try {
    return contentOf(database);
  } finally {
    database.close();
  }
}

/** What the commands that read a crawl say of it. */
async function told(directory: string): Promise<string[]> {
  const asked = [
    ...['jsonl', 'sitemap', 'csv', 'edges', 'hosts', 'seeds'].map((format) => [
      'export',
      directory,
      '--format',
      format,
    ]),
    ['graph', directory, '--format', 'csv'],
    ['graph', directory, '--nodes', '--format', 'csv'],
    ['audit', directory, '--format', 'json'],
    ['explain', directory, 'http://b.test/same', '--json'],
    ['explain', directory, 'http://a.test/private/x', '--json'],
    ['status', directory, '--json'],
    ['search', directory, 'same', 'words', '--json'],
  ];
  const answers: string[] = [];
  for (const args of asked) {
    const { code, stdout, stderr } = await inProcess(args);
    answers.push(`${args[0]} ${code} ${stdout.replaceAll(directory, 'DIR')}${stderr.replaceAll(directory, 'DIR')}`);
  }
  return answers;
}

async function splitAndMerged(directory: string, name: string, nodes = 3): Promise<string> {
  const [parts, whole] = [join(web.folder, `${name}-parts`), join(web.folder, `${name}-whole`)];
  const split = await inProcess(['split', directory, '--nodes', String(nodes), '-o', parts]);
  expect(split).toMatchObject({ code: 0 });
  const slots = Array.from({ length: nodes }, (_, slot) => join(parts, `slot-${slot}`));
  // In any order.
  const merged = await inProcess(['merge', ...slots.reverse(), '-o', whole]);
  expect(merged).toMatchObject({ code: 0 });
  expect(readdirSync(web.folder).filter((each) => each.endsWith('.unfinished'))).toEqual([]);
  return whole;
}

describe('a crawl that is split and merged', () => {
  let crawled: Crawled;
  beforeAll(async () => {
    for (const [i, host] of HOSTS.entries()) {
      web.web.site(host, site(host, i));
    }
    crawled = await web.crawl(SEEDS, FLAGS);
  });

  it('has every row that it had, and every command says the same of it', async () => {
    const before = hashOf(join(crawled.directory, 'crawl.sqlite'));
    const whole = await splitAndMerged(crawled.directory, 'all');
    expect(contentIn(whole)).toEqual(contentIn(crawled.directory));
    expect(await told(whole)).toEqual(await told(crawled.directory));
    for (const file of ['pages.jsonl', 'sitemap.xml']) {
      expect(existsSync(join(whole, file))).toBe(existsSync(join(crawled.directory, file)));
    }
    expect(readFileSync(join(whole, 'pages.jsonl'), 'utf8')).toBe(
      readFileSync(join(crawled.directory, 'pages.jsonl'), 'utf8'),
    );
    expect(hashOf(join(crawled.directory, 'crawl.sqlite'))).toBe(before);
    // The parts share the pages out: none has all, and together they have each once.
    const pages = [0, 1, 2].map(
      (slot) => (contentIn(join(web.folder, 'all-parts', `slot-${slot}`)).pages as unknown[]).length,
    );
    expect(Math.max(...pages)).toBeLessThan((contentIn(whole).pages as unknown[]).length);
    expect(pages.reduce((a, b) => a + b)).toBe((contentIn(whole).pages as unknown[]).length);
  });

  it('is the same where every part has numbered all that it knows by itself', async () => {
    const { parts } = await splitCrawl(crawled.directory, { nodes: 4, output: join(web.folder, 'numbered') });
    for (const part of parts) {
      const database = openDatabase(join(part, 'crawl.sqlite'));
      renumber(database);
      database.close();
    }
    const whole = join(web.folder, 'numbered-whole');
    await mergeCrawls(parts, { output: whole });
    // Only the order in which things are told goes by their numbers.
    const sorted = (answers: string[]) => answers.map((answer) => answer.replace(/,$/gm, '').split('\n').sort());
    // Of several shortest paths, which one is told goes by them, too.
    const tellsPath = (answer: string) => answer.startsWith('explain');
    // Of more pages that answer a search equally well than are shown, those with the lowest numbers are.
    const goesByNumbers = (answer: string) => tellsPath(answer) || answer.startsWith('search');
    const answersOf = async (directory: string) =>
      sorted((await told(directory)).filter((each) => !goesByNumbers(each)));
    const [is, was] = [await answersOf(whole), await answersOf(crawled.directory)];
    for (const [place, answer] of is.entries()) {
      expect(answer).toEqual(was[place]);
    }
    const counts = (directory: string) =>
      Object.fromEntries(
        Object.entries(contentIn(directory)).map(([table, rows]) => [table, (rows as unknown[]).length]),
      );
    expect(counts(whole)).toEqual(counts(crawled.directory));
  });

  it('goes on where it was cut, to what it would have come to', async () => {
    const cut = await web.crawl(SEEDS, [...FLAGS, '--max-urls', '12']);
    const whole = await splitAndMerged(cut.directory, 'cut', 2);
    const given = web.web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    expect(await inProcess(['resume', whole, '--max-urls', '1000', '--delay', '0', ...given])).toMatchObject({
      code: 0,
    });
    const edges = async (directory: string) =>
      (await inProcess(['export', directory, '-f', 'edges'])).stdout.split('\n').sort();
    expect(await edges(whole)).toEqual(await edges(crawled.directory));
    const states = (directory: string) =>
      readFileSync(join(directory, 'pages.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ url, state, reason, status, finalUrl, depth, title, hash }) => [
          url,
          state,
          reason,
          status,
          finalUrl,
          depth,
          title,
          hash,
        ])
        .sort();
    expect(states(whole)).toEqual(states(crawled.directory));
  });

  it('is refused by name where something is missing or does not belong', async () => {
    const parts = join(web.folder, 'refused');
    await splitCrawl(crawled.directory, { nodes: 3, output: parts });
    const slots = [0, 1, 2].map((slot) => join(parts, `slot-${slot}`));
    const [first, second, third] = slots as [string, string, string];
    const merge = (...args: string[]) => inProcess(['merge', ...args, '-o', join(web.folder, 'never')]);
    const says = async (run: ReturnType<typeof inProcess>, text: string, code = 3) =>
      expect(await run).toMatchObject({ code, stderr: expect.stringContaining(text) });
    await says(merge(first, third), 'slot 1 of 3 is missing');
    await says(merge(first, first, second, third), 'is named twice', 2);
    cpSync(first, join(web.folder, 'copy'), { recursive: true });
    await says(merge(first, join(web.folder, 'copy'), second, third), 'are the same part, slot 0');
    await says(merge(crawled.directory), 'is a whole crawl and no part of one');
    await says(inProcess(['split', first, '--nodes', '2', '-o', 'x']), 'is a part already, slot 0 of 3');
    await says(inProcess(['split', crawled.directory, '--nodes', '1', '-o', 'x']), '--nodes', 2);
    await says(inProcess(['split', crawled.directory, '--nodes', '2', '-o', parts]), 'is there already');
    await says(inProcess(['split', join(web.folder, 'nothing'), '--nodes', '2', '-o', 'x']), 'there is no crawl in');
    const other = join(web.folder, 'other');
    await splitCrawl(crawled.directory, { nodes: 3, output: other });
    await says(merge(first, second, join(other, 'slot-2')), 'is no part of the crawl');
    mkdirSync(join(second, 'added'));
    writeFileSync(join(second, 'added', '000000000000001-0123456789ab-000000.json'), '{"urls":[]}');
    await says(merge(...slots), 'URLs were added to');
    rmSync(join(second, 'added'), { recursive: true });
    const lock = DirectoryLock.take(third);
    await says(merge(...slots), 'is at work in');
    lock.release();
    const database = openDatabase(join(third, 'crawl.sqlite'));
    writeMeta(database, { command: 'check' });
    await says(merge(...slots), 'was made by `gossamer check`, and only a crawl');
    writeMeta(database, { command: 'crawl' });
    database.exec('PRAGMA user_version = 4');
    await says(merge(...slots), 'has store version 4');
    database.close();
    expect(existsSync(join(web.folder, 'never'))).toBe(false);
  });

  it('leaves nothing that looks like a crawl where it was cut off, and is done again over that', async () => {
    const output = join(web.folder, 'killed');
    // As a kill leaves it.
    const half = UnfinishedFolder.open(output);
    half.createStore(join(half.made, 'slot-0'), 256).exec('COMMIT');
    cpSync(`${output}.unfinished`, join(web.folder, 'left'), { recursive: true });
    half.close();
    cpSync(join(web.folder, 'left'), `${output}.unfinished`, { recursive: true });
    expect(filesIn(join(`${output}.unfinished`, 'made', 'slot-0'))).toEqual(['crawl.sqlite.part']);
    expect(existsSync(output)).toBe(false);
    const { parts } = await splitCrawl(crawled.directory, { nodes: 2, output });
    expect(existsSync(`${output}.unfinished`)).toBe(false);
    expect(parts.map(filesIn)).toEqual([['crawl.sqlite'], ['crawl.sqlite']]);
    const stop = AbortSignal.abort();
    await expect(mergeCrawls(parts, { output: join(web.folder, 'stopped'), signal: stop })).rejects.toMatchObject({
      code: 'stopped',
    });
    expect(readdirSync(web.folder).filter((name) => name.startsWith('stopped'))).toEqual([]);
    writeFileSync(join(web.folder, 'mine.txt'), 'mine');
    mkdirSync(join(web.folder, 'held.unfinished'));
    writeFileSync(join(web.folder, 'held.unfinished', 'mine.txt'), 'mine');
    await expect(mergeCrawls(parts, { output: join(web.folder, 'held') })).rejects.toMatchObject({ code: 'occupied' });
    expect(existsSync(join(web.folder, 'held.unfinished', 'mine.txt'))).toBe(true);
  });
});
