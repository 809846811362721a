import { systemClock } from '../base/clock.js';
import { atStore } from '../store/between-runs.js';
import { type ChainEnd, RedirectChains } from '../store/redirect-chains.js';
import type { Database } from '../store/sqlite.js';
import { writeMeta } from '../store/store.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { checkFragments } from './anchors.js';
import { LinkTable } from './link-table.js';
import type { CheckRules } from './rules.js';
import { SecondLook } from './second-look.js';
import { Soft404s } from './soft-404.js';

export interface RoundOptions {
  directory: string;
  /** From 1: the first look is round 0. */
  round: number;
  maxRedirects: number;
  /** The limit that cut the first look short, or null. */
  truncated: string | null;
  /** What second looks have taken so far. */
  spentMs: number;
  rules: Pick<CheckRules, 'accepts'>;
  /** Of folders that are checked. */
  ownOrigins: readonly string[];
}

/** Queues what the next round is to ask for. Returns how much that is. */
export async function prepareRound(options: RoundOptions): Promise<number> {
  return atStore(options.directory, async (database) => {
    await LinkTable.build(database);
    const chains = new RedirectChains(database, options.maxRedirects);
    const { unread, missing } = fragmentsInDoubt(database, chains);
    const redirects = [...brokenRedirects(database, chains)].filter(isInDoubt).map(({ id }) => id);
    const soft404s = new Soft404s(database, chains);
    database.exec('BEGIN IMMEDIATE');
    const second = new SecondLook(database, systemClock.wall(), options.ownOrigins);
    if (options.truncated !== null) {
      second.leaveRest();
    }
    second.failed(options.rules);
    if (options.round === 1) {
      second.putOff();
    }
    second.these(missing);
    second.these(redirects);
    second.unread(unread);
    second.confirmHeads(options.ownOrigins);
    second.these(soft404s.lookalikes());
    const probed = soft404s.queue(options.ownOrigins);
    second.forgiveHosts();
    writeMeta(database, {
      checkRound: String(options.round),
      checkSpentMs: String(options.spentMs),
      ...(options.truncated === null ? {} : { checkTruncated: options.truncated }),
    });
    const queued = second.queued + probed;
    if (queued > 0) {
      database.exec("DELETE FROM meta WHERE key = 'ended'");
    }
    database.exec('COMMIT');
    return queued;
  });
}

/** All that was broken in the check of a directory is asked for again, as if for the first time. Returns how much that is. */
export async function reopenBroken(directory: string, maxRedirects: number): Promise<number> {
  return atStore(directory, async (database) => {
    await LinkTable.build(database);
    const chains = new RedirectChains(database, maxRedirects);
    const { missing } = fragmentsInDoubt(database, chains);
    const redirects = [...brokenRedirects(database, chains)].map(({ id }) => id);
    database.exec('BEGIN IMMEDIATE');
    const second = new SecondLook(database, systemClock.wall(), []);
    second.forget([...missing, ...redirects]);
    second.forgetSilence();
    second.forgiveHosts();
    writeMeta(database, { checkRound: '0', checkSpentMs: '0' });
    database.exec("DELETE FROM meta WHERE key IN ('ended', 'checkTruncated')");
    database.exec('COMMIT');
    return second.queued;
  });
}

/** What a limit had left in the check of a directory is asked for after all: the looks begin anew with it. */
export async function takeUpRest(directory: string): Promise<void> {
  await atStore(directory, async (database) => {
    database.exec('BEGIN IMMEDIATE');
    new SecondLook(database, systemClock.wall(), []).takeUpRest();
    writeMeta(database, { checkRound: '0', checkSpentMs: '0' });
    database.exec("DELETE FROM meta WHERE key IN ('ended', 'checkTruncated')");
    database.exec('COMMIT');
  });
}

function fragmentsInDoubt(database: Database, chains: RedirectChains): { unread: Set<number>; missing: Set<number> } {
  const unread = new Set<number>();
  const missing = new Set<number>();
  for (const { end, standing } of checkFragments(database, chains)) {
    if (standing === 'unread') {
      unread.add(end);
    } else if (standing === 'missing') {
      missing.add(end);
    }
  }
  return { unread, missing };
}

interface BrokenRedirect {
  id: number;
  flags: number;
  problem: ChainEnd['problem'];
  /** Why the page where it ends failed. */
  reason: string | null;
}

/** Redirects that never end, or end at a page that failed. */
function* brokenRedirects(database: Database, chains: RedirectChains): IterableIterator<BrokenRedirect> {
  const failure = database.prepare(`SELECT reason FROM urls WHERE id = ? AND state = ${UrlState.failed}`);
  for (const { id, flags } of database
    .prepare(
      `SELECT pages.id AS id, urls.flags AS flags FROM pages JOIN urls ON urls.id = pages.id
       WHERE pages.redirect_to IS NOT NULL AND urls.kind = ${UrlKind.page}`,
    )
    .iterate()) {
    const end = chains.endOf(id);
    const reason: string | null = failure.get(end.id)?.reason ?? null;
    if (end.problem !== null || reason !== null) {
      yield { id, flags, problem: end.problem, reason };
    }
  }
}

/** Some servers answer a HEAD that they never tested with a redirect to an error page: that page is not all that is asked again. */
const isInDoubt = ({ flags, problem, reason }: BrokenRedirect): boolean =>
  problem === null
    ? (flags & (UrlFlag.external | UrlFlag.asset)) !== 0 && (reason === 'http_4xx' || reason === 'http_5xx')
    : problem === 'redirect_loop';
