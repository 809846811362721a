import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { box } from '../crawl/box.js';
import { inProcess } from '../crawl/in-process.js';
import { readLines } from '../crawl/support.js';
import { chapters, Manual } from '../docs/manual.js';
import { html, pathSite, text } from '../web/site.js';

const HTML = { 'content-type': 'text/html' };
const TEXT = '<!doctype html><html lang="en"><title>Same</title><h1>Same</h1><p>'.concat(
  'The same words. '.repeat(100),
);

const site = () =>
  pathSite({
    '/': html(
      '<!doctype html><html lang=en><title>Home</title><h1>Home</h1><img src=/pic.png>'.concat(
        ...['gzip', 'br', 'one', 'two', 'old', 'missing', 'file.pdf', 'loop', 'é?b=1', 'private/x'].map(
          (path) => `<a href="/${path}">${path}</a> `,
        ),
      ),
    ),
    '/gzip': { headers: { ...HTML, 'content-encoding': 'gzip' }, body: gzipSync(`${TEXT}gzip`) },
    '/br': { headers: { ...HTML, 'content-encoding': 'br' }, body: brotliCompressSync(`${TEXT}br`) },
    '/one': html(TEXT),
    '/two': html(TEXT),
    '/old': { status: 301, headers: { location: '/new', 'content-type': 'text/plain' }, body: 'Moved.' },
    '/new': html('<!doctype html><title>New</title><a href="/">Home</a>'),
    '/loop': { status: 302, headers: { location: '/loop' } },
    '/missing': { status: 404, headers: HTML, body: 'Gone.' },
    '/file.pdf': { headers: { 'content-type': 'application/pdf' }, body: Buffer.alloc(5_000, 7) },
    '/pic.png': { headers: { 'content-type': 'image/png' }, body: Buffer.alloc(3_000, 9) },
    '/%C3%A9?b=1': html('<!doctype html><title>É</title>'),
    '/robots.txt': text('User-agent: *\nDisallow: /private\n'),
  });

/** What of a page may be another when an archive is read in place of the net: how long it took, and how often it was asked for. */
const comparable = (directory: string): unknown[] =>
  readLines<Record<string, unknown>>(readFileSync(join(directory, 'pages.jsonl'), 'utf8')).map((line) => ({
    ...line,
    ...{ ttfbMs: null, totalMs: null, attempts: null },
    ...(line.status === null ? { fetchedAt: null } : {}),
  }));

interface ForeignRecord {
  type: string;
  url: string;
  status: number | null;
  payload: Uint8Array;
}

/** As another program's reader sees it. */
async function readByOther(path: string): Promise<ForeignRecord[]> {
  const records: ForeignRecord[] = [];
  const stream = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
  for await (const record of new WARCParser(stream)) {
    records.push({
      type: record.warcType ?? '',
      url: record.warcTargetURI ?? '',
      status: record.warcType === 'response' ? Number(record.httpHeaders?.statusCode) : null,
      payload: await record.readFully(true),
    });
  }
  return records;
}

