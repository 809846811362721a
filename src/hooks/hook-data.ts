/** What hooks return is JSON, and no more than this. */
export const MOST_DATA_BYTES = 1 << 20;

/** No honest record is deeper. */
const DEEPEST = 100;

/**
 * The value as JSON text. JSON.stringify would leave out functions without a word, and make a text of any length first: here whatever JSON
 * does not have is named with its place, and what is too much is noticed before it is written.
 *
 * @throws Error whose message is the end of a sentence about the hook, such as "returned a function in data.price"
 */
export function jsonOf(value: unknown, name: string): string {
  const measure = new Measure();
  measure.add(value, name, 0);
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > MOST_DATA_BYTES) {
    throw tooMuch();
  }
  return text;
}

const tooMuch = (): Error => new Error('returned more than 1 MiB of JSON');

class Measure {
  #left = MOST_DATA_BYTES;
  readonly #above = new Set<object>();

  add(value: unknown, place: string, depth: number): void {
    switch (typeof value) {
      case 'string':
        this.#spend(value.length + 2);
        return;
      case 'number':
        if (!Number.isFinite(value)) {
          throw new Error(`returned ${value} in ${place}, which JSON does not have`);
        }
        this.#spend(1);
        return;
      case 'boolean':
      case 'undefined':
        this.#spend(1);
        return;
      case 'object':
        if (value !== null) {
          this.#addObject(value, place, depth);
        }
        return;
      default:
        throw new Error(`returned a ${typeof value} in ${place}, which JSON does not have`);
    }
  }

  #addObject(value: object, place: string, depth: number): void {
    this.#spend(2);
    if (this.#above.has(value)) {
      throw new Error(`returned an object in ${place} that leads back to itself`);
    }
    if (depth >= DEEPEST) {
      throw new Error(`returned data that is more than ${DEEPEST} levels deep, in ${place.slice(0, 100)}…`);
    }
    this.#above.add(value);
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        this.add(value[i], `${place}[${i}]`, depth + 1);
      }
    } else if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
      // A Date, for one.
      this.add((value as { toJSON(): unknown }).toJSON(), place, depth + 1);
    } else {
      this.#addFields(value, place, depth);
    }
    this.#above.delete(value);
  }

  #addFields(value: object, place: string, depth: number): void {
    const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
    // An object of another realm has an Object.prototype of its own.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      const kind = prototype.constructor?.name || 'an object of a class';
      throw new Error(`returned a ${kind} in ${place}, which is no plain object`);
    }
    for (const [key, each] of Object.entries(value)) {
      this.#spend(key.length + 3);
      this.add(each, `${place}.${key}`, depth + 1);
    }
  }

  #spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) {
      throw tooMuch();
    }
  }
}
