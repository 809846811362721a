import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { FetchError } from '../base/errors.js';
import { codeOf } from './classify.js';

/**
 * The machine has no descriptor, port or buffer for a socket at the moment. That says nothing about the server: the request has not left, and
 * waits until there is one.
 */
export class Shortage extends FetchError {
  constructor(cause: unknown) {
    super('timeout', 'This machine had no descriptor for a socket: raise its limit on open files.', { cause });
  }
}

const CODES = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EAGAIN']);

/** What an error of opening a socket to an address means: a shortage, or what it was. */
export function orShortage(error: unknown, address: string): unknown {
  const code = codeOf(error);
  // All ports to that address are taken; with IPv6 it is how a machine without says so, and no wait would help.
  const hasNoPort = code === 'EADDRNOTAVAIL' && !address.includes(':');
  return CODES.has(code) || hasNoPort ? new Shortage(error) : error;
}

/** Whether no file could be opened now. Name servers' sockets cannot tell: to them it looks as if nobody listened. */
export function isShortNow(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    return CODES.has(codeOf(error));
  }
}
