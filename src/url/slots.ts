import { hostKeyOf } from './host.js';

/**
 * Which node of a cluster owns a host: by its name alone, so that whether a URL is somebody else's is worked out and never looked up. `www.` is
 * left out, so that the hops between a domain and its `www.` stay on one node. The function never changes: stores are kept by it.
 */
export function slotOfHost(hostKey: string, nodes: number): number {
  // FNV-1a, and what MurmurHash3 ends with: without that, names that differ in one letter alone would not be spread.
  let hash = 0x811c9dc5;
  for (let i = hostKey.startsWith('www.') ? 4 : 0; i < hostKey.length; i++) {
    hash = Math.imul(hash ^ hostKey.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % nodes;
}

/** The same for a URL in normal form; -1 for anything but http(s), which is nobody's. */
export function slotOf(url: string, nodes: number): number {
  const key = hostKeyOf(url);
  return key === '' ? -1 : slotOfHost(key, nodes);
}
