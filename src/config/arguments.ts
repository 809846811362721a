import { resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { didYouMean, nearestName } from './suggest.js';

/**
 * What a program hands to a function of the library. TypeScript has seen most mistakes by then; what it has not seen is refused here, in one
 * sentence that names the function, the argument and what was given.
 */

/** A stream of Node's to write to. Said by what it does, so that a program in TypeScript needs no types of Node's for ours. */
export interface OutputStream {
  /** As that of `stream.Writable`. */
  write(chunk: string | Uint8Array): boolean;
  /** As that of `stream.Writable`. */
  once(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Options hold seeds, rules and headers: objects in lists in an object. */
const DEEPEST_OPTION = 5;

/**
 * A copy of the options, each of them read once: a getter that throws is the caller's mistake, and what the caller changes afterwards changes
 * nothing here.
 *
 * @param call how it looks when it is right
 */
export function readOptions<T extends object>(call: string, value: T | undefined | null, isNeeded = false): T {
  if (value === undefined && !isNeeded) {
    return {} as T;
  }
  if (typeof value !== 'object' || value === null || isArray(value)) {
    throw new UsageError(`the options of ${nameOf(call)} must be an object: ${call}; got ${describeValue(value)}`);
  }
  return copy(value, nameOf(call), 'the options', DEEPEST_OPTION) as T;
}

function copy(value: unknown, call: string, where: string, depth: number): unknown {
  const isList = isArray(value);
  if (!isList && !isPlain(value) && depth < DEEPEST_OPTION) {
    return value;
  }
  if (depth === 0) {
    throw new UsageError(`${where} of ${call} are nested too deeply`);
  }
  const read = (key: string): unknown => {
    const place = depth === DEEPEST_OPTION ? printable(key, 60) : where;
    const given = orRefuse(() => (value as Record<string, unknown>)[key], `${place} of ${call} cannot be read`);
    return copy(given, call, place, depth - 1);
  };
  const keys = orRefuse(() => Object.keys(value as object), `${where} of ${call} cannot be read`);
  // Where an entry of a list is missing it is undefined, and refused as such.
  return isList
    ? Array.from({ length: (value as unknown[]).length }, (_, i) => read(String(i)))
    : Object.fromEntries(keys.map((key) => [key, read(key)]));
}

function orRefuse<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${what}: ${messageOf(error)}`);
  }
}

/** The folder that a function is to look into, as a whole path. */
export function readDirectory(call: string, value: unknown, argument = 'directory'): string {
  const text = readTextArgument(call, value, argument);
  if (text === '' || text.includes('\0')) {
    throw new UsageError(`the ${argument} of ${nameOf(call)} must be a path: ${call}; got ${describeValue(value)}`);
  }
  return resolve(text);
}

export function readTextArgument(call: string, value: unknown, argument: string): string {
  if (typeof value !== 'string') {
    throw new UsageError(`the ${argument} of ${nameOf(call)} must be a text: ${call}; got ${describeValue(value)}`);
  }
  return value;
}

/** One text, or a list of them. */
export function readTexts(call: string, value: unknown, argument: string): string[] {
  const texts = typeof value === 'string' ? [value] : value;
  if (!isArray(texts) || !texts.every((text) => typeof text === 'string')) {
    throw new UsageError(
      `the ${argument} of ${nameOf(call)} must be a text or a list of texts: ${call}; got ${describeValue(value)}`,
    );
  }
  const odd = texts.find((text) => text.includes('\0'));
  if (odd !== undefined) {
    throw new UsageError(`the ${argument} of ${nameOf(call)} must not contain NUL: ${describeValue(odd)}`);
  }
  return texts;
}

export function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new UsageError(`${name} must be a function, got ${describeValue(value)}`);
  }
}

/** Whether it is an object that has this method: a stream, a signal. */
export function hasMethod(value: unknown, name: PropertyKey): value is object {
  try {
    return typeof value === 'object' && value !== null && typeof (value as never)[name] === 'function';
  } catch {
    return false;
  }
}

export function readOutputStream(whose: string, value: unknown): OutputStream {
  if (!hasMethod(value, 'write') || !hasMethod(value, 'once')) {
    throw new UsageError(`${whose} must be a stream to write to, got ${describeValue(value)}`);
  }
  return value as OutputStream;
}

/** An object that only has some of these; what is left out is undefined. */
export function checkKeys(whose: string, given: object, known: readonly string[]): void {
  const stranger = Object.keys(given).find((key) => !known.includes(key));
  if (stranger !== undefined) {
    throw new UsageError(
      `${whose} takes no option ${printable(stranger, 60)}${didYouMean(nearestName(stranger, known))}`,
    );
  }
}

/** For messages: what a value is, however odd. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty text' : printable(JSON.stringify(value), 100);
    case 'function':
      return 'a function';
    case 'object':
      return value === null ? 'null' : describeObject(value);
    case 'undefined':
      return 'nothing';
    default:
      return String(value);
  }
}

function describeObject(value: object): string {
  try {
    return printable(JSON.stringify(value) ?? 'an object', 100);
  } catch {
    // A circle, a bigint, a proxy that was revoked.
    return 'an object';
  }
}

const nameOf = (call: string): string => /^\w*/.exec(call)![0];

function isArray(value: unknown): value is unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    // A proxy that was revoked.
    return false;
  }
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null;
  } catch {
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? printable(error.message, 200) : describeValue(error);
}
