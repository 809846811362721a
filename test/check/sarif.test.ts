import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CheckReport, VERDICTS } from '../../src/check/report/result.js';
import { exampleReport } from './example.js';
import { everyVerdict, linkOf, reportOf, sourceOf, textOf } from './fixture.js';
import { hostileReport } from './hostile.js';
import { closed, errorsOf, type Schema } from './json-schema.js';

const text: Schema = { type: 'string', pattern: '.' };
const message: Schema = { type: 'object', required: ['text'], properties: { text } };
const level: Schema = { enum: ['none', 'note', 'warning', 'error'] };
const uri: Schema = { type: 'string', pattern: "^(?:[A-Za-z0-9\\-._~:/?#[\\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$" };
const from1: Schema = { type: 'integer', minimum: 1 };
const bag: Schema = { type: 'object' };

/** What SARIF 2.1.0 requires and allows, of the parts that are used. */
const SARIF = closed({
  type: 'object',
  required: ['version', 'runs'],
  properties: {
    version: { const: '2.1.0' },
    $schema: uri,
    runs: {
      type: 'array',
      items: {
        type: 'object',
        required: ['tool'],
        properties: {
          tool: {
            type: 'object',
            required: ['driver'],
            properties: {
              driver: {
                type: 'object',
                required: ['name'],
                properties: {
                  name: text,
                  version: text,
                  semanticVersion: text,
                  informationUri: uri,
                  rules: {
                    type: 'array',
                    items: {
                      type: 'object',
                      required: ['id'],
                      properties: {
                        id: text,
                        name: { type: 'string', pattern: '^[A-Z][A-Za-z0-9]*$' },
                        shortDescription: message,
                        fullDescription: message,
                        help: { type: 'object', required: ['text'], properties: { text, markdown: text } },
                        helpUri: uri,
                        defaultConfiguration: { type: 'object', properties: { level } },
                        properties: bag,
                      },
                    },
                  },
                },
              },
            },
          },
          columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
          results: {
            type: 'array',
            maxItems: 25_000,
            items: {
              type: 'object',
              required: ['message'],
              properties: {
                ruleId: { enum: VERDICTS },
                ruleIndex: { type: 'integer', minimum: 0, maximum: VERDICTS.length - 1 },
                level,
                message,
                locations: {
                  type: 'array',
                  items: {
                    type: 'object',
                    properties: {
                      physicalLocation: {
                        type: 'object',
                        required: ['artifactLocation'],
                        properties: {
                          artifactLocation: { type: 'object', required: ['uri'], properties: { uri } },
                          region: {
                            type: 'object',
                            required: ['startLine'],
                            properties: { startLine: from1, startColumn: from1 },
                          },
                        },
                      },
                    },
                  },
                },
                partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
                properties: bag,
              },
            },
          },
          invocations: {
            type: 'array',
            items: {
              type: 'object',
              required: ['executionSuccessful'],
              properties: {
                executionSuccessful: { type: 'boolean' },
                exitCode: { type: 'integer' },
                startTimeUtc: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' },
                toolExecutionNotifications: {
                  type: 'array',
                  items: { type: 'object', required: ['message'], properties: { level, message } },
                },
              },
            },
          },
        },
      },
    },
  },
});

interface Result {
  ruleId: string;
  ruleIndex: number;
  level: string;
  message: { text: string };
  locations?: { physicalLocation: { artifactLocation: { uri: string }; region?: object } }[];
  partialFingerprints: Record<string, string>;
}
interface Run {
  tool: { driver: { rules: { id: string; help: { text: string } }[] } };
  results: Result[];
  invocations: { toolExecutionNotifications: { message: { text: string } }[] }[];
}

const runOf = (report: CheckReport): Run => (JSON.parse(textOf('sarif', report)) as { runs: Run[] }).runs[0]!;

/** The schema of OASIS, as it is published. */
const STANDARD: Schema = JSON.parse(readFileSync(new URL('sarif-2.1.0.schema.json', import.meta.url), 'utf8'));

