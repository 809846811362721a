import { StoreThread } from '../crawl/threads/store-thread.js';

/** Ends the process with this code and without waiting for its work; what was committed is consistent. */
export async function exitNow(code: number): Promise<never> {
  await StoreThread.haltAll();
  process.exit(code);
}
