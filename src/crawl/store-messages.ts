import { PASSED_ON, PLAIN, type Shape } from '../base/parcel.js';
import { asked, told } from '../base/worker-thread.js';
import type { Summary } from '../report/summary.js';
import type { Mail, Peer } from '../store/outbox.js';
import { SEALED_PAGE } from '../store/page-row.js';
import type { PageResult } from '../store/page-types.js';
import type { KeptAnswer, PageToRender } from '../store/rendering-reader.js';
import type { CommitAnswer, QueuedUrl, QueueLoad, Transaction } from '../store/transaction.js';
import type { CookieChange } from '../url/kept-cookie.js';
import type { ShapeFacts } from './render-shapes.js';
import type {
  DueHosts,
  EarlierOpened,
  FinishOrders,
  SeenPage,
  StoreOpened,
  StoreSetup,
  StoreUse,
} from './store-host.js';
import type { Survey, SurveyQuestion } from './survey/survey.js';

/** All messages between the coordinator and the store's thread. Frequent ones are plain data or have a declared form; rare ones are cloned. */

const TRANSACTION: Shape<Transaction> = {
  settled: [{ page: SEALED_PAGE, archived: PASSED_ON }],
  rendered: [{ reading: { page: SEALED_PAGE } }],
  spilledKeys: [{ packed: 'words' }],
  // They may have times that never come.
  hosts: 'clone',
  origins: 'clone',
};

/** From the coordinator to the store. */
export const STORE_ORDERS = {
  open: asked<StoreSetup, StoreOpened>('clone', 'clone'),
  earlier: asked<string, EarlierOpened>(PLAIN, 'clone'),
  commit: asked<Transaction, CommitAnswer>(TRANSACTION, 'clone'),
  keepCookies: asked<CookieChange[], void>(PLAIN, PLAIN),
  loadQueue: asked<QueueLoad[], QueuedUrl[][]>(PLAIN, PLAIN),
  loadDue: asked<{ wall: number; limit: number }, DueHosts>(PLAIN, 'clone'),
  renderShapes: asked<void, { facts: ShapeFacts; waiting: number }>(PLAIN, 'clone'),
  toRender: asked<{ beyond: number; limit: number }, PageToRender[]>(PLAIN, PLAIN),
  kept: asked<number, KeptAnswer | null>(PLAIN, { packed: 'bytes' }),
  mailPeers: asked<void, Peer[]>(PLAIN, PLAIN),
  takeMail: asked<{ slot: number; from: number; size: number }, Mail[]>(PLAIN, PLAIN),
  acknowledgedMail: asked<{ slot: number; seq: number }, void>(PLAIN, PLAIN),
  beginMail: asked<{ slot: number; incarnation: string; after: number }, Peer>(PLAIN, PLAIN),
  keepMeta: asked<Record<string, string>, void>(PLAIN, PLAIN),
  use: asked<void, StoreUse>(PLAIN, PLAIN),
  freeBytes: asked<void, number | null>(PLAIN, PLAIN),
  finish: asked<FinishOrders, Summary>('clone', 'clone'),
  seen: asked<{ ids: readonly number[]; withEdges: boolean }, SeenPage[]>(PLAIN, 'clone'),
  dropAssets: asked<void, void>(PLAIN, PLAIN),
  unasked: asked<{ beyond: number; withWaiting: boolean }, { pages: PageResult[]; last: number | null }>(
    PLAIN,
    'clone',
  ),
  survey: asked<SurveyQuestion, Survey>('clone', 'clone'),
  close: asked<void, void>(PLAIN, PLAIN),
  /** Do nothing more: the process is about to end. */
  halt: told<void>(PLAIN),
};

/** From the store to the coordinator. */
export const STORE_NEWS = { halted: told<void>(PLAIN) };
