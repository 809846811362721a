import { type CrawledPage, type CrawlRun, crawl, type LibraryOptions } from 'gossamer';

/** Pages by key: links, or what the fetcher does instead of giving some. */
export type World = Readonly<Record<string, readonly string[] | 'null' | 'throws' | 'rejects' | 'slow' | 'undefined'>>;

/** A fetcher over a world, and the log of what it was asked for. */
export function worldFetch(world: World) {
  const asked: string[] = [];
  const fetch: NonNullable<LibraryOptions['fetch']> = (key) => {
    asked.push(key);
    const page = world[key];
    switch (page) {
      case undefined:
      case 'null':
        return null;
      case 'undefined':
        return undefined;
      case 'throws':
        throw new Error(`no ${key} today`);
      case 'rejects':
        return Promise.reject(new Error(`no ${key} today`));
      case 'slow':
        return new Promise((resolve) => {
          setTimeout(resolve, 5, { links: [] });
        });
      default:
        return { links: page };
    }
  };
  return { fetch, asked };
}

/** Keys stand for themselves. */
export const asKey = (href: string): string => href;

export async function collect(run: CrawlRun): Promise<CrawledPage[]> {
  const pages: CrawledPage[] = [];
  for await (const page of run) {
    pages.push(page);
  }
  return pages;
}

/** A crawl of a world from `root`, all of it. */
export async function crawlWorld(world: World, options: LibraryOptions = {}) {
  const { fetch, asked } = worldFetch(world);
  const edges: [string, string][] = [];
  const onEdge = (from: string, to: string): void => {
    edges.push([from, to]);
  };
  const run = crawl({ seeds: ['root'], fetch, resolve: asKey, onEdge, ...options });
  const pages = await collect(run);
  return { pages, asked, edges, result: await run.finished };
}

/** What can be reached from `root`, and whether it is fine. */
export function closureOf(world: World): Map<string, 'done' | 'failed'> {
  const reached = new Map<string, 'done' | 'failed'>();
  const open = ['root'];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (reached.has(key)) {
      continue;
    }
    const page = world[key];
    reached.set(key, Array.isArray(page) || page === 'slow' ? 'done' : 'failed');
    if (Array.isArray(page)) {
      open.push(...page);
    }
  }
  return reached;
}

export const sorted = <T>(items: Iterable<T>): T[] => [...items].sort();
