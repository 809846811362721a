import { storePath } from './directory.js';
import { DirectoryLock } from './lock.js';
import type { Database } from './sqlite.js';
import { openStoreFile } from './store.js';

/** Works on the store of a crawl while no run does: under its lock, and with the file closed afterwards. */
export async function atStore<T>(directory: string, work: (database: Database) => Promise<T>): Promise<T> {
  const lock = DirectoryLock.take(directory);
  try {
    const database = openStoreFile(storePath(directory), { create: false });
    try {
      return await work(database);
    } finally {
      database.close();
    }
  } finally {
    lock.release();
  }
}
