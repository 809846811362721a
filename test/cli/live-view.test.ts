import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LivePicture, liveLines, type PaintText } from '../../src/cli/live-view.js';
import { widthOf } from '../../src/cli/text-width.js';
import type { LiveSnapshot, Problem } from '../../src/watch/live.js';
import { CLUSTER, MOMENT } from './live-fixture.js';

const plain: PaintText = (_color, text) => text;
const colored: PaintText = (_color, text) => `\u001b[31m${text}\u001b[0m`;

const picture = (snapshot: Partial<LiveSnapshot> = {}, rest: Partial<LivePicture> = {}): LivePicture => ({
  ...{ snapshot: { ...MOMENT, ...snapshot }, total: null, suspects: null },
  ...rest,
});
const OF_5000 = { urls: 5000, mayGrow: false };
const shown = (of: LivePicture, columns = 100, rows = 30): string[] => liveLines(of, { columns, rows }, plain);
/** The line that begins with this label. */
const lineOf = (label: string, of: LivePicture): string | undefined =>
  shown(of).find((line) => line.trimStart().startsWith(`${label}  `));

describe('the view of a run', () => {
  it('says on a wide screen how far it is, how fast, what holds it back and what failed', () => {
    expect(shown(picture({}, { total: OF_5000 }))).toEqual([
      '  crawling  █████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  24 %  about 5 min left  1,234 of 5,000',
      '      URLs  1,200 done  34 failed  3,766 queued  12 skipped',
      '     speed  12.3 pages/s  56.3 MiB  1.2 MiB/s  20 in flight  since 1 min 40 s',
      '     hosts  3 busy  12 delayed  1 backing off  16 known',
      '   held by  requests per host (--max-inflight-per-host)  20 of 20  35 waiting',
      '       now  waits for answers',
      '  problems  404 http://a.test/gone',
      '            timeout http://b.test/slow',
      '            410 http://a.test/first',
    ]);
  });

  it('says the same in fewer words on forty columns', () => {
    expect(shown(picture({}, { total: OF_5000 }), 40)).toEqual([
      '████░░░░░░░░░░░░░░░░  24 %  ~5 min left',
      '1,200 done  34 failed  3,766 queued',
      '12.3/s  56.3 MiB  1.2 MiB/s',
      '3 hosts busy  12 delayed  1 backing off',
      'held by --max-inflight-per-host',
      'waits for answers',
      '404 http://a.test/gone',
      'timeout http://b.test/slow',
      '410 http://a.test/first',
    ]);
  });

  it('shows all machines of a crawl on several: those that are missing first, with what waits for them', () => {
    expect(shown(picture({ cluster: CLUSTER })).filter((line) => /together|slot/.test(line))).toEqual([
      '  together  2 of 4 machines  60.3 pages/s  1,800 done  6,000 waiting  36 in the mail  web',
      '            slot 2 host-c  missing for 2 min  2,000 URLs wait  12,345 pieces of mail for it',
      '            slot 3  nobody has joined  70 pieces of mail for it',
      '            slot 0 (here)  active  40.3 pages/s  2,000 waiting  mail 12 out, 3 in  lease 14 s',
      expect.stringMatching(/^ +slot 1 host-b.* active {2}20\.0 pages\/s/),
    ]);
    expect(shown(picture({ cluster: CLUSTER })).join('')).not.toContain('\u001b');
    // Where there are few rows, those that are missing stay.
    const few = shown(picture({ cluster: CLUSTER }), 100, 12).join('\n');
    expect([few.includes('slot 2'), few.includes('slot 0')]).toEqual([true, false]);
  });

  it('names the layer that held it back a moment ago without the figures of now', () => {
    expect(lineOf('held by', picture({}, { isHeldOver: true }))).toMatch(/\(--max-inflight-per-host\)$/);
    expect(lineOf('held by', picture())).toMatch(/20 of 20 {2}35 waiting$/);
  });

  it('has large numbers in short where they would not fit', () => {
    const urls = { ...MOMENT.urls, done: 1_234_567, failed: 34_567, queued: 999_600 };
    expect(shown(picture({ urls }), 40)[1]).toBe('1.2M done  35k failed  1.0M queued');
    expect(shown(picture({ urls }), 100)[1]).toContain('1,234,567 done  34,567 failed  999,600 queued');
  });

  it('has no bar where nobody knows how much it will be, and says so where the time left is unknown', () => {
    expect(shown(picture({ leftMs: null }))[0]).toBe('  crawling  1,234 fetched  time left unknown');
    expect(shown(picture({ leftMs: null }), 30)[0]).toBe('1,234 fetched  time left?');
  });

  it('says that a total is what is known so far, where links may lead to more', () => {
    expect(shown(picture({}, { total: { urls: 5000, mayGrow: true } }))[0]).toMatch(
      / {2}about 5 min for what is queued {2}1,234 of 5,000 known$/,
    );
    expect(shown(picture())[0]).toBe('  crawling  1,234 fetched  about 5 min for what is queued');
    expect(shown(picture(), 40)[0]).toBe('1,234 fetched  ~5 min for queued');
  });

  it('has a full bar where more was fetched than was known of, never more than full', () => {
    expect(shown(picture({}, { total: { urls: 10, mayGrow: false } }))[0]).toMatch(/^ {2}crawling {2}█{40} {2}100 %/);
  });

  it('says instead of running that it is paused, or stopping, and what it waits for', () => {
    expect(shown(picture({ state: 'paused', waitingFor: 'paused, 2 requests under way' }))[0]).toContain('paused  ');
    // Once: where there are labels, the label says it.
    expect(shown(picture({ state: 'stopping' }))[0]).toMatch(/^ *stopping {2}1,234 fetched/);
    expect(shown(picture({ state: 'stopping' }), 50)[0]).toMatch(/^stopping {2}1,234 fetched/);
    expect(lineOf('now', picture({ state: 'stopping', waitingFor: 'stopping, 2 requests under way' }))).toBe(
      '       now  stopping, 2 requests under way',
    );
  });

  it('leaves out of what it waits for what another line says, where there is no room for both', () => {
    const waiting = picture({ waitingFor: '12 hosts delayed, next www.example.com in 131 ms' });
    expect(shown(waiting)).toContain('       now  12 hosts delayed, next www.example.com in 131 ms');
    expect(shown(waiting, 40)).toContain('next www.example.com in 131 ms');
  });

  it('names the layer that holds it back by its title and option, and how much of it is used where it has an end', () => {
    expect(lineOf('held by', picture({ tightest: 'delay' }))).toBe(
      '   held by  hosts that keep their delay (--delay)  3 waiting',
    );
    expect(lineOf('held by', picture({ tightest: 'bytes' }))).toBe(
      '   held by  bytes fetched and not yet kept (--parse-buffer)  2 KiB of 1 MiB',
    );
  });

  it('is as high when no limit holds it back and nothing is waited for: lines that come and go would make it jump', () => {
    const free = picture({ tightest: null, waitingFor: null, inFlight: 0 });
    expect(lineOf('held by', free)).toBe('   held by  no limit');
    expect(lineOf('now', free)).toBe('       now  at work');
    expect(shown(free)).toHaveLength(shown(picture({ waitingFor: 'the browser' })).length);
  });

  it('tells a slow pace by the minute', () => {
    expect(lineOf('speed', picture({ pagesPerSecond: 1 / 60 }))).toContain('1.0 pages/min');
  });

  it('has a second bar while pages become Markdown, and says nothing more of requests', () => {
    const work = { name: 'pages as Markdown', done: 50, total: 200 };
    expect(shown(picture({ work, problems: [] }, { total: { urls: 1234, mayGrow: true } }))).toEqual([
      `   fetched  ${'█'.repeat(40)}  100 %  1,234 of 1,234`,
      `    making  ${'█'.repeat(10)}${'░'.repeat(30)}  25 %  50 of 200 pages as Markdown`,
      '      URLs  1,200 done  34 failed  3,766 queued  12 skipped',
    ]);
    expect(shown(picture({ work }), 40)[1]).toBe(`${'█'.repeat(5)}${'░'.repeat(17)}  25 %  50 of 200`);
  });

  it('of a check says which links seem dead, and that they are asked for again before they count', () => {
    const suspects = {
      links: [
        { url: 'http://a.test/x', reason: 'http_4xx', status: 404, isLookedAtAgain: true },
        { url: 'http://a.test/y', reason: 'dns', status: null, isLookedAtAgain: false },
      ],
      again: 1,
    };
    expect(shown(picture({ command: 'check' }, { suspects })).slice(-3)).toEqual([
      ' seem dead  1 link asked for again before it counts as dead',
      '            404 (asked again) http://a.test/x',
      '            dns http://a.test/y',
    ]);
    const last = (known: typeof suspects.links) =>
      shown(picture({ command: 'check' }, { suspects: { links: known, again: 0 } })).find((line) =>
        line.startsWith(' seem dead'),
      );
    expect(last(suspects.links)).toBe(' seem dead  none is asked for again now');
    expect(last([])).toBe(' seem dead  none so far');
  });

  it('keeps what says most where rows are few, and leaves the cursor one', () => {
    const labels = (rows: number) => shown(picture(), 100, rows).map((line) => line.trim().split('  ')[0]);
    expect(labels(6)).toEqual(['crawling', 'URLs', 'held by', 'now']);
    expect(labels(3)).toEqual(['crawling', 'URLs']);
    expect(labels(1)).toEqual([]);
  });

  it('paints what matters, in spans that end where they began', () => {
    const lines = liveLines(picture({}, { total: OF_5000 }), { columns: 100, rows: 30 }, colored);
    expect(lines[1]).toContain('\u001b[31m34 failed\u001b[0m');
    for (const line of lines) {
      expect(line.replace(/\u001b\[31m[^\u001b]*\u001b\[0m/g, '')).not.toContain('\u001b');
    }
  });
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('\u001b[2J', '\u009b31m', '日', '👩‍🚀', 'e\u0301', '\u202e', '\r\n', '\t', '🇩🇪', '❤️'),
    maxLength: 60,
  }),
);
const figure = fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e18, noNaN: true }));
const figures = <K extends string>(...keys: K[]) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, figure])) as Record<K, typeof figure>);
const problem = fc.record({
  ...{
    at: figure,
    url: text,
    reason: text,
    status: fc.option(fc.integer({ min: 100, max: 999 })),
    message: fc.option(text),
  },
}) as fc.Arbitrary<Problem>;
const layer = fc.record({
  ...{
    name: fc.constantFrom('delay', 'bytes', 'workers'),
    title: text,
    option: text,
    unit: fc.constantFrom('bytes', 'URLs'),
  },
  ...{ use: figure, limit: fc.option(figure), waiting: figure },
});
const anySnapshot: fc.Arbitrary<LiveSnapshot> = fc
  .record({
    command: fc.oneof(fc.constantFrom('crawl', 'check', 'docs'), text),
    state: fc.constantFrom('running', 'paused', 'stopping', 'ended'),
    urls: figures('done', 'failed', 'skipped', 'deferred', 'queued', 'queuedOnDisk'),
    hosts: figures('known', 'busy', 'delayed', 'backingOff', 'deferred'),
    ...{ bytes: figure, inFlight: figure, elapsedMs: figure, pagesPerSecond: figure, bytesPerSecond: figure },
    leftMs: fc.option(figure),
    layers: fc.array(layer, { maxLength: 3 }),
    tightest: fc.constantFrom(null, 'delay', 'bytes', 'workers'),
    waitingFor: fc.option(text),
    problems: fc.array(problem, { maxLength: 5 }),
    work: fc.option(fc.record({ name: text, done: figure, total: fc.option(figure) })),
  })
  .map((any) => ({ ...MOMENT, ...any }) as unknown as LiveSnapshot);
const anySuspects = fc.option(
  fc.record({
    links: fc.array(fc.tuple(problem, fc.boolean()).map(([link, isLookedAtAgain]) => ({ ...link, isLookedAtAgain }))),
    again: figure,
  }),
);

describe('whatever a run and its pages say', () => {
  it('no line reaches the last column, no control character passes, and no row too many is taken', () => {
    fc.assert(
      fc.property(
        anySnapshot,
        fc.option(fc.record({ urls: figure, mayGrow: fc.boolean() })),
        anySuspects,
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        (snapshot, total, suspects, columns, rows) => {
          const of = { snapshot, total, suspects };
          const lines = liveLines(of, { columns, rows }, plain);
          expect(lines.length).toBeLessThan(Math.max(2, rows));
          expect(lines.length).toBeLessThanOrEqual(12);
          for (const line of lines) {
            expect(widthOf(line)).toBeLessThan(columns);
            expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/);
          }
          const painted = liveLines(of, { columns, rows }, colored);
          expect(painted.map((line) => line.replace(/\u001b\[\d+m/g, '').trimEnd())).toEqual(lines);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
