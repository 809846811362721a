import { PLAIN } from '../base/parcel.js';
import { asked } from '../base/worker-thread.js';
import type { Question } from './questions.js';

/** What the dashboard's thread is asked. Answers are JSON, which nobody opens on its way to the browser. */
export const READER_ORDERS = {
  ask: asked<Question, string>(PLAIN, 'text'),
  close: asked<void, void>(PLAIN, PLAIN),
};
export const READER_NEWS = {};
