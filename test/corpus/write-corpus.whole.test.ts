import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Breaks, Stopped } from '../../src/base/breaks.js';
import { readFrontMatter } from '../../src/corpus/front-matter.js';
import { readIndex } from '../../src/corpus/index-file.js';
import { pagesInPartial, writeCorpus } from '../../src/corpus/write-corpus.js';
import { errorsOf } from '../check/json-schema.js';
import { index, lines, OPTIONS, ORIGIN, page, read, snapshot, temporaryFolder, write } from './fixture.js';

const SITE = [
  page('/', {
    title: 'Home',
    description: 'Where it [begins]',
    markdown: `# Home\n\nSee [b](${ORIGIN}/guide/b.html#x) and [out](https://other.test/).`,
  }),
  page('/guide/', { title: 'Guide' }),
  page('/guide/b.html', {
    markdown: `Back [home](${ORIGIN}/).`,
    etag: '"1"',
    lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT',
  }),
  page('/guide/b.html?lang=de', { lang: 'de', title: 'Seite' }),
  page('/api/Con', { title: 'a\n# b' }),
];

describe('a corpus', () => {
  const dir = join(temporaryFolder(), 'docs');

  it('has a file for each page and the files beside the tree', async () => {
    const report = await write(dir, SITE);
    expect(report).toMatchObject({ pages: 5, chunks: 5, duplicates: 0, tokensEstimated: true });
    expect(report.changes).toEqual({ added: 5, changed: 0, rewritten: 0, removed: 0, unchanged: 0 });
    const files = Object.keys(snapshot(dir)).map((path) => path.replace(/~.{10}/, '~'));
    expect(files).toEqual(
      [
        'api/_Con~.md',
        'changes.jsonl',
        'chunks.jsonl',
        'corpus.jsonl',
        'guide/b.md',
        'guide/b@lang=de.md',
        'guide/index.md',
        'index.json',
        'index.md',
        'llms-full.txt',
        'llms.txt',
        'search.db',
      ].sort(),
    );
    expect(existsSync(`${dir}.partial`) || existsSync(`${dir}.replaced`)).toBe(false);
  });

  it('has links between its pages relative and all others absolute, in the tree; all absolute in the lines', () => {
    expect(read(dir, 'index.md')).toContain('See [b](guide/b.md#x) and [out](https://other.test/).');
    expect(read(dir, 'guide/b.md')).toContain('Back [home](../index.md).');
    expect(lines(dir, 'corpus.jsonl')[0]!.markdown).toBe(SITE[0]!.markdown);
  });

  it('says in each file where it is from', () => {
    expect(readFrontMatter(read(dir, 'guide/b.md'))!.fields).toMatchObject({
      source: `${ORIGIN}/guide/b.html`,
      title: 'Page /guide/b.html',
      crawled: '2026-01-01T00:00:00.000Z',
      lang: 'en',
      tokensEstimated: true,
    });
  });

  it('has lines with the documented keys, in the order of the site', () => {
    expect(lines(dir, 'corpus.jsonl').map(({ url }) => url)).toEqual(SITE.map(({ url }) => url));
    for (const line of lines(dir, 'corpus.jsonl')) {
      expect(Object.keys(line)).toEqual(['url', 'title', 'markdown', 'text', 'hash', 'tokens']);
    }
    for (const line of lines(dir, 'chunks.jsonl')) {
      expect(Object.keys(line)).toEqual(['id', 'url', 'title', 'headings', 'text', 'tokens', 'hash', 'position']);
    }
  });

  it('has an llms.txt by the convention', () => {
    expect(read(dir, 'llms.txt').replace(/~.{10}/, '~')).toBe(
      '# Docs\n\n## Docs\n\n- [Home](index.md): Where it \\[begins\\]\n\n## guide\n\n- [Guide](guide/index.md)\n' +
        '- [Page /guide/b.html](guide/b.md)\n- [Seite](guide/b%40lang%3Dde.md)\n\n## api\n\n- [a # b](api/_Con~.md)\n',
    );
  });

  it('has an index.json that is what its schema says', async () => {
    const schema = JSON.parse(readFileSync(new URL('../../docs/schemas/corpus-1.json', import.meta.url), 'utf8'));
    expect(errorsOf(index(dir), schema)).toEqual([]);
    const read: unknown[] = [];
    for await (const { entry } of readIndex(dir)) {
      read.push(entry);
    }
    expect(read).toEqual(index(dir).documents);
  });

  it('is the same to the byte for the same pages', async () => {
    const again = join(temporaryFolder(), 'docs');
    await write(again, SITE);
    expect(snapshot(again)).toEqual(snapshot(dir));
  });

  it('has the names, whatever the order of pages', async () => {
    const again = join(temporaryFolder(), 'docs');
    await write(again, SITE.toReversed());
    expect(
      index(again)
        .documents.map((each: { path: string }) => each.path)
        .sort(),
    ).toEqual(
      index(dir)
        .documents.map((each: { path: string }) => each.path)
        .sort(),
    );
  });
});

