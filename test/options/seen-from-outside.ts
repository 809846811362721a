import { afterAll, describe, it } from 'vitest';
import type { Command } from '../../src/config/commands.js';
import { specOf } from '../../src/config/options.js';
import { EVIDENCE } from './evidence.js';
import { Laboratory } from './harness.js';

/** Plays the evidence of these commands. A file for each of the large ones, so that they do not wait for each other. */
export function describeSeen(isMeant: (command: Command) => boolean): void {
  describe('what is seen from outside', () => {
    const laboratory = new Laboratory();
    afterAll(() => laboratory.remove());

    for (const { key, command = 'crawl', stage, values, sees, gives } of EVIDENCE) {
      if (!isMeant(command)) {
        continue;
      }
      const { flag } = specOf(key);
      it.concurrent(`${command} --${flag}: ${stage.name}`, { timeout: 120_000 }, async ({ expect }) => {
        const runs = await Promise.all(values.map((value) => laboratory.see(stage, value, command)));
        const seen = runs.map((run) => sees(run));
        seen.forEach((each, place) => {
          expect(each, `${values[place]!.join(' ')}\n${runs[place]!.stderr}`).toEqual(gives[place]);
        });
        expect(new Set(seen.map((each) => JSON.stringify(each))).size, 'nothing differs').toBeGreaterThan(1);
      });
    }
  });
}
