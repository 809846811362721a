import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveLines } from '../../src/cli/live-view.js';
import { type Progress, Terminal, type TerminalOptions } from '../../src/cli/terminal.js';
import { MOMENT } from './live-fixture.js';
import { EmulatedTerminal } from './screen.js';

const clock = { now: () => 0, wall: () => 0, at: () => () => {} };

function open(columns: number, rows: number, options: Partial<TerminalOptions> = {}) {
  const screen = new EmulatedTerminal(columns, rows);
  const terminal = new Terminal({ stream: screen, clock, color: true, quiet: false, env: {}, ...options });
  return { screen, terminal };
}

const lines = (...all: string[]): Progress => ({ forms: ['short'], lines: () => all, json: () => ({ all }) });
/** After what was said in this turn, the view is drawn again. */
const turn = (): Promise<void> => Promise.resolve();

describe('the view at the end of a terminal', () => {
  it('is drawn in its own place, whether it grows or shrinks, and the cursor waits below it', async () => {
    const { screen, terminal } = open(40, 10);
    terminal.line('before');
    terminal.progress(lines('one', 'two'));
    expect(screen.text).toEqual(['before', 'one', 'two']);
    expect(screen.cursor).toEqual({ row: 3, column: 0 });
    terminal.progress(lines('one more', 'two more', 'three'));
    expect(screen.text).toEqual(['before', 'one more', 'two more', 'three']);
    terminal.progress(lines('1'));
    expect(screen.text).toEqual(['before', '1']);
    expect(screen.cursor).toEqual({ row: 2, column: 0 });
  });

  it('lets everything that is said pass above it, where it stays', async () => {
    const { screen, terminal } = open(40, 6);
    terminal.progress(lines('one', 'two'));
    terminal.line('first news');
    terminal.warn('second news');
    await turn();
    expect(screen.text).toEqual(['first news', 'warning: second news', 'one', 'two']);
    for (let i = 0; i < 10; i++) {
      terminal.line(`news ${i}`);
      await turn();
    }
    expect(screen.text.slice(-4)).toEqual(['news 8', 'news 9', 'one', 'two']);
    expect(screen.text).toHaveLength(14);
  });

  it('is drawn once for all that one turn says', async () => {
    const { screen, terminal } = open(40, 10);
    terminal.progress(lines('one'));
    let draws = 0;
    const write = screen.write.bind(screen);
    screen.write = (text) => {
      draws += text.includes('one') ? 1 : 0;
      write(text);
    };
    for (let i = 0; i < 1000; i++) {
      terminal.line('news');
    }
    await turn();
    expect(draws).toBe(1);
    expect(screen.text.at(-1)).toBe('one');
  });

  it('disappears at the end and does not come back, whoever still calls', async () => {
    const { screen, terminal } = open(40, 10);
    terminal.progress(lines('one', 'two'));
    terminal.line('news');
    terminal.box('complete', [['URLs', '日本語']]);
    terminal.progress(lines('late'));
    await turn();
    expect(screen.text).toEqual(['news', '┌─ complete ───┐', '│ URLs  日本語 │', '└──────────────┘']);
    screen.resize(60, 10);
    expect(screen.text).toHaveLength(4);
    expect(screen.listeners).toBe(0);
  });

  it('is made anew for each new size, without a trace of the old one', () => {
    const { screen, terminal } = open(120, 40);
    terminal.line('said before');
    const picture = { snapshot: MOMENT, total: { urls: 5000, mayGrow: false }, suspects: null };
    const progress: Progress = {
      forms: ['short'],
      lines: (size) => liveLines(picture, size, (color, text) => terminal.paint(color, text)),
    };
    terminal.progress(progress);
    for (const columns of [80, 40, 39, 120, 25, 100]) {
      screen.resize(columns, 40);
      expect(screen.text).toEqual(['said before', ...liveLines(picture, { columns, rows: 40 }, (_, text) => text)]);
    }
  });

  it('is one line where there are two rows, and nothing where there is one', () => {
    for (const [rows, shown] of [
      [2, ['short']],
      [1, []],
    ] as const) {
      const { screen, terminal } = open(40, rows);
      terminal.progress(lines('one', 'two'));
      terminal.progress(lines('one', 'two'));
      expect(screen.text).toEqual(shown);
    }
  });

  it('shows after any series of moments, news and sizes exactly what it should', async () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', '日', '👍', '\u001b', '\n'),
      minLength: 1,
      maxLength: 30,
    });
    const step = fc.oneof(
      fc.record({ view: fc.array(word, { maxLength: 8 }) }),
      fc.record({ news: fc.constantFrom('a notice', 'another, somewhat longer notice') }),
      fc.record({ columns: fc.integer({ min: 33, max: 100 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { screen, terminal } = open(100, 40);
        const news: string[] = [];
        let view: string[] = [];
        for (const next of steps) {
          if ('view' in next) {
            view = next.view.map((text) => text.replace(/[\u001b\n]/g, '.'));
            terminal.progress(lines(...view.map((text) => terminal.paint('red', text))));
          } else if ('news' in next) {
            news.push(next.news);
            terminal.line(next.news);
          } else {
            screen.resize(next.columns, 40);
          }
          await turn();
          expect(screen.text).toEqual([...news, ...view]);
          expect(screen.cursor.column).toBe(0);
        }
      }),
    );
  });
});

describe('progress', () => {
  const said = (options: Partial<TerminalOptions>, isTTY = true): string => {
    let text = '';
    const stream = { isTTY, columns: 80, rows: 24, write: (part: string) => (text += part) };
    const terminal = new Terminal({ stream, clock, color: false, quiet: false, env: {}, ...options });
    terminal.progress(lines('one', 'two'));
    terminal.progress(lines('one', 'two'));
    terminal.endProgress(() => lines('last'));
    return text;
  };

  it.each<[string, Partial<TerminalOptions>]>([
    ['--progress plain', { progress: 'plain' }],
    ['TERM=dumb', { env: { TERM: 'dumb' } }],
    ['CI', { env: { CI: 'true' } }],
  ])('is a plain line on a terminal with %s', (_what, options) => {
    expect(said(options)).toBe('short\n');
  });

  it('is a plain line where there is no terminal, and a view where there is one and CI says no', () => {
    expect(said({}, false)).toBe('short\n');
    expect(said({ env: { CI: 'false' } })).toContain('one');
  });

  it('is a line of JSON for each moment and for the end, with nothing in it that a terminal obeys', () => {
    expect(said({ progress: 'json' })).toBe('{"all":["one","two"]}\n{"all":["one","two"]}\n{"all":["last"]}\n');
    const terminal = open(80, 24, { progress: 'json' });
    terminal.terminal.progress(lines('\u001b[2J\u009b31m\u202e'));
    expect(terminal.screen.text.join('')).toBe('{"all":["\\u001b[2J\\u009b31m\\u202e"]}');
  });

  it('is nothing with --progress none, nor with --quiet', () => {
    expect(said({ progress: 'none' })).toBe('');
    expect(said({ progress: 'json', quiet: true })).toBe('');
  });
});
