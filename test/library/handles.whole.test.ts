import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkLinks, crawl, readCrawl } from 'gossamer';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../crawl/support.js';
import { asKey } from './support.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe('a handle that is closed', () => {
  const closed = (what: string) =>
    expect.objectContaining({
      name: 'StateError',
      code: 'closed',
      message: `${what} is closed: you can no longer read from it`,
    });

  it('can be closed again, and says of a crawl that it is', async () => {
    const directory = join(folder.path, 'kept');
    const links: Record<string, string[]> = { root: ['one', 'two'] };
    await crawl({ seeds: ['root'], resolve: asKey, fetch: (key) => ({ links: links[key] ?? [] }), dataDir: directory })
      .finished;
    const kept = readCrawl(directory);
    const pages = kept.pages();
    expect(pages.next().value).toMatchObject({ url: 'root' });
    kept.close();
    kept.close();
    for (const read of [() => pages.next(), () => kept.pages(), () => kept.edges(), () => kept.hosts()]) {
      expect(read).toThrow(closed(`the crawl in ${directory}`));
    }
  });

  it('can be closed again, and says of a check that it is', async () => {
    const page = join(folder.path, 'one.html');
    writeFileSync(page, '<a href="#x">x</a><p id=x>');
    const check = await checkLinks([page]);
    expect([...check.links()]).toHaveLength(check.summary.links);
    check.close();
    check.close();
    expect(() => check.links()).toThrow(closed('the check'));
    await expect(check.write('json', join(folder.path, 'x.json'))).rejects.toEqual(closed('the check'));
  });
});

describe('the exit code of a check', () => {
  it.each([
    [4, 'nothing answers', undefined],
    [130, 'it is stopped', AbortSignal.abort()],
  ])('is %d where %s, as that of the command', async (exitCode, _when, signal) => {
    const check = await checkLinks(['http://127.0.0.1:9/'], { retries: 0, ...(signal && { signal }) });
    check.close();
    expect(check.summary.exitCode).toBe(exitCode);
  });
});

it.each([undefined, null, 0])('whoever iterates gets what onEdge throws, %s too', async (thrown) => {
  const run = crawl({
    ...{ seeds: ['root'], resolve: asKey, fetch: () => ({ links: ['one'] }) },
    onEdge: () => {
      throw thrown;
    },
  });
  const read = async () => {
    for await (const _ of run) {
    }
  };
  await expect(
    read().then(
      () => 'ended',
      (error: unknown) => ({ error }),
    ),
  ).resolves.toEqual({ error: thrown });
  await expect(run.finished.catch((error: unknown) => ({ error }))).resolves.toEqual({ error: thrown });
});
