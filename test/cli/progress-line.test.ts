import { describe, expect, it } from 'vitest';
import { type ProgressFigures, ProgressLine } from '../../src/cli/progress-line.js';
import { counted, Terminal } from '../../src/cli/terminal.js';

const NOTHING: ProgressFigures = {
  ...{ now: 1_000, done: 0, failed: 0, skipped: 0, queuedInMemory: 0, queuedOnDisk: 0, inFlight: 0 },
  ...{ governorLimit: 512, bytes: 0, dispatched: 0, hostsDelayed: 0, waitingFor: null, seeding: null },
  ...{ rendering: 0, isStopping: false, isDiskLow: false, endsAt: Number.POSITIVE_INFINITY },
};

/** Ticks of a second each: the forms of the line after the last of them. */
function formsAfter(ticks: Partial<ProgressFigures>[], options: { maxUrls?: number; msAPage?: number } = {}): string[] {
  const line = new ProgressLine({ maxUrls: options.maxUrls ?? null, msAPage: options.msAPage ?? null });
  let forms: string[] = [];
  for (const [second, figures] of ticks.entries()) {
    forms = line.forms({ ...NOTHING, now: 1_000 + second * 1_000, ...figures });
  }
  return forms;
}

/** A page a second, of a host that may be asked again in 131 ms. */
const paced = (seconds: number, total = 201): Partial<ProgressFigures>[] =>
  Array.from({ length: seconds + 1 }, (_, second) => ({
    ...{ done: second, dispatched: second, queuedInMemory: total - second, bytes: second * 1024 },
    ...{ hostsDelayed: 1, waitingFor: { name: 'a.test', at: 1_131 + second * 1_000 } },
  }));

describe('the progress line', () => {
  it('of a crawl with a delay says what is done and queued, how fast, what is waited for and how long it will take', () => {
    expect(formsAfter(paced(9))[0]).toBe(
      '9 done, 0 failed, 192 queued, 0/512 in flight, 1.0 pages/s, 9 KiB, about 3 min left; 1 host delayed, next a.test in 131 ms',
    );
  });

  it('says so where more is under way than the limit that fell meanwhile', () => {
    expect(formsAfter([{ inFlight: 6, governorLimit: 1 }])[0]).toContain(', 6 in flight (limit 1), ');
  });

  it('says the same in every form, down to what fits into sixty columns', () => {
    for (const form of formsAfter(paced(9))) {
      expect(form).toMatch(/^9 done, .*192 queued, .*1\.0( pages)?\/s, .*(about |~)3 min left; .*next .*in 131 ms$/);
    }
    expect(formsAfter(paced(9)).at(-1)).toBe('9 done, 192 queued, 1.0/s, ~3 min left; next in 131 ms');
  });

  it('counts several hosts as several', () => {
    const [line] = formsAfter([{ ...paced(0)[0], hostsDelayed: 8 }]);
    expect(line).toContain('; 8 hosts delayed, next a.test in 131 ms');
    expect(line).not.toContain('left');
  });

  it('says how long by the delay of a single host as soon as a page is done', () => {
    expect(formsAfter(paced(0), { msAPage: 1_000 })[0]).not.toContain('left');
    expect(formsAfter(paced(1), { msAPage: 1_000 })[0]).toContain('about 3 min left');
  });

  it('does not count what earlier runs have done, nor the time before the first page, as speed', () => {
    const waiting = Array.from({ length: 20 }, () => ({ done: 5_000, queuedInMemory: 100 }));
    const going = paced(10).map(({ done, ...figures }) => ({ ...figures, done: 5_000 + done!, queuedInMemory: 100 }));
    expect(formsAfter([...waiting, ...going])[0]).toContain('1.0 pages/s');
  });

  it('tells a slow pace by the minute, and the same from one page to the next', () => {
    const slow = (second: number): Partial<ProgressFigures> => ({
      ...{ now: 1_000 + second * 1_000, done: 1 + Math.floor(second / 60), queuedInMemory: 10 },
    });
    expect(formsAfter(Array.from({ length: 1_201 }, (_, second) => slow(second)))[0]).toMatch(
      / 1\.0 pages\/min, .*about 10 min left/,
    );
  });

  it('says no more time than --duration leaves, and no more pages than --max-urls allows', () => {
    const ends = paced(9).map((figures) => ({ ...figures, endsAt: 31_000 }));
    expect(formsAfter(ends)[0]).toContain('about 21 s left');
    expect(formsAfter(paced(9), { maxUrls: 49 })[0]).toContain('about 40 s left');
  });

  it.each<[string, Partial<ProgressFigures>, string]>([
    ['answers', { inFlight: 2 }, '0 done, 0 failed, 0 queued, 2/512 in flight, 0.0 pages/s, 0 B'],
    ['what is under way after a stop', { inFlight: 1, isStopping: true }, '0 B; stopping, 1 request under way'],
    ['room on the disk', { isDiskLow: true }, '0 B; paused: less than --min-free-disk is free'],
    ['third parties', { seeding: 'crt.sh (names of a.test)' }, '0 B; waits for crt.sh (names of a.test)'],
    ['the browser', { rendering: 3 }, '0 B; waits for 3 pages in the browser'],
  ])('names %s as what is waited for', (_what, figures, end) => {
    expect(formsAfter([figures])[0]?.endsWith(end)).toBe(true);
  });
});

describe('a terminal', () => {
  const shownAt = (columns: number | undefined): string => {
    let shown = '';
    const stream = {
      isTTY: true,
      ...(columns === undefined ? {} : { columns }),
      write: (text: string) => (shown += text),
    };
    const clock = { now: () => 0, wall: () => 0, at: () => () => {} };
    new Terminal({ stream, clock, color: false, quiet: false, env: {} }).progress({
      forms: ['a'.repeat(90), 'b'.repeat(70), 'c'.repeat(50)],
    });
    return shown.replace(/^\r(.*)\u001b\[K\n\u001b\[J$/, '$1');
  };

  it('shows the longest form of a line that fits, and one of 80 columns where its width is not known', () => {
    expect(shownAt(100)).toBe('a'.repeat(90));
    expect(shownAt(71)).toBe('b'.repeat(70));
    expect(shownAt(60)).toBe('c'.repeat(50));
    expect(shownAt(40)).toBe(`${'c'.repeat(38)}…`);
    for (const unknown of [0, undefined]) {
      expect(shownAt(unknown)).toBe('b'.repeat(70));
    }
  });
});

it('one is one, and all else is many', () => {
  expect([0, 1, 2, 1_234].map((count) => counted(count, 'host'))).toEqual([
    '0 hosts',
    '1 host',
    '2 hosts',
    '1,234 hosts',
  ]);
  expect(counted(1, 'retry', 'retries')).toBe('1 retry');
});
