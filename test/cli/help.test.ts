import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { parseArgs } from '../../src/cli/args.js';
import { commandHelp, programHelp, versionText } from '../../src/cli/help.js';
import { box, formatBytes, formatCount, formatDuration, Terminal } from '../../src/cli/terminal.js';
import { COMMAND_SPECS, COMMANDS } from '../../src/config/commands.js';
import { type OptionSpec, PRESETS } from '../../src/config/option-spec.js';
import { acceptsOption, OPTION_KEYS, specOf } from '../../src/config/options.js';
import { PRESET_VALUES } from '../../src/config/presets.js';
import { resolveOptions } from '../../src/config/resolve.js';

const flagOf = (spec: OptionSpec): string =>
  spec.type === 'boolean' && spec.default === true ? `--no-${spec.flag}` : `--${spec.flag}`;

describe('help', () => {
  test('is never wider than 100 columns', () => {
    for (const text of [programHelp(), ...COMMANDS.map(commandHelp)]) {
      for (const line of text.split('\n')) {
        expect(line.length, line).toBeLessThanOrEqual(100);
      }
    }
  });

  test.each(COMMANDS)('of %s names each option that it takes, and no other', (command) => {
    const named = new Set(commandHelp(command).match(/(?<=^ +(?:-\w, )?)--[a-z0-9-]+/gm));
    const taken = new Set(
      OPTION_KEYS.map(specOf).flatMap((spec) => (acceptsOption(command, spec) ? [flagOf(spec)] : [])),
    );
    for (const flag of OPTION_KEYS.map(specOf).map(flagOf)) {
      expect(named.has(flag), flag).toBe(taken.has(flag));
    }
  });

  test('shows default and bounds, and the rarely needed options after all others', () => {
    const text = commandHelp('crawl');
    expect(text).toContain('(default 512; 1 to 4096)');
    const advanced = text.indexOf('Advanced (rarely needed)');
    expect(text.indexOf('--fp-rate')).toBeGreaterThan(advanced);
    expect(text.indexOf('--workers')).toBeLessThan(advanced);
    expect(text.indexOf('--exit-simple')).toBeGreaterThan(advanced);
  });

  test('gives examples that can be typed', () => {
    for (const example of COMMANDS.flatMap((command) => COMMAND_SPECS[command].examples)) {
      const [, ...argv] = example.replace(/ >.*$/, '').split(' ');
      expect(() => parseArgs(argv), example).not.toThrow();
    }
  });

  test.each(['crawl', 'resume'] as const)(
    'of %s lists what each preset sets, as flags that can be typed',
    (command) => {
      const text = commandHelp(command);
      const presets = text.slice(text.indexOf('\nPresets:'), text.indexOf('\n\nTimes:'));
      const flags = { 'big-site': 3, 'many-hosts': 5, 'low-memory': 5, ci: 4 };
      for (const preset of PRESETS) {
        const [, listed = ''] = new RegExp(`^  ${preset} +(.*(?:\\n {9}.*)*)`, 'm').exec(presets) ?? [];
        expect(listed.match(/--/g)).toHaveLength(flags[preset]);
        const typed = parseArgs(['resume', 'dir', ...listed.split(/\s+/)]);
        const { options } = resolveOptions({ command: 'resume', flags: typed.flags, env: {}, configFile: null });
        expect(options).toMatchObject(PRESET_VALUES[preset]);
      }
      expect(commandHelp('export')).not.toContain('Presets:');
    },
  );

  test('lists every command', () => {
    for (const command of COMMANDS) {
      expect(programHelp()).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
  });

  test('--version is that of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(versionText()).toBe(`gossamer ${version}\n`);
  });
});

