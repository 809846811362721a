import { PASSED_ON, PLAIN, type Shape } from '../base/parcel.js';
import { asked, told } from '../base/worker-thread.js';
import type { SegmentUpdate } from '../frontier/key-table.js';
import type { Outcome, PagePiece } from '../frontier/outcome.js';
import type { CookieLine } from '../hooks/start-cookies.js';
import { SEALED_PAGE } from '../store/page-row.js';
import type { CookieChange, KeptCookie } from '../url/kept-cookie.js';
import type { Job, RenderedHtml } from './lane.js';

/** All that the coordinator and a lane in a thread of its own say to each other. What there is much of is plain data or declared; what there is little of is cloned. */

const OUTCOME: Shape<Outcome> = {
  page: SEALED_PAGE,
  archived: PASSED_ON,
  body: { bytes: 'bytes' },
};

/** What came of the hook `start`. */
export interface StartedHooks {
  /** What it returned, as JSON. */
  started: string | null;
  /** The cookies that it was given or has set, in their order. */
  cookies: CookieLine[];
}

/** From the coordinator to a lane. */
export const LANE_ORDERS = {
  /** What has changed of the key table lies in memory that both share. */
  take: told<{ jobs: Job[]; updates: SegmentUpdate[] }>({ updates: 'clone' }),
  widenScope: told<{ version: number; seed: number; scopeUrls: string[] }>(PLAIN),
  forgetRules: told<number[]>(PLAIN),
  dropCaches: told<void>(PLAIN),
  flow: told<void>(PLAIN),
  recall: told<{ place: number | null }>(PLAIN),
  admitted: told<{ id: number; ids: readonly number[] }>(PLAIN),
  putCookies: told<{ site: string; cookies: readonly KeptCookie[] }>(PLAIN),
  forgetCookies: told<readonly string[]>(PLAIN),
  resizeSockets: told<number>(PLAIN),
  resolve: asked<string, string>(PLAIN, PLAIN),
  /** Answered as soon as the lane's thread has time for it. */
  ping: asked<void, void>(PLAIN, PLAIN),
  startHooks: asked<void, StartedHooks>(PLAIN, PLAIN),
  started: told<{ started: string | null }>(PLAIN),
  /** The summary of the run, as JSON. */
  endHooks: asked<string, void>(PLAIN, PLAIN),
  read: asked<RenderedHtml, Outcome>({ html: 'text', came: { body: 'bytes' } }, OUTCOME),
};

/** From a lane to the coordinator. */
export const LANE_NEWS = {
  headers: told<{ ids: number[]; ats: number[] }>(PLAIN),
  outcomes: told<{ outcomes: Outcome[]; peakWaiting: number }>({ outcomes: [OUTCOME] }),
  piece: told<PagePiece>(PLAIN),
  cookies: told<CookieChange[]>(PLAIN),
  /** What the hook module threw when none of its hooks was running. */
  strayThrow: told<string>(PLAIN),
};
