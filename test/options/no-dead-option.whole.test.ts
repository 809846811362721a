import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/config/commands.js';
import { OPTION_KEYS, specOf } from '../../src/config/options.js';
import { EVIDENCE } from './evidence.js';
import { describeSeen } from './seen-from-outside.js';

describe('no dead option', () => {
  it.each(OPTION_KEYS)('%s has evidence for every command that takes it', (key) => {
    const { commands } = specOf(key);
    const shown = new Set(EVIDENCE.filter((row) => row.key === key).map(({ command = 'crawl' }) => command));
    // One that every command takes is shown where it has something to change.
    const wanted = commands.length === COMMANDS.length ? [...shown].slice(0, 1) : commands;
    expect([...shown]).toEqual(expect.arrayContaining([...wanted]));
    expect(shown.size).toBeGreaterThan(0);
  });

  it.each(EVIDENCE)(
    'the evidence of $key names an option, sets it, and tells its values apart',
    ({ key, values, gives }) => {
      expect(OPTION_KEYS).toContain(key);
      const { flag, short } = specOf(key);
      const flags = [`--${flag}`, `--no-${flag}`, `-${short}`];
      expect(values.flat().some((argument) => flags.includes(argument))).toBe(true);
      expect(values.length).toBeGreaterThan(1);
      expect(gives).toHaveLength(values.length);
    },
  );

  // Those of `check` and `docs` are in files beside this one.
  describeSeen((command) => command !== 'check' && command !== 'docs');
});