describe('an archived crawl', () => {
  const b = box();
  let directory: string;
  let archive: string;

  beforeAll(async () => {
    b.web.site('127.0.0.1', site());
    ({ directory } = await b.crawl(
      [`${b.web.origin}/`],
      ['--format', 'warc', '--assets', '--external', '--retries', '0'],
    ));
    archive = join(directory, 'archive', 'gossamer-00001.warc.gz');
  });

  it('is read by a reader that is not ours, byte for byte', async () => {
    const records = await readByOther(archive);
    const payloads = new Map(
      records.flatMap(({ type, url, payload }) => (type === 'response' ? [[new URL(url).pathname, payload]] : [])),
    );
    expect(Buffer.from(payloads.get('/gzip')!).toString()).toBe(`${TEXT}gzip`);
    expect(payloads.get('/file.pdf')).toEqual(new Uint8Array(5_000).fill(7));
    expect(payloads.get('/pic.png')).toEqual(new Uint8Array(3_000).fill(9));
    expect(Buffer.from(payloads.get('/old')!).toString()).toBe('Moved.');
    expect(records.filter(({ type }) => type === 'revisit').map(({ url }) => new URL(url).pathname)).toHaveLength(1);
    expect(records.find(({ url, type }) => type === 'response' && url.endsWith('/missing'))?.status).toBe(404);
  });

  it('replayed gives the same pages, links and findings, and asks nobody', async () => {
    b.web.clearLog();
    const replayed = join(b.folder, 'replayed');
    const args = ['crawl', '--from', archive, '--assets', '--external', '--retries', '0', '--data-dir', replayed];
    const run = await inProcess(args, { cwd: b.folder });
    expect(run.code, run.stderr).toBe(0);
    expect(b.web.log).toEqual([]);
    expect(comparable(replayed)).toEqual(comparable(directory));
    for (const command of [
      ['export', '--format', 'edges'],
      ['audit', '--format', 'csv'],
      ['graph', '--format', 'csv'],
    ]) {
      const [first, second] = await Promise.all(
        [directory, replayed].map((each) => inProcess([command[0]!, each, ...command.slice(1)], { cwd: b.folder })),
      );
      expect(second!.stdout, command.join(' ')).toBe(first!.stdout);
    }
  });

  it('as a WACZ is replayed as well, and says itself where it began', async () => {
    const wacz = join(b.folder, 'site.wacz');
    const made = await inProcess(['export', directory, '--format', 'wacz', '-o', wacz], { cwd: b.folder });
    expect(made.code, made.stderr).toBe(0);
    const replayed = join(b.folder, 'of-wacz');
    const run = await inProcess(
      ['crawl', '--from', wacz, '--assets', '--external', '--retries', '0', '--data-dir', replayed],
      { cwd: b.folder },
    );
    expect(run.code, run.stderr).toBe(0);
    expect(comparable(replayed)).toEqual(comparable(directory));
  });

  it('is checked and made into a corpus as the site itself is, and nobody is asked', async () => {
    const verdicts = async (...args: string[]) => {
      const run = await inProcess(['check', ...args, '--retries', '0', '-f', 'csv'], { cwd: b.folder });
      expect(run.stdout, run.stderr).toContain(`${b.web.origin}/missing`);
      return [run.code, run.stdout.split('\n').sort()];
    };
    const online = await verdicts(`${b.web.origin}/`);
    b.web.clearLog();
    expect(await verdicts('--from', archive)).toEqual(online);
    const made = await inProcess(['docs', '--from', archive, '--data-dir', 'docs', '--output', 'corpus'], {
      cwd: b.folder,
    });
    expect(made.code, made.stderr).toBe(0);
    expect(b.web.log).toEqual([]);
    const pages = readFileSync(join(b.folder, 'corpus', 'index.json'), 'utf8');
    for (const path of ['/gzip', '/br', '/new']) {
      expect(pages).toContain(`${b.web.origin}${path}"`);
    }
    const local = await inProcess(['check', '--from', archive, b.folder], { cwd: b.folder });
    expect([local.code, local.stderr]).toEqual([
      2,
      expect.stringContaining('--from reads an archive in place of the web'),
    ]);
  });

  it('has an index that finds each record', async () => {
    const bytes = readFileSync(archive);
    const lines = readFileSync(join(directory, 'archive', 'index.cdxj'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines).toEqual([...lines].sort());
    for (const line of lines) {
      const { offset, length } = JSON.parse(line.slice(line.indexOf('{')));
      expect(bytes.readUInt16BE(Number(offset))).toBe(0x1f8b);
      const end = Number(offset) + Number(length);
      expect(end === bytes.length || bytes.readUInt16BE(end) === 0x1f8b, line).toBe(true);
    }
  });

  it('cannot be replayed where the archive lacks a page, and that is said of the page', async () => {
    const replayed = join(b.folder, 'elsewhere');
    const args = ['crawl', `${b.web.origin}/nowhere`, '--from', archive, '--data-dir', replayed];
    const run = await inProcess(args, { cwd: b.folder });
    expect(run.code).toBe(4);
    expect(run.stderr).toContain('The archive does not have it.');
  });

  it.each([
    [['--render', 'auto'], '--render cannot be used with --from'],
    [['--format', 'warc'], '--format warc cannot be used with --from'],
    [['--proxy', 'http://127.0.0.1:1'], '--proxy has no meaning for an archive'],
  ])('is refused with %j', async (more, words) => {
    const args = ['crawl', '--from', archive, '--data-dir', join(b.folder, 'refused'), ...more];
    const run = await inProcess(args, { cwd: b.folder });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(existsSync(join(b.folder, 'refused', 'crawl.sqlite'))).toBe(false);
  });

  it.runIf(hasPython('warcio', 'cdxj_indexer'))('holds for the tools of Python: digests, and the same index', () => {
    expect(python('-m', 'warcio.cli', 'check', archive)).toEqual({ status: 0, stdout: '' });
    const indexed = python('-m', 'cdxj_indexer.main', '--sort', archive);
    expect(indexed.stdout).toBe(readFileSync(join(directory, 'archive', 'index.cdxj'), 'utf8'));
  });
});

describe('an archive of a crawl that kept its pages', () => {
  const b = box();

  it('gives the same pages and links when it is replayed', async () => {
    b.web.site('127.0.0.1', site());
    const { directory } = await b.crawl([`${b.web.origin}/`], ['--keep', 'body', '--retries', '0']);
    const archive = join(b.folder, 'kept.warc.gz');
    const made = await inProcess(['export', directory, '--format', 'warc', '-o', archive], { cwd: b.folder });
    expect(made.code, made.stderr).toBe(0);
    const replayed = join(b.folder, 'replayed');
    const run = await inProcess(['crawl', '--from', archive, '--retries', '0', '--data-dir', replayed], {
      cwd: b.folder,
    });
    expect(run.code, run.stderr).toBe(0);
    const withoutEncoding = (page: unknown): unknown => {
      const { headers, ...rest } = page as { headers: Record<string, string> | null };
      const { 'content-encoding': _, ...others } = headers ?? {};
      return { ...rest, headers: others };
    };
    expect(comparable(replayed).map(withoutEncoding)).toEqual(comparable(directory).map(withoutEncoding));
    const edges = await Promise.all(
      [directory, replayed].map((each) => inProcess(['export', each, '--format', 'edges'], { cwd: b.folder })),
    );
    expect(edges[1]!.stdout).toBe(edges[0]!.stdout);
  });

  it('is refused where nothing was kept, by the flags that were missing', async () => {
    b.web.site('127.0.0.1', site());
    const { directory } = await b.crawl([`${b.web.origin}/`], ['--retries', '0', '--max-urls', '1']);
    for (const format of ['warc', 'wacz', 'cdxj']) {
      const run = await inProcess(['export', directory, '--format', format], { cwd: b.folder });
      expect([run.code, run.stderr]).toEqual([3, expect.stringContaining('crawl again with --format warc')]);
    }
  });
});

describe('a corpus and a check of an archive', () => {
  const b = box();

  it('are those of the site, by a crawl of the archive that keeps its pages', async () => {
    b.web.site('127.0.0.1', new Manual(chapters(12)));
    const seed = `${b.web.origin}/docs/`;
    const { directory } = await b.crawl([seed], ['--format', 'warc', '--keep', 'body']);
    const replayed = join(b.folder, 'replayed');
    const args = ['crawl', '--from', join(directory, 'archive', 'gossamer-00001.warc.gz'), '--keep', 'body'];
    expect((await inProcess([...args, '--data-dir', replayed], { cwd: b.folder })).code).toBe(0);
    b.web.clearLog();
    const outputs = await Promise.all(
      [directory, replayed].map((each) => inProcess(['check', each, '--format', 'csv'], { cwd: b.folder })),
    );
    expect(outputs[1]!.stdout).toBe(outputs[0]!.stdout);
    const corpora = [];
    for (const [name, each] of Object.entries({ first: directory, second: replayed })) {
      const output = join(b.folder, name);
      expect((await inProcess(['docs', each, '--output', output], { cwd: b.folder })).code).toBe(0);
      corpora.push(readFileSync(join(output, 'docs', 'chapter-1.md'), 'utf8'));
    }
    expect(corpora[1]).toBe(corpora[0]);
    expect(b.web.log).toEqual([]);
  });
});

function python(...args: string[]): { status: number | null; stdout: string } {
  const { status: code, stdout } = spawnSync(process.env.GOSSAMER_TEST_PYTHON ?? 'python3', args, { encoding: 'utf8' });
  return { status: code, stdout };
}

function hasPython(...modules: string[]): boolean {
  return python('-c', `import ${modules.join(', ')}`).status === 0;
}
