import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { FetchError } from '../base/errors.js';
import { codeOf } from './classify.js';

/**
 * The machine has no descriptor, port or buffer for a socket at the moment. That says nothing about the server: the request has not left, and
 * waits until there is one again.
 */
export class Shortage extends FetchError {
  constructor(cause: unknown) {
    super('timeout', 'This machine had no descriptor for a socket: raise its limit on open files.', { cause });
  }
}

const CODES = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EAGAIN']);

/** Turns an error of opening a socket into a `Shortage` if it means one. */
export function orShortage(error: unknown, address: string): unknown {
  const code = codeOf(error);
  // All ports to that address are taken. For IPv6 the same code means that the machine has none, and waiting would not help.
  const hasNoPort = code === 'EADDRNOTAVAIL' && !address.includes(':');
  return CODES.has(code) || hasNoPort ? new Shortage(error) : error;
}

/** Whether no file can be opened now. The sockets of name servers cannot tell, because they then report that nobody listens. */
export function isShortOfDescriptors(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    return CODES.has(codeOf(error));
  }
}
