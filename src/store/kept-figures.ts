import { openForReading, statusIn } from './directory.js';
import type { KeptFigures } from './watch-rows.js';

const MOST_SEEDS = 20;
const MOST_TALLIES = 100;

/** Looks at every page once. */
export function keptFigures(directory: string): KeptFigures {
  return openForReading(directory, (reader, database) => {
    const tallies = [...reader.tallies()];
    const { seeds, ...status } = statusIn(directory, reader, tallies);
    // Redirects come one by one, and nobody asks which are out of scope.
    const alike = new Map<string, { state: string; reason: string | null; status: number | null; pages: number }>();
    for (const { state, reason, status: answered, pages } of tallies) {
      const name = `${state} ${reason} ${answered}`;
      const before = alike.get(name)?.pages ?? 0;
      alike.set(name, { state, reason, status: answered, pages: before + pages });
    }
    return {
      ...status,
      command: reader.command(),
      seeds: seeds.slice(0, MOST_SEEDS),
      tallies: [...alike.values()].sort((a, b) => b.pages - a.pages).slice(0, MOST_TALLIES),
      bytes: tallies.reduce((sum, { bytes }) => sum + bytes, 0),
      hosts: database.prepare('SELECT count(*) AS n FROM hosts').get()!.n,
    };
  });
}
