import { printable } from '../base/text.js';

/**
 * A property more on every object changes what all code of a lane reads of its records, so hooks of the user's must not add one. Locking would
 * be enough, but V8 is slower at Maps and calls with spread arguments once the prototype of all objects is locked. So it is looked at after each
 * call of a hook, and locked when the first hook goes on later, among code of ours.
 */
const ownKeys = Reflect.ownKeys(Object.prototype);
const known: ReadonlySet<string | symbol> = new Set(ownKeys);
let isLocked = false;

/** Whoever adds to it from now on gets a TypeError. */
export function lockObjectPrototype(): void {
  if (!isLocked) {
    isLocked = true;
    Object.preventExtensions(Object.prototype);
  }
}

/** Takes away what was added. Returns the name of the first of it; null if nothing was. */
export function takeAddedToObjects(): string | null {
  const keys = isLocked ? ownKeys : Reflect.ownKeys(Object.prototype);
  if (keys.length <= ownKeys.length) {
    return null;
  }
  const added = keys.filter((key) => !known.has(key));
  for (const key of added) {
    Reflect.deleteProperty(Object.prototype, key);
  }
  return printable(String(added[0]));
}
