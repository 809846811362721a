import { counted, formatCount, formatDuration } from '../base/figures.js';
import { hostForPeople } from '../url/host-display.js';

/** What may keep the next request from going out. Times are monotonic. */
export interface Obstacles {
  now: number;
  inFlight: number;
  isStopping: boolean;
  isPaused?: boolean;
  isDiskLow: boolean;
  /** Hosts that wait for their time, for whatever reason. */
  hostsDelayed: number;
  /** Of them, those that are left alone after trouble. */
  hostsBackingOff?: number;
  /** The host whose turn comes next. */
  waitingFor: { name: string; at: number } | null;
  /** Third parties that are asked for URLs, and what about; null if none is. */
  seeding: string | null;
  /** Pages that a browser is at. */
  rendering: number;
}

/** What keeps the next request from going out, in ever fewer words; null if the run only waits for answers. */
export function waitingWords(obstacles: Obstacles): [string | null, ...string[]] {
  const { isStopping, isPaused, isDiskLow, inFlight, hostsDelayed, waitingFor, now, seeding, rendering } = obstacles;
  if (isStopping) {
    return [`stopping, ${counted(inFlight, 'request')} under way`];
  }
  if (isPaused === true) {
    return [inFlight === 0 ? 'paused' : `paused, ${counted(inFlight, 'request')} under way`, 'paused'];
  }
  if (isDiskLow) {
    return ['paused: less than --min-free-disk is free', 'paused: the disk is nearly full'];
  }
  if (waitingFor !== null && waitingFor.at > now) {
    const wait = formatDuration(waitingFor.at - now);
    const next = `next ${hostForPeople(waitingFor.name)} in ${wait}`;
    return [`${waitingHosts(hostsDelayed, obstacles.hostsBackingOff ?? 0)}, ${next}`, next, `next in ${wait}`];
  }
  if (inFlight === 0 && seeding !== null) {
    return [`waits for ${seeding}`];
  }
  if (inFlight === 0 && rendering > 0) {
    return [`waits for ${counted(rendering, 'page')} in the browser`];
  }
  return [null];
}

function waitingHosts(all: number, backingOff: number): string {
  const delayed = Math.max(backingOff > 0 ? 0 : 1, all - backingOff);
  if (backingOff === 0) {
    return `${counted(delayed, 'host')} delayed`;
  }
  return delayed === 0
    ? `${counted(backingOff, 'host')} backing off`
    : `${counted(delayed, 'host')} delayed and ${formatCount(backingOff)} backing off`;
}
