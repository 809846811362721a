import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Preview } from '../../src/preview/preview.js';
import { GOSSAMER_BIN } from './sites.js';

export interface SampledSite {
  seed: number;
  low: number;
  estimate: number | null;
  high: number | null;
}

export const SAMPLE = 300;
const SEEDS = 10;
/** So many of them have to hold the truth. */
export const WANTED = 8;

/** What `gossamer preview --sample` says of a site, for several draws. */
export async function sampleSite(url: string): Promise<SampledSite[]> {
  const samples: SampledSite[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const args = ['preview', url, '--quiet', '--json', '--sample', String(SAMPLE), '--sample-seed', String(seed)];
    const { stdout } = await promisify(execFile)(process.execPath, [GOSSAMER_BIN, ...args]);
    const { size } = JSON.parse(stdout) as Preview;
    samples.push({ seed, ...size! });
  }
  return samples;
}

export const holds = ({ low, high }: SampledSite, pages: number): boolean =>
  low <= pages && pages <= (high ?? Number.POSITIVE_INFINITY);
