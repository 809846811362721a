import { setImmediate } from 'node:timers/promises';
import type { DiffPart } from '../config/option-spec.js';
import { isFollowedKind, LINK_KIND_NUMBER } from '../parse/links.js';
import type { ComparedPage, DiffReader } from '../store/diff-reader.js';
import { compareBytes } from './order.js';
import type { BeforeAfter, LinkChange, PageChange, PageDifferences } from './result.js';

/** Of the links that came to a page, and of those that went, so many are named. */
const MOST_NAMED = 100;
/** After so many pages others have their turn on this thread. */
const PAGES_AT_ONCE = 500;

export interface CompareOptions {
  ignored: ReadonlySet<DiffPart>;
  /** A browser or a hook of the user's has a hand in the links: the same bytes may have others. */
  sameBytesMayDiffer: boolean;
}

/** What a comparison tells of each page. */
export interface CompareEvents {
  change(change: PageChange): void;
  unchanged(): void;
}

/**
 * Walks over both crawls in the order of their URLs and holds two pages at a time, so that memory does not depend on their size. Sets are made
 * only of the links of one page.
 */
export async function comparePages(
  before: DiffReader,
  after: DiffReader,
  options: CompareOptions,
  events: CompareEvents,
): Promise<void> {
  const [olds, news] = [before.pages(), after.pages()];
  let [old, now] = [olds.next(), news.next()];
  for (let steps = 1; !old.done || !now.done; steps++) {
    const order = old.done ? 1 : now.done ? -1 : compareBytes(old.value.url, now.value.url);
    if (order < 0) {
      events.change(onlyIn('removed', old.value!));
    } else if (order > 0) {
      events.change(onlyIn('added', now.value!));
    } else {
      const change = compare(old.value!, now.value!, before, after, options);
      if (change === null) {
        events.unchanged();
      } else {
        events.change(change);
      }
    }
    if (order <= 0) {
      old = olds.next();
    }
    if (order >= 0) {
      now = news.next();
    }
    if (steps % PAGES_AT_ONCE === 0) {
      await setImmediate();
    }
  }
}

const onlyIn = (change: 'added' | 'removed', page: ComparedPage): PageChange => ({
  change,
  url: page.url,
  ...oldUrlOf(page, change === 'removed'),
  status: statusOf(page),
  title: page.title,
});

const oldUrlOf = ({ url, ownUrl }: ComparedPage, isOld = true): { oldUrl?: string } =>
  isOld && url !== ownUrl ? { oldUrl: ownUrl } : {};

/** How it was answered, or why there is no answer. */
function statusOf({ state, reason, status }: ComparedPage): string {
  if (state === 'done') {
    return status === null ? 'done' : String(status);
  }
  return state === 'failed' && status !== null ? String(status) : `${state}: ${reason ?? 'unknown'}`;
}

/** What stands on a page can be compared where both crawls have read it. */
const isRead = ({ state, status }: ComparedPage): boolean =>
  state === 'done' && status !== null && status >= 200 && status < 300;

function compare(
  old: ComparedPage,
  now: ComparedPage,
  before: DiffReader,
  after: DiffReader,
  { ignored, sameBytesMayDiffer }: CompareOptions,
): PageChange | null {
  const differences: PageDifferences = {};
  const note = (
    aspect: Exclude<keyof PageDifferences, 'links' | 'assets'>,
    was: string | null,
    is: string | null,
  ): void => {
    if (was !== is && !ignored.has(aspect)) {
      differences[aspect] = { before: was, after: is } satisfies BeforeAfter;
    }
  };
  note('status', statusOf(old), statusOf(now));
  note('redirect', old.redirectsTo, now.redirectsTo);
  if (isRead(old) && isRead(now)) {
    note('title', old.title, now.title);
    note('description', old.description, now.description);
    note('h1', old.h1, now.h1);
    note('canonical', old.canonical, now.canonical);
    note('robots', old.robots, now.robots);
    note('content', old.hash, now.hash);
    const isSame = old.hash !== null && old.hash === now.hash && !sameBytesMayDiffer;
    if (!isSame && !(ignored.has('links') && ignored.has('assets'))) {
      const [were, are] = [linksOf(before, old.id), linksOf(after, now.id)];
      for (const aspect of ['links', 'assets'] as const) {
        const change = ignored.has(aspect) ? null : compareLinks(were[aspect], are[aspect]);
        if (change !== null) {
          differences[aspect] = change;
        }
      }
    }
  }
  return Object.keys(differences).length === 0
    ? null
    : { change: 'changed', url: now.url, ...oldUrlOf(old), status: statusOf(now), title: now.title, differences };
}

/** A canonical URL and a redirect are aspects of their own. */
const OWN_ASPECTS: ReadonlySet<number> = new Set([LINK_KIND_NUMBER.canonical, LINK_KIND_NUMBER.redirect]);

function linksOf(crawl: DiffReader, id: number): { links: Set<string>; assets: Set<string> } {
  const [links, assets] = [new Set<string>(), new Set<string>()];
  for (const { to, kind } of crawl.edgesOf(id)) {
    if (!OWN_ASPECTS.has(kind)) {
      (isFollowedKind(kind) ? links : assets).add(to);
    }
  }
  return { links, assets };
}

function compareLinks(were: Set<string>, are: Set<string>): LinkChange | null {
  const added = [...are].filter((url) => !were.has(url));
  const removed = [...were].filter((url) => !are.has(url));
  return added.length + removed.length === 0
    ? null
    : {
        ...{ added: added.slice(0, MOST_NAMED), removed: removed.slice(0, MOST_NAMED) },
        ...{ addedCount: added.length, removedCount: removed.length },
      };
}
