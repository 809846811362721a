import { describe, expect, it } from 'vitest';
import { formatElapsed } from '../../src/check/report/words.js';
import { everyVerdict, evidenceOf, linkOf, reportOf, sourceOf, textOf } from './fixture.js';

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;
const many = (verdict: Parameters<typeof linkOf>[0], count: number) =>
  Array.from({ length: count }, (_, number) => linkOf(verdict, { url: `https://a.test/${verdict}/${number}` }));

describe('the last line for a terminal', () => {
  it('counts what is bad, of how many links, in what time, and says the exit code', () => {
    const links = [...many('dead', 3), ...many('missing_fragment', 1), ...many('unverifiable', 12)];
    const text = textOf('terminal', reportOf(links, { links: 1204 }));
    expect(lastLine(text)).toBe(
      'check: 3 dead, 1 missing fragment, 12 unverifiable of 1,204 links (2 m 10 s) → exit 1',
    );
  });

  it('says that all is fine where nothing is bad, whatever moved; what was skipped is not counted', () => {
    const links = [...many('moved', 2), ...many('redirected', 1), ...many('skipped', 4), ...many('ok', 3)];
    expect(textOf('terminal', reportOf(links, { links: 1204 }))).toBe(
      'check: 1,200 links, all fine (2 m 10 s) → exit 0\n',
    );
    expect(textOf('terminal', reportOf(many('ok', 1)))).toBe('check: 1 link, all fine (2 m 10 s) → exit 0\n');
  });

  it('never calls a run fine that fails: a verdict that was told to fail is counted', () => {
    const links = [linkOf('moved', { fails: true }), linkOf('moved', { url: 'https://a.test/other' })];
    expect(lastLine(textOf('terminal', reportOf(links)))).toBe('check: 1 moved of 2 links (2 m 10 s) → exit 1');
  });

  it('does not fail for what nobody could verify', () => {
    expect(lastLine(textOf('terminal', reportOf(many('timeout', 2))))).toBe(
      'check: 2 time-outs of 2 links (2 m 10 s) → exit 0',
    );
  });

  it.each([
    [0, '0 ms'],
    [310.4, '310 ms'],
    [4210, '4.2 s'],
    [59_949, '59.9 s'],
    [59_950, '1 m 00 s'],
    [125_000, '2 m 05 s'],
    [3_599_600, '1 h 00 m'],
    [7_500_000, '2 h 05 m'],
  ])('writes %d ms as %s', (ms, words) => {
    expect(formatElapsed(ms)).toBe(words);
  });
});

describe('the report for a terminal', () => {
  it('shows what fails by verdict and target, with the first five places', () => {
    const sources = Array.from({ length: 17 }, (_, number) =>
      sourceOf({ page: `https://a.test/p${number}`, line: number + 1 }),
    );
    const links = [
      linkOf('dead', { sources }),
      linkOf('missing_fragment', {
        fragment: 'part',
        evidence: evidenceOf({ why: 'no such id' }),
        sources: [sourceOf({ page: 'docs/a.md', text: '', column: null })],
      }),
    ];
    expect(textOf('terminal', reportOf(links)).split('\n')).toEqual([
      '',
      'dead (1)',
      expect.stringContaining('there is no such page'),
      '  ✗ https://a.test/old',
      '      why 404: the server says that it is not there',
      '      on  https://a.test/p0 1:5 “The old page”',
      '      on  https://a.test/p1 2:5 “The old page”',
      '      on  https://a.test/p2 3:5 “The old page”',
      '      on  https://a.test/p3 4:5 “The old page”',
      '      on  https://a.test/p4 5:5 “The old page”',
      '      and 12 more',
      '',
      'missing_fragment (1)',
      expect.stringContaining('id or name'),
      '  ✗ https://a.test/old#part',
      '      why no such id',
      '      on  docs/a.md:12',
      '',
      'check: 1 dead, 1 missing fragment of 2 links (2 m 10 s) → exit 1',
      '',
    ]);
  });

  it('leaves out what works, unless everything is asked for', () => {
    const report = everyVerdict();
    const quiet = textOf('terminal', report);
    const all = textOf('terminal', report, { verbose: true });
    for (const verdict of ['moved', 'redirected', 'skipped', 'ok']) {
      expect(quiet).not.toContain(`\n${verdict} (`);
      expect(all).toContain(`\n${verdict} (1)`);
    }
    expect(all).toContain('new https://a.test/new');
    expect(all).toContain('in 3 places');
  });

  it('leaves in peace what a baseline knows, and says since when where everything is asked for', () => {
    const known = linkOf('dead', { fails: false, firstSeen: '2024-01-02' });
    const report = reportOf([known], { baseline: { new: 0, fixed: ['https://a.test/x'], known: 1 } });
    expect(textOf('terminal', report)).toBe(
      'note: against the baseline: 0 new, 1 known, 1 fixed\ncheck: 1 dead of 1 link (2 m 10 s) → exit 0\n',
    );
    expect(textOf('terminal', report, { verbose: true })).toContain('known since 2024-01-02');
  });

  it('says when it was cut short, when robots.txt was ignored, and how much rules left out', () => {
    const text = textOf('terminal', reportOf([], { truncated: '--max-urls 10', ignoredRobots: true, ignored: 1 }));
    expect(text.split('\n').slice(0, 3)).toEqual([
      'note: cut short by --max-urls 10: not every link was looked at',
      'note: robots.txt was ignored',
      'note: 1 link was left out by rules',
    ]);
  });

  it('is coloured only where it is told to be', () => {
    const paint = (color: string, text: string) => `<${color}>${text}</${color}>`;
    const text = textOf('terminal', reportOf([linkOf('dead'), linkOf('timeout')]), { paint });
    expect(text).toContain('<red>✗</red>');
    expect(text).toContain('<yellow>!</yellow>');
    expect(lastLine(text)).toMatch(/^<red>check: .*exit 1<\/red>$/);
    expect(textOf('terminal', reportOf([linkOf('dead')]))).not.toContain('\u001b');
  });
});