describe('the SARIF report', () => {
  it.each([
    ['one link of each verdict', everyVerdict()],
    ['an ordinary site', exampleReport()],
    ['hostile texts', hostileReport()],
    ['nothing', reportOf([])],
  ])('is valid by the published schema: %s', (_name, report) => {
    expect(errorsOf(JSON.parse(textOf('sarif', report)), STANDARD)).toEqual([]);
  });

  it('would not be valid with a level, a line or a key that there is none of', () => {
    const log = JSON.parse(textOf('sarif', exampleReport()));
    const [first] = log.runs[0].results;
    first.level = 'bad';
    first.verdict = 'dead';
    first.locations[0].physicalLocation.region = { startLine: 0 };
    expect(errorsOf(log, STANDARD)).toHaveLength(3);
  });

  it.each([
    ['one link of each verdict', everyVerdict()],
    ['an ordinary site', exampleReport()],
    ['hostile texts', hostileReport()],
    ['nothing', reportOf([])],
  ])('has the structure of SARIF 2.1.0: %s', (_name, report) => {
    expect(errorsOf(JSON.parse(textOf('sarif', report)), SARIF)).toEqual([]);
  });

  it('has a rule with help for each verdict, and results that name theirs', () => {
    const { tool, results } = runOf(everyVerdict());
    expect(tool.driver.rules.map(({ id }) => id)).toEqual([...VERDICTS]);
    for (const { ruleId, ruleIndex } of results) {
      expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId);
    }
  });

  it('has errors first, then warnings, then notes, and says nothing of what is fine', () => {
    const { results } = runOf(everyVerdict());
    expect(results.map(({ ruleId, level }) => `${level} ${ruleId}`)).toEqual([
      'error dead',
      'error missing_fragment',
      ...VERDICTS.slice(2, 19).map((verdict) => `warning ${verdict}`),
      'note moved',
      'note redirected',
    ]);
  });

  it('points to files as a checkout has them, and to pages by their URLs', () => {
    const sources = [
      sourceOf({ page: './docs/a b#1.md' }),
      sourceOf({ page: '/srv/docs/ü.md', line: null, column: null }),
      sourceOf({ page: 'D:/docs/a b.md', line: null, column: null }),
      sourceOf({ page: 'https://a.test/p?q=1', column: null }),
    ];
    const { results } = runOf(reportOf([linkOf('dead', { sources })]));
    expect(results.map(({ locations }) => locations![0]!.physicalLocation)).toEqual([
      { artifactLocation: { uri: 'docs/a%20b%231.md' }, region: { startLine: 12, startColumn: 5 } },
      { artifactLocation: { uri: 'file:///srv/docs/%C3%BC.md' } },
      { artifactLocation: { uri: 'file:///D:/docs/a%20b.md' } },
      { artifactLocation: { uri: 'https://a.test/p?q=1' }, region: { startLine: 12 } },
    ]);
  });

  it('knows a place again when its line or its text changes, and tells two places on one page apart', () => {
    const prints = (...sources: ReturnType<typeof sourceOf>[]) =>
      runOf(reportOf([linkOf('dead', { sources })])).results.map(
        ({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash,
      );
    const [first, second, other] = prints(
      sourceOf(),
      sourceOf({ line: 20, text: 'again' }),
      sourceOf({ page: 'https://a.test/other' }),
    );
    expect(prints(sourceOf({ line: 99, column: 1, text: 'changed' }), sourceOf({ line: 120 }))).toEqual([
      first,
      second,
    ]);
    expect(new Set([first, second, other]).size).toBe(3);
  });

  it('doubles braces and parts links in messages, as the standard asks', () => {
    const link = linkOf('dead', { sources: [sourceOf({ text: '{0} [click](http://evil.test/)' })] });
    const [result] = runOf(reportOf([link])).results;
    expect(result!.message.text).toContain('{{0}} [click] (http://evil.test/)');
  });

  it('holds no more results than GitHub takes, those that fail before the others, and says how many are missing', () => {
    const links = Array.from({ length: 26_000 }, (_, number) =>
      linkOf('timeout', { url: `https://a.test/${number}`, fails: number >= 25_500 }),
    );
    const { results, invocations } = runOf(reportOf(links));
    expect(results.length).toBe(25_000);
    expect(results.slice(0, 500).every(({ level }) => level === 'error')).toBe(true);
    expect(invocations[0]!.toolExecutionNotifications.map(({ message: { text: said } }) => said)).toEqual([
      '1,000 results are not in this file: it holds 25000 at most',
    ]);
  });
});
