import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Baseline,
  baselineText,
  compareWithBaseline,
  parseBaseline,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from '../../src/check/baseline.js';
import { checkedLink } from './links.js';

const A = 'https://a.test/';
const B = 'https://b.test/';
const C = 'https://c.test/';
const EMPTY: Baseline = new Map();
const of = (...urls: string[]) =>
  updateBaseline(
    EMPTY,
    compareWithBaseline(
      urls.map((url) => checkedLink(url, 'dead')),
      EMPTY,
      false,
    ),
    '2026-01-01',
  );

describe('a comparison', () => {
  it('tells new, known and fixed apart, and since when what is known is broken', () => {
    const links = [checkedLink(A, 'dead'), checkedLink(B, 'ok'), checkedLink(C, 'dead')];
    const result = compareWithBaseline(links, of(A, B), false);
    expect(result.new.map(({ url }) => url)).toEqual([C]);
    expect(result.known.map(({ url, firstSeen }) => [url, firstSeen])).toEqual([[A, '2026-01-01']]);
    expect(result.fixed).toEqual([B]);
  });

  it('a link that is gone from the pages is fixed, but not where the run was cut short', () => {
    expect(compareWithBaseline([checkedLink(B, 'ok')], of(A, B), false).fixed).toEqual([A, B]);
    expect(compareWithBaseline([checkedLink(B, 'ok')], of(A, B), true).fixed).toEqual([B]);
  });

  it.each([
    ['unverifiable', false],
    ['rate_limited', false],
    ['unchecked', false],
    ['unchecked', true],
  ] as const)('a link that is %s is not fixed, nor are its fragments', (verdict, isTruncated) => {
    const missing = checkedLink(B, 'missing_fragment', { fragment: 'x', fails: true });
    const before = updateBaseline(EMPTY, compareWithBaseline([missing], of(A), false), '2026-01-01');
    const links = [checkedLink(A, verdict), checkedLink(B, verdict)];
    const after = compareWithBaseline(links, new Map([...before, ...of(A)]), isTruncated);
    expect(after).toEqual({ new: [], known: [], fixed: [] });
  });

  it.each([
    'server_error',
    'timeout',
    'connection',
    'tls',
    'auth_required',
    'rate_limited',
    'blocked',
    'unverifiable',
  ] as const)(
    'where a page of the site is %s, what stood on it is not fixed; what is elsewhere hides nothing',
    (verdict) => {
      expect(compareWithBaseline([checkedLink(B, verdict, { external: false })], of(A), false).fixed).toEqual([]);
      expect(compareWithBaseline([checkedLink(B, verdict, { external: true })], of(A), false).fixed).toEqual([A]);
    },
  );

  it.each(['too_long', 'robots', 'limit'] as const)('nor where it was not looked at (%s)', (unchecked) => {
    const unread = checkedLink(B, 'unchecked', { unchecked, external: false });
    expect(compareWithBaseline([unread], of(A), false).fixed).toEqual([]);
  });

  it('a page of a trap answers, so it is fixed; what stands on it may not be', () => {
    const trap = checkedLink(A, 'unchecked', { unchecked: 'trap', external: false });
    expect(compareWithBaseline([trap], of(A, B), false).fixed).toEqual([A]);
    const elsewhere = checkedLink(A, 'unchecked', { unchecked: 'robots', external: true });
    expect(compareWithBaseline([elsewhere], of(A, B), false).fixed).toEqual([B]);
  });

  it('a link that a rule leaves out now is fixed', () => {
    expect(compareWithBaseline([checkedLink(A, 'skipped')], of(A), false).fixed).toEqual([A]);
  });

  it('a fragment is a finding of its own, and so is the page', () => {
    const anchor = checkedLink(A, 'missing_fragment', { fragment: 'x', fails: true });
    expect(compareWithBaseline([anchor], of(A), false)).toMatchObject({ new: [{ fragment: 'x' }], fixed: [A] });
  });

  it('what does not fail is neither new nor known, and another verdict is still the same link', () => {
    const links = [checkedLink(A, 'timeout', { fails: true }), checkedLink(B, 'timeout')];
    const { new: added, known, fixed } = compareWithBaseline(links, of(A, B), false);
    expect([added, known.map(({ url }) => url), fixed]).toEqual([[], [A], [B]]);
  });
});

