import type { Half } from './extraction/sample.js';

export interface Wishes {
  /** Null: as many as the scenario thinks right. */
  readonly rounds: number | null;
  /** Names of contestants; null: everyone who is installed. */
  readonly only: readonly string[] | null;
  /** Of the labelled pages; null: both. */
  readonly half: Half | null;
}

export interface Scenario {
  readonly word: string;
  readonly sentence: string;
  run(wishes: Wishes): Promise<void>;
}
