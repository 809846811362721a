import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import * as gossamer from 'gossamer';
import { beforeAll, describe, expect, it } from 'vitest';
import { ORIGIN, page, temporaryFolder, write } from '../corpus/fixture.js';

const root = temporaryFolder();
const dir = join(root, 'docs');

beforeAll(() =>
  write(dir, [
    page('/a', { title: 'A', markdown: '# A\n\nThe first word.' }),
    page('/b', { title: 'B', markdown: '# B\n\nThe second word.' }),
  ]),
);

describe('a program', () => {
  it('ends serving a corpus with a signal, though nothing comes in', async () => {
    const stop = new AbortController();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = gossamer.serveMcp(dir, { input, output, signal: stop.signal });
    input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await new Promise((resolve) => {
      output.once('data', resolve);
    });
    stop.abort();
    await served;
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('searches a corpus and reads what it finds', async () => {
    const [hit, ...others] = gossamer.searchCorpus(dir, 'second');
    expect(others).toEqual([]);
    expect(hit).toMatchObject({ path: 'b.md', url: `${ORIGIN}/b`, title: 'B' });
    expect(await gossamer.readDocument(dir, hit!.path)).toMatchObject({
      title: 'B',
      markdown: '# B\n\nThe second word.\n',
    });
    expect(gossamer.searchCorpus(dir, 'word', { limit: 1 })).toHaveLength(1);
  });

  it('lists the pages of a corpus, and the corpora of a folder', async () => {
    const paths: string[] = [];
    for await (const { path } of gossamer.listCorpus(dir)) {
      paths.push(path);
    }
    expect(paths).toEqual(['a.md', 'b.md']);
    expect(await gossamer.listCorpora(root)).toEqual([await gossamer.corpusStatus(dir)]);
    expect(await gossamer.corpusStatus(dir)).toMatchObject({
      directory: dir,
      pages: 2,
      title: 'Docs',
      tokensEstimated: true,
    });
  });

  it('answers assistants over streams of its own', async () => {
    const output = new PassThrough();
    const input = Readable.from([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')]);
    await gossamer.serveMcp([dir], { input, output });
    output.end();
    expect(JSON.parse(await text(output))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('is told what is wrong as an error with a code', async () => {
    expect(() => gossamer.searchCorpus(join(root, 'none'), 'x')).toThrow(gossamer.StateError);
    expect(() => gossamer.searchCorpus(dir, '')).toThrow(gossamer.UsageError);
    expect(() => gossamer.searchCorpus(dir, 'x', { limit: 0 })).toThrow('limit must be a whole number from 1 to 100');
    await expect(gossamer.readDocument(dir, 'c')).rejects.toMatchObject({ code: 'no_page' });
    await expect(gossamer.deleteCorpus(root)).rejects.toMatchObject({ code: 'no_corpus' });
    await expect(gossamer.serveMcp([root])).rejects.toMatchObject({ code: 'no_corpus' });
  });

  it('deletes a corpus', async () => {
    const gone = join(root, 'gone');
    await write(gone, [page('/a')]);
    expect(await gossamer.deleteCorpus(gone)).toBe(0);
    expect(existsSync(gone)).toBe(false);
  });
});