describe('an update', () => {
  it('keeps dates, adds what is new with today, drops what is fixed', () => {
    const before = of(A, B);
    const links = [checkedLink(C, 'dead'), checkedLink(A, 'dns', { fails: true })];
    const after = updateBaseline(before, compareWithBaseline(links, before, false), '2026-02-02');
    expect([...after.values()].map(({ url, verdict, firstSeen }) => [url, verdict, firstSeen])).toEqual([
      [A, 'dns', '2026-01-01'],
      [C, 'dead', '2026-02-02'],
    ]);
  });

  it('keeps what a run that was cut short did not see', () => {
    const before = of(A, B);
    const after = updateBaseline(before, compareWithBaseline([checkedLink(B, 'ok')], before, true), '2026-02-02');
    expect([...after.keys()]).toEqual([A]);
  });
});

describe('the file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gossamer-baseline-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is the same whatever the order of links, one line each, and is read back', () => {
    const text = baselineText(of(C, A, B));
    expect(text).toBe(baselineText(of(B, C, A)));
    expect(text.split('\n').slice(0, 4)).toEqual([
      '{',
      '  "version": 1,',
      '  "links": [',
      '    {"url":"https://a.test/","verdict":"dead","firstSeen":"2026-01-01"},',
    ]);
    expect(baselineText(parseBaseline(text, 'x'))).toBe(text);
    expect(baselineText(EMPTY)).toBe('{\n  "version": 1,\n  "links": []\n}\n');
  });

  it('takes its name when it is whole, and nothing is left beside it', () => {
    const file = join(folder, 'links.json');
    expect(readBaseline(file)).toBeNull();
    writeBaseline(file, of(A));
    expect(readBaseline(file)).toEqual(of(A));
    expect(readdirSync(folder)).toEqual(['links.json']);
  });

  it('holds no credentials and nothing that a terminal would act on', () => {
    const file = join(folder, 'links.json');
    writeBaseline(file, of('https://me:secret@a.test/\u202e', 'http:me:secret@b.test'));
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('\u202e');
    expect([...readBaseline(file)!.keys()]).toEqual(['http:b.test', 'https://a.test/\u202e']);
  });

  it.each([
    ['', 'line 1 is not JSON: it ends too early'],
    ['{\n  "version": 1,\n  oops', 'line 3 is not JSON: unexpected oops'],
    ['[]', 'it is not a baseline: there is no list of links'],
    ['{"links":[]}', 'its version is nothing; this program reads version 1'],
    ['{"version":2,"links":[]}', 'its version is 2; this program reads version 1'],
    ['{"version":1,"links":[{}]}', 'link 1 has no url'],
    ['{"version":1,"links":[7]}', 'link 1 is not an object'],
    [
      '{"version":1,"links":[{"url":"x","verdict":"odd","firstSeen":"2026-01-01"}]}',
      'link 1 has an unknown verdict: "odd"',
    ],
    [
      '{"version":1,"links":[{"url":"x","verdict":"dead","firstSeen":"now"}]}',
      'link 1 has a firstSeen that is no date such as 2026-01-31: "now"',
    ],
    ['{"version":1,"links":[{"url":"x","fragment":1,"verdict":"dead"}]}', 'link 1 has a fragment that is no text: 1'],
  ])('%j is damaged, and the message says where', (text, problem) => {
    const file = join(folder, 'links.json');
    writeFileSync(file, text);
    expect(() => readBaseline(file)).toThrow(expect.objectContaining({ message: `${file}: ${problem}`, exitCode: 3 }));
  });

  it.each([
    [Buffer.from('{\n  "version": 1,\n  "links": ["\xe9"]\n}', 'latin1'), 'line 3 is not UTF-8'],
    [Buffer.from('{\n"version": 1,\0 "links": []}'), 'line 2 holds a NUL character'],
    [Buffer.from('\ufeff{ "version": 1, "links": [] }', 'utf16le'), 'line 1 is UTF-16; the file must be UTF-8'],
  ])('%# with bytes that are no text is named with its line', (bytes, problem) => {
    const file = join(folder, 'links.json');
    writeFileSync(file, bytes);
    expect(() => readBaseline(file)).toThrow(expect.objectContaining({ message: `${file}: ${problem}`, exitCode: 3 }));
  });

  it('a folder in its place is said to be unreadable', () => {
    expect(() => readBaseline(folder)).toThrow(`cannot read the baseline ${folder} (EISDIR)`);
  });
});
