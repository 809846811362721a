import { hostnameOfKey, isLoopbackHost } from '../url/host.js';

/** --delay as it holds for a host: where it was not given there is none on loopback. Hosts there are told apart by their port. */
export const baseDelayMs = (hostName: string, delayMs: number, isDefault: boolean): number =>
  isDefault && isLoopbackHost(hostnameOfKey(hostName)) ? 0 : delayMs;
