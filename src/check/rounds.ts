import { betweenCheckRounds } from '../store/check-queue.js';
import type { CheckReader } from '../store/check-reader.js';
import type { ChainEnd, RedirectChains } from '../store/redirect-chains.js';
import { UrlFlag } from '../store/url-state.js';
import { checkFragments, viewOf } from './anchors.js';
import { LinkTable } from './link-table.js';
import type { CheckRules } from './rules.js';
import { DOUBTFUL, headsToConfirm, pacing } from './second-look.js';
import { Soft404s } from './soft-404.js';

export interface RoundOptions {
  directory: string;
  /** From 1: the first look is round 0. */
  round: number;
  maxRedirects: number;
  /** The limit that cut the first look short, or null. */
  truncated: string | null;
  /** How long second looks have taken so far. */
  spentMs: number;
  rules: Pick<CheckRules, 'accepts'>;
  /** Routes of pages that draw by them are checked too. */
  hashRoutes: boolean;
  /** The origins of the folders that are checked. */
  ownOrigins: readonly string[];
  /** A kept crawl answers: nothing waits, and it has no answer for pages that cannot exist. */
  asksNobody?: boolean;
}

/** Queues the URLs that the next round asks for. Returns how many there are. */
export async function prepareRound(options: RoundOptions): Promise<number> {
  return betweenCheckRounds(options.directory, async (store, change) => {
    const links = await LinkTable.build(store, options.hashRoutes);
    const chains = store.redirectChains(options.maxRedirects);
    const { unread, missing, newRoutes } = fragmentsInDoubt(store, links, chains);
    const lost = [...lostRoutes(store)];
    const redirects = [...brokenRedirects(store, chains)].filter(isInDoubt).map(({ id }) => id);
    const soft404s = new Soft404s(store, chains);
    return change(pacing(options.ownOrigins, options.asksNobody), (queue) => {
      if (options.truncated !== null) {
        queue.leaveRest();
      }
      queue.lookAgainAtFailed(DOUBTFUL, (url, status) => options.rules.accepts(url, status));
      if (options.round === 1) {
        queue.lookAgainAtPutOff();
      }
      queue.lookAgainAt(missing);
      queue.lookAgainAt(lost);
      queue.askForRoutes(newRoutes);
      queue.lookAgainAt(redirects);
      queue.askForAnchors(unread);
      queue.askForFirstByte(headsToConfirm(store, options.ownOrigins));
      queue.lookAgainAt(soft404s.lookalikes());
      queue.askForProbes(options.asksNobody ? [] : soft404s.wanted(options.ownOrigins));
      queue.forgiveHosts();
      queue.note({
        checkRound: String(options.round),
        checkSpentMs: String(options.spentMs),
        ...(options.truncated === null ? {} : { checkTruncated: options.truncated }),
        ...(queue.queued > 0 ? { ended: null } : {}),
      });
      return queue.queued;
    });
  });
}

/** Routes that only other pages name, of a round; those beyond that stay unverifiable. */
const MOST_NEW_ROUTES = 10_000;
const LONGEST_ROUTE = 2_048;

/** The notes in the store of a check that begins again with the first look. */
const FROM_THE_FIRST_LOOK = { checkRound: '0', checkSpentMs: '0', ended: null, checkTruncated: null };

/** Queues all broken URLs of a kept check again, as if they had never been requested. Returns how many there are. */
export async function reopenBroken(directory: string, maxRedirects: number): Promise<number> {
  return betweenCheckRounds(directory, async (store, change) => {
    const links = await LinkTable.build(store);
    const chains = store.redirectChains(maxRedirects);
    const { missing } = fragmentsInDoubt(store, links, chains);
    const redirects = [...brokenRedirects(store, chains)].map(({ id }) => id);
    return change(pacing([]), (queue) => {
      queue.askAnew([...missing, ...lostRoutes(store), ...redirects]);
      queue.forgetSilentRobots();
      queue.forgiveHosts();
      queue.note(FROM_THE_FIRST_LOOK);
      return queue.queued;
    });
  });
}

/** Queues the URLs that a limit had left out of a kept check. Its looks begin again with them. */
export async function takeUpRest(directory: string): Promise<void> {
  await betweenCheckRounds(directory, (_store, change) =>
    change(pacing([]), (queue) => {
      queue.takeUpRest();
      queue.note(FROM_THE_FIRST_LOOK);
    }),
  );
}

function fragmentsInDoubt(
  store: CheckReader,
  { fragments }: LinkTable,
  chains: RedirectChains,
): { unread: Set<number>; missing: Set<number>; newRoutes: Map<string, number> } {
  const unread = new Set<number>();
  const missing = new Set<number>();
  const newRoutes = new Map<string, number>();
  for (const { end, standing, newRoute } of checkFragments(store, fragments, chains)) {
    if (newRoute && newRoute.length <= LONGEST_ROUTE && newRoutes.size < MOST_NEW_ROUTES) {
      newRoutes.set(newRoute, end);
    }
    if (standing === 'unread') {
      unread.add(end);
    } else if (standing === 'missing') {
      missing.add(end);
    }
  }
  return { unread, missing, newRoutes };
}

/** Routes that look like one that cannot exist. */
function* lostRoutes(store: CheckReader): IterableIterator<number> {
  for (const id of store.routes()) {
    if (viewOf(store.anchoredPage(id)?.anchors ?? null) === 'unknown') {
      yield id;
    }
  }
}

interface BrokenRedirect {
  id: number;
  flags: number;
  problem: ChainEnd['problem'];
  /** Why the page where it ends failed. */
  reason: string | null;
}

/** Redirects that never end, or end at a page that failed. */
function* brokenRedirects(store: CheckReader, chains: RedirectChains): IterableIterator<BrokenRedirect> {
  for (const { id, flags } of store.redirects()) {
    const end = chains.endOf(id);
    const reason = store.failureOf(end.id);
    if (end.problem !== null || reason !== null) {
      yield { id, flags, problem: end.problem, reason };
    }
  }
}

/** Some servers answer HEAD with a redirect to an error page, and GET with the page. So the URL that redirects is requested again too. */
const isInDoubt = ({ flags, problem, reason }: BrokenRedirect): boolean =>
  problem === null
    ? (flags & (UrlFlag.external | UrlFlag.asset)) !== 0 && (reason === 'http_4xx' || reason === 'http_5xx')
    : problem === 'redirect_loop';
