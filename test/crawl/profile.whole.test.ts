import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { completeOptions } from '../../src/config/resolve.js';
import type { CrawlProfile } from '../../src/crawl/profile.js';
import { resumePlan } from '../../src/crawl/resume-plan.js';
import { readSeeds } from '../../src/crawl/seed-input.js';
import { openForReading } from '../../src/store/directory.js';
import { html, linkPage, pathSite, redirect } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { inProcess } from './in-process.js';
import { temporaryFolder } from './support.js';

/** As it is built: its threads are files of their own. */
const { Rounds } = (await import(
  /* @vite-ignore */ new URL('../../dist/src/crawl/rounds.js', import.meta.url).href
)) as typeof import('../../src/crawl/rounds.js');

let web: WebInABox;
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(async () => {
  web = await openWeb();
  folder = temporaryFolder();
  web.site(
    '127.0.0.1',
    pathSite({
      '/': html(linkPage('home', ['/a', '/moved', '/private/x', '/deep'])),
      '/a': html(linkPage('a', ['/'])),
      '/moved': redirect('/a'),
      '/private/x': html(linkPage('x', [])),
      '/deep': html(linkPage('deep', ['/deep/er'])),
      '/deep/er': html(linkPage('deeper', [])),
      '/later': html(linkPage('later', [])),
    }),
  );
});
afterEach(async () => {
  await web.close();
  folder.remove();
});

const asked = () => web.log.map(({ path }) => path).filter((path) => !/robots|sitemap/.test(path));

/** A fifth command, made of nothing but profiles: an inventory that leaves a folder out, then asks for more by name. */
function inventory(told: string[]): CrawlProfile {
  const later: CrawlProfile = {
    command: 'inventory',
    meta: { inventoryRound: '2' },
    writesOutputs: false,
    beginsWith: { named: [`${web.origin}/later`] },
    next: async ({ result }) => {
      told.push(`later: ${result.summary.done}`);
      return null;
    },
  };
  return {
    command: 'inventory',
    meta: { inventoryRound: '1' },
    writesOutputs: false,
    scope: { ignore: [{ match: [`${web.origin}/private/**`], ignore: true }] },
    scheduler: (options) => ({ ...options, maxInflightPerHost: 1 }),
    reader: (options) => ({ ...options, linkFacts: true }),
    next: async ({ result, session }) => {
      told.push(`first: ${result.summary.done}, at most ${session.settings.scheduler.maxInflightPerHost} at a time`);
      return later;
    },
  };
}

describe('a command that the engine has never heard of', () => {
  const run = (directory: string, profile: CrawlProfile) => {
    const resolved = completeOptions({ depth: 1, delayMs: 0 });
    const { seeds } = readSeeds([`${web.origin}/`], resolved.options);
    const rounds = new Rounds({ resolved, directory, seeds, storedSeeds: () => seeds, events: {} });
    return rounds.run(profile);
  };

  it('is made of profiles alone: it decides what is followed, asked for and kept, round by round', async () => {
    const told: string[] = [];
    const directory = join(folder.path, 'kept');
    await run(directory, inventory(told));
    expect(told).toEqual(['first: 4, at most 1 at a time', 'later: 5']);
    expect(asked().sort()).toEqual(['/', '/a', '/deep', '/later', '/moved']);
    expect(readdirSync(directory)).not.toContain('pages.jsonl');
    openForReading(directory, (reader) => {
      expect(reader.command()).toBe('inventory');
      expect(reader.meta().inventoryRound).toBe('1');
    });
  });

  it('has its directory to itself: other commands refuse it by name', async () => {
    const directory = join(folder.path, 'kept');
    const { next: _, ...only } = inventory([]);
    await run(directory, only);
    expect(() => resumePlan(directory, 'crawl')).toThrow('holds a inventory, not a crawl');
    expect(resumePlan(directory, 'inventory').meta.inventoryRound).toBe('1');
    const resumed = await inProcess(['resume', directory]);
    expect(resumed.code).toBe(3);
    expect(resumed.stderr).toContain('holds a inventory, and no command of this version goes on with it');
  });
});

it('no folder below crawl/ names a command', () => {
  const source = new URL('../../src/', import.meta.url);
  const below = ['base', 'fetch', 'frontier', 'kernel', 'parse', 'report', 'store', 'url'];
  const naming = below.flatMap((folder) =>
    readdirSync(new URL(folder, source), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`)
      .filter((file) => /'(?:check|docs|preview)'/.test(readFileSync(new URL(file, source), 'utf8'))),
  );
  expect(naming).toEqual([]);
});
