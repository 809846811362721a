import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command, Entry, Job } from '../contestant.js';
import { PEERS_FOLDER } from '../folders.js';

/** How many requests each peer may have under way, as far as it can be told. */
export const CONCURRENCY = 64;

export interface Installable {
  readonly name: string;
  /** A line for a shell that stands in folderOf(name), where the files of bench/peers/<name>/ have been copied. */
  readonly install: string;
}

export interface Peer extends Installable {
  readonly language: string;
  /** The version that is there, or null. */
  find(): Promise<string | null>;
  readonly entries: readonly Entry[];
}

export const folderOf = (name: string): string => join(PEERS_FOLDER, name);

/** For a program that can be asked. */
export async function versionSaidBy(file: string, ...args: string[]): Promise<string | null> {
  try {
    const { stdout, stderr } = await promisify(execFile)(file, args, { timeout: 30_000 });
    return /\d+\.\d+(?:\.\d+)*/.exec(stdout + stderr)?.[0] ?? 'unknown';
  } catch {
    return null;
  }
}

/** For a driver of ours, built with exactly that version of its library. */
export async function versionIfThere(file: string, version: string): Promise<string | null> {
  return existsSync(file) ? version : null;
}

/** For a peer that takes one start page. */
export const oneEach =
  (command: (start: string, job: Job) => Command) =>
  (job: Job): Command[] =>
    job.starts.map((start) => command(start, job));
