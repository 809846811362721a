import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHECK_SCHEMA } from '../../src/check/report/json.js';
import { type CheckReport, VERDICTS } from '../../src/check/report/result.js';
import { exampleReport } from './example.js';
import { everyVerdict, linkOf, reportOf, textOf } from './fixture.js';
import { hostileReport } from './hostile.js';
import { closed, errorsOf, type Schema } from './json-schema.js';

const SCHEMA = JSON.parse(
  readFileSync(new URL('../../docs/schemas/check-1.json', import.meta.url), 'utf8'),
) as Schema & { $id: string };
const STRICT = closed(SCHEMA);

/** As JSON gives it back. */
const plainOf = ({ startedAt, seeds, summary, links }: CheckReport) =>
  JSON.parse(JSON.stringify({ schema: CHECK_SCHEMA, startedAt, seeds, summary, links: [...links()] })) as object;

const REPORTS = {
  'one link of each verdict': everyVerdict(),
  'an ordinary site': exampleReport(),
  'hostile texts': hostileReport(),
  'nothing at all': reportOf([]),
  'a baseline': reportOf([linkOf('dead', { firstSeen: '2024-01-02' })], {
    baseline: { new: 1, fixed: ['https://a.test/x'], known: 2 },
  }),
};

describe('docs/schemas/check-1.json', () => {
  it.each(Object.entries(REPORTS))('describes every key of a report of %s', (_name, report) => {
    expect(errorsOf(JSON.parse(textOf('json', report)), STRICT)).toEqual([]);
  });

  it('has the verdicts in the order of reports, and the name that reports carry', () => {
    expect(SCHEMA.$defs!.verdict!.enum).toEqual(VERDICTS);
    expect(SCHEMA.$id).toBe(CHECK_SCHEMA);
  });

  it('is able to refuse', () => {
    const report = JSON.parse(textOf('json', everyVerdict())) as { links: Record<string, unknown>[] };
    report.links[0]!.verdict = 'broken';
    report.links[1]!.status = '404';
    report.links[2]!.more = 1;
    delete report.links[3]!.sources;
    expect(errorsOf(report, STRICT)).toEqual([
      expect.stringMatching(/^\/links\/0\/verdict: broken is none of/),
      '/links/1/status: is string, not integer,null',
      '/links/2: has more',
      '/links/3: has no sources',
    ]);
  });
});

describe('json and jsonl', () => {
  it.each(Object.entries(REPORTS))('give back exactly what was found: %s', (_name, report) => {
    const json = textOf('json', report);
    expect(JSON.parse(json)).toEqual(plainOf(report));
    const [head, ...links] = textOf('jsonl', report)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect({ ...head, links }).toEqual(plainOf(report));
  });

  it('hold nothing that could act on a terminal', () => {
    for (const format of ['json', 'jsonl'] as const) {
      expect(textOf(format, hostileReport())).not.toMatch(
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/,
      );
    }
  });
});