describe('figures for people', () => {
  test.each([
    [0, '0 ms'],
    [4200, '4.2 s'],
    [59_949, '59.9 s'],
    [59_970, '1 min 00 s'],
    [185_000, '3 min 05 s'],
    [3_599_700, '1 h 00 min'],
    [7_620_000, '2 h 07 min'],
    [86_400_000 * 3 + 3_600_000 * 4, '3 d 4 h'],
  ])('%d ms are %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('sizes and counts', () => {
    expect([0, 512, 1024, 1536, 1024 ** 2 - 1, 20 * 1024 ** 2].map(formatBytes)).toEqual([
      '0 B',
      '512 B',
      '1 KiB',
      '1.5 KiB',
      '1 MiB',
      '20 MiB',
    ]);
    expect(formatCount(1_234_567)).toBe('1,234,567');
  });
});

describe('the terminal', () => {
  function open(options: { isTTY?: boolean; color?: boolean | null; quiet?: boolean; env?: Record<string, string> }) {
    let text = '';
    let now = 0;
    const clock: Clock = { now: () => now, wall: () => now, at: () => () => {} };
    const stream = { isTTY: options.isTTY ?? false, columns: 40, write: (part: string) => (text += part) };
    const terminal = new Terminal({
      stream,
      clock,
      color: options.color ?? null,
      quiet: options.quiet ?? false,
      env: options.env ?? {},
    });
    return { terminal, written: () => text, pass: (ms: number) => (now += ms) };
  }

  test('progress rewrites itself on a TTY, within its width, and makes way for lines', () => {
    const { terminal, written } = open({ isTTY: true });
    terminal.progress({ forms: ['a'] });
    terminal.progress({ forms: ['b'.repeat(100)] });
    terminal.line('news');
    terminal.line('more');
    const drawn = (line: string): string => `${line}\u001b[K\n\u001b[J`;
    const back = '\r\u001b[1A';
    expect(written()).toBe(`\r${drawn('a')}${back}${drawn(`${'b'.repeat(38)}…`)}${back}\u001b[Jnews\nmore\n`);
  });

  test('progress is a plain line every 5 s elsewhere', () => {
    const { terminal, written, pass } = open({});
    terminal.progress({ forms: ['1'] });
    pass(4999);
    terminal.progress({ forms: ['2'] });
    pass(1);
    terminal.progress({ forms: ['3'] });
    terminal.endProgress();
    expect(written()).toBe('1\n3\n');
  });

  test('--quiet leaves only warnings and errors', () => {
    const { terminal, written } = open({ quiet: true });
    terminal.line('a');
    terminal.progress({ forms: ['b'] });
    terminal.box('c', []);
    terminal.warn('d');
    terminal.error('e', 'f');
    expect(written()).toBe('warning: d\nerror: e\n  f\n');
  });

  test('colour is for terminals, NO_COLOR ends it, and a flag wins over both', () => {
    const painted = (options: Parameters<typeof open>[0]) => open(options).terminal.paint('red', 'x') !== 'x';
    expect(painted({ isTTY: true })).toBe(true);
    expect(painted({ isTTY: false })).toBe(false);
    expect(painted({ isTTY: true, env: { NO_COLOR: '1' } })).toBe(false);
    expect(painted({ isTTY: true, color: false })).toBe(false);
    expect(painted({ isTTY: false, color: true, env: { NO_COLOR: '1' } })).toBe(true);
  });

  test('nothing from a page can control the terminal', () => {
    const { terminal, written } = open({ isTTY: false });
    const hostile = 'x\u001b]0;pwned\u0007\r\n\u202e';
    terminal.line(hostile);
    terminal.warn(hostile);
    terminal.error(hostile, hostile);
    terminal.progress({ forms: [hostile] });
    terminal.box(hostile, [[hostile, hostile]]);
    expect(written().replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u202e]/);
  });

  test('a box lines up its values and stays within the width', () => {
    expect(
      box('Done', [
        ['pages', '12'],
        ['reason', 'complete'],
      ]),
    ).toBe(
      ['┌─ Done ───────────┐', '│ pages   12       │', '│ reason  complete │', '└──────────────────┘', ''].join('\n'),
    );
    for (const line of box('t'.repeat(200), [['a', 'b'.repeat(200)]], 60).split('\n')) {
      expect(line.length).toBeLessThanOrEqual(60);
    }
  });
});