async function* interrupted(count: number) {
  yield* SITE.slice(0, count);
  throw new Error('the network went away');
}

describe('a hostile page', () => {
  it('is written whole, and is the same in a next run', async () => {
    const dir = join(temporaryFolder(), 'docs');
    const text = 'before \0 \ud800 \x1b[2J \u202e\n---\ntitle: other\n---\n after';
    const hostile = page('/..%2f..%2fCON.%20', {
      title: text,
      description: text,
      lang: text,
      markdown: text,
      text,
      etag: text,
    });
    await write(dir, [hostile]);
    const written = text.replace(/\0|\ud800/gu, '\ufffd');
    expect(lines(dir, 'corpus.jsonl')).toMatchObject([{ title: written, markdown: written, text: written }]);
    const [{ path }] = index(dir).documents;
    expect(readFrontMatter(read(dir, path))).toMatchObject({
      fields: { title: written, lang: written },
      body: `\n${written}\n`,
    });
    expect((await write(dir, [hostile])).changes).toMatchObject({ unchanged: 1 });
    expect((await write(dir, [{ url: hostile.url, isKnown: true }])).changes).toMatchObject({ unchanged: 1 });
  });
});

describe('a run that fails', () => {
  it('leaves the old corpus as it was, and what it has taken complete in DIR.partial', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, [page('/old')]);
    const before = snapshot(dir);
    await expect(writeCorpus(dir, interrupted(3), OPTIONS)).rejects.toThrow('the network went away');
    expect(snapshot(dir)).toEqual(before);
    const file = readFrontMatter(read(`${dir}.partial`, 'index.md'))!;
    expect(file.fields.title).toBe('Home');
    expect(file.body).toBe(`\n${SITE[0]!.markdown}\n`);
    expect(await pagesInPartial(dir)).toEqual(SITE.slice(0, 3).map(({ url }) => url));
  });

  it('is gone on with: the end is that of one that was not interrupted', async () => {
    const [dir, other] = [join(temporaryFolder(), 'docs'), join(temporaryFolder(), 'docs')];
    await expect(writeCorpus(dir, interrupted(3), OPTIONS)).rejects.toThrow('the network went away');
    const taken = new Set(await pagesInPartial(dir));
    await write(
      dir,
      SITE.map((each) => (taken.has(each.url) ? { url: each.url, isKnown: true } : each)),
    );
    await write(other, SITE);
    expect(snapshot(dir)).toEqual(snapshot(other));
  });

  it('is stopped while files are written: the old corpus stands, and the next run comes to the same end', async () => {
    const [dir, other] = [join(temporaryFolder(), 'docs'), join(temporaryFolder(), 'docs')];
    await write(dir, [page('/old')]);
    const before = snapshot(dir);
    let turns = 0;
    // Once all pages are taken; then one of them is written.
    const breaks = new Breaks(() => ++turns > 2);
    await expect(write(dir, SITE, { breaks })).rejects.toBeInstanceOf(Stopped);
    expect(turns).toBe(3);
    expect(snapshot(dir)).toEqual(before);
    expect(existsSync(join(`${dir}.partial`, 'index.json'))).toBe(false);
    await write(dir, SITE);
    await write(other, [page('/old')]);
    await write(other, SITE);
    expect(snapshot(dir)).toEqual(snapshot(other));
  });

  it('begins anew where a power cut has left its state in pieces', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await expect(writeCorpus(dir, interrupted(3), OPTIONS)).rejects.toThrow('the network went away');
    const state = join(`${dir}.partial`, 'state.db');
    const bytes = readFileSync(state);
    // The header stands; what it leads to does not.
    bytes.fill(0x55, 4096);
    writeFileSync(state, bytes);
    await write(dir, SITE);
    expect(index(dir).pages).toBe(SITE.length);
  });

  it('leaves nothing of pages that the next one does not name', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await expect(writeCorpus(dir, interrupted(3), OPTIONS)).rejects.toThrow('the network went away');
    await write(dir, [page('/other')]);
    expect(Object.keys(snapshot(dir)).filter((path) => path.endsWith('.md'))).toEqual(['other.md']);
  });

  it('with no page at all never replaces a corpus', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await write(dir, SITE);
    const before = snapshot(dir);
    await expect(write(dir, [])).rejects.toThrow('there is no page to write');
    expect(snapshot(dir)).toEqual(before);
  });

  it('knows nothing of a page that it was never given', async () => {
    const dir = join(temporaryFolder(), 'docs');
    await expect(write(dir, [{ url: `${ORIGIN}/x`, isKnown: true }])).rejects.toThrow(
      `nothing is known of ${ORIGIN}/x`,
    );
  });
});

