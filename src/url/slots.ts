import { hostKeyOf, isHttp } from './host.js';

/** Which part of a crawl on several machines this one is: it owns the hosts of its slot, and no others. */
export interface Seat {
  readonly slot: number;
  readonly nodes: number;
}

/**
 * The slot that owns a URL, worked out from what paces its host: so all that has to keep a distance is at one place. `www.` is left out, for
 * half of all sites redirect between the two names. -1 where there is no server behind it: such a URL is nobody's.
 */
export function slotOf(url: string, nodes: number): number {
  if (!isHttp(url)) {
    return -1;
  }
  return slotOfHost(hostKeyOf(url), nodes);
}

/** The same for a host, by the key that it is paced by. */
export function slotOfHost(hostKey: string, nodes: number): number {
  let hash = 0x811c9dc5;
  for (let i = hostKey.startsWith('www.') ? 4 : 0; i < hostKey.length; i++) {
    hash = Math.imul(hash ^ hostKey.charCodeAt(i), 0x01000193);
  }
  // Names differ most at their ends: without this the low bits would hardly differ.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % nodes;
}

/** Whether somebody else asks for the URL. */
export function isForeignTo({ slot, nodes }: Seat, url: string): boolean {
  const owner = slotOf(url, nodes);
  return owner >= 0 && owner !== slot;
}
