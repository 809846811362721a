import { existsSync } from 'node:fs';
import { GossamerError, StateError } from '../base/errors.js';

/**
 * What an error that nobody foresaw came from: where a store that was named has a damaged value, which SQLite cannot know of, it is told as that,
 * and not as a defect of the program.
 */
export async function damageBehind(error: unknown, positionals: readonly string[]): Promise<unknown> {
  if (isForeseen(error)) {
    return error;
  }
  const { damageIn } = await import('../store/damage.js');
  const { storePath } = await import('../store/store-file.js');
  for (const directory of positionals) {
    try {
      const damage = existsSync(storePath(directory)) ? damageIn(directory) : null;
      if (damage !== null) {
        return new StateError('store_corrupt', damage, { cause: error });
      }
    } catch {
      // What cannot even be looked through tells nothing of the error.
    }
  }
  return error;
}

/** What failed while an output was written is that output's failure only where the system says so. */
function isForeseen(error: unknown): boolean {
  const isOfSystem = (cause: unknown): boolean => typeof (cause as NodeJS.ErrnoException)?.errno === 'number';
  return error instanceof GossamerError && (error.code !== 'output' || isOfSystem(error.cause));
}
