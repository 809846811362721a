/** What hooks return is JSON, and no more than this. */
export const MOST_DATA_BYTES = 1 << 20;

/** No honest record is deeper. */
const DEEPEST = 100;

/** What a hook must not say. Its message is the end of a sentence about the hook, such as "returned a function in data.price". */
export class Refusal extends Error {}

/**
 * The value as JSON text. JSON.stringify would leave out functions without a word, and make a text of any length first: here whatever JSON
 * does not have is named with its place, and what is too much is noticed before it is written. Each part is read once: what a getter gives
 * the second time may be something else.
 *
 * @throws Refusal, or whatever a getter of the value throws
 */
export function jsonOf(value: unknown, name: string): string {
  const copy = new Measure().take(value, name, 0);
  if (copy === undefined) {
    throw new Refusal(`returned undefined in ${name}, which JSON does not have`);
  }
  const text = JSON.stringify(copy);
  if (Buffer.byteLength(text) > MOST_DATA_BYTES) {
    throw tooMuch();
  }
  return text;
}

const tooMuch = (): Error => new Refusal('returned more than 1 MiB of JSON');

class Measure {
  #left = MOST_DATA_BYTES;
  readonly #above = new Set<object>();

  /** A copy of plain data. */
  take(value: unknown, place: string, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        this.#spend(value.length + 2);
        return value;
      case 'number':
        if (!Number.isFinite(value)) {
          throw new Refusal(`returned ${value} in ${place}, which JSON does not have`);
        }
        this.#spend(1);
        return value;
      case 'boolean':
      case 'undefined':
        this.#spend(1);
        return value;
      case 'object':
        return value === null ? null : this.#takeObject(value, place, depth);
      default:
        throw new Refusal(`returned a ${typeof value} in ${place}, which JSON does not have`);
    }
  }

  #takeObject(value: object, place: string, depth: number): unknown {
    this.#spend(2);
    if (this.#above.has(value)) {
      throw new Refusal(`returned an object in ${place} that leads back to itself`);
    }
    if (depth >= DEEPEST) {
      throw new Refusal(`returned data that is more than ${DEEPEST} levels deep, in ${place.slice(0, 100)}…`);
    }
    this.#above.add(value);
    const copy = this.#copyOf(value, place, depth);
    this.#above.delete(value);
    return copy;
  }

  #copyOf(value: object, place: string, depth: number): unknown {
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      for (let i = 0; i < value.length; i++) {
        list.push(this.take(value[i], `${place}[${i}]`, depth + 1));
      }
      return list;
    }
    const { toJSON } = value as { toJSON?: unknown };
    // A Date, for one.
    return typeof toJSON === 'function'
      ? this.take(toJSON.call(value), place, depth + 1)
      : this.#copyFields(value, place, depth);
  }

  #copyFields(value: object, place: string, depth: number): Record<string, unknown> {
    const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
    // An object of another realm has an Object.prototype of its own.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      const kind = prototype.constructor?.name || 'an object of a class';
      throw new Refusal(`returned a ${kind} in ${place}, which is no plain object`);
    }
    const copy: Record<string, unknown> = Object.create(null);
    for (const key of Object.keys(value)) {
      this.#spend(key.length + 3);
      copy[key] = this.take((value as Record<string, unknown>)[key], `${place}.${key}`, depth + 1);
    }
    return copy;
  }

  #spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) {
      throw tooMuch();
    }
  }
}
