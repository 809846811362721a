import type { Half } from './extraction/sample.js';

export interface Wishes {
  /** Null: as many as the scenario thinks right. */
  readonly rounds: number | null;
  /** Names of contestants; null: everyone who is installed. */
  readonly only: readonly string[] | null;
  /** Of the labelled pages; null: both. */
  readonly half: Half | null;
  /** The folder of another checkout of ours, built, that runs beside this one; null: none. */
  readonly previous: string | null;
  /** Programs of Node that run ours too; null: those that --setup has installed. */
  readonly nodes: readonly string[] | null;
}

/** Thrown where the command line asks for what is not there. */
export class WishError extends Error {
  override readonly name: string = 'WishError';
}

export interface Scenario {
  readonly word: string;
  readonly sentence: string;
  run(wishes: Wishes): Promise<void>;
}