describe('a folder', () => {
  it('with other files in it is not taken for a corpus', async () => {
    const dir = join(temporaryFolder(), 'mine');
    for (const folder of [dir, `${dir}2.partial`]) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'thesis.tex'), 'ten years of work');
    }
    await expect(write(dir, SITE)).rejects.toThrow(`${dir} holds files that are no corpus`);
    await expect(write(`${dir}2`, SITE)).rejects.toThrow(`${dir}2.partial holds files that are no corpus`);
    writeFileSync(`${dir}3.partial`, 'a file where a folder is wanted');
    await expect(write(`${dir}3`, SITE)).rejects.toThrow(`${dir}3.partial holds files that are no corpus`);
    expect(read(dir, 'thesis.tex')).toBe('ten years of work');
  });

  it('is written by one at a time', async () => {
    const dir = join(temporaryFolder(), 'docs');
    async function* meanwhile() {
      yield SITE[0]!;
      await expect(write(dir, SITE)).rejects.toThrow('another gossamer is at work');
    }
    await writeCorpus(dir, meanwhile(), OPTIONS);
    expect(index(dir).pages).toBe(1);
  });
});

/** Runs many-pages.mjs in a process of its own. */
function writeMany(options: string[], ...given: (string | number)[]) {
  const script = fileURLToPath(new URL('./many-pages.mjs', import.meta.url));
  return spawnSync(process.execPath, [...options, script, ...given.map(String)], { encoding: 'utf8' });
}

describe('a process', () => {
  it('that is killed while it takes pages loses none that it took', async () => {
    const [dir, other] = [join(temporaryFolder(), 'docs'), join(temporaryFolder(), 'docs')];
    expect(writeMany([], dir, 50, 500, 30).signal).toBe('SIGKILL');
    expect((await pagesInPartial(dir)).length).toBe(30);
    expect(readFrontMatter(read(`${dir}.partial`, '29/29.md'))!.fields.title).toBe('Page 29');
    expect(writeMany([], dir, 50, 500).status).toBe(0);
    expect(writeMany([], other, 50, 500).status).toBe(0);
    expect(snapshot(dir)).toEqual(snapshot(other));
  });

  it('needs memory that does not grow with the number of pages: 10,000 of 6 KB are written in a heap of 48 MB', () => {
    const dir = join(temporaryFolder(), 'docs');
    const { status, stdout, stderr } = writeMany(['--max-old-space-size=48'], dir, 10_000, 6_000);
    expect(stderr).not.toContain('heap');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ pages: 10_000, changes: { added: 10_000 } });
  });
});
