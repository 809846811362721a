import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { csvAudit, jsonAudit } from '../../src/audit/report/data.js';
import { htmlAudit } from '../../src/audit/report/html.js';
import { markdownAudit } from '../../src/audit/report/markdown.js';
import type { AuditFinding, AuditPlace, AuditReport } from '../../src/audit/report/result.js';
import { AUDIT_RULES } from '../../src/audit/report/rules.js';
import { sarifAudit } from '../../src/audit/report/sarif.js';
import { terminalAudit } from '../../src/audit/report/terminal.js';
import { errorsOf, type Schema } from '../check/json-schema.js';

/** The schema of OASIS, as it is published. */
const STANDARD: Schema = JSON.parse(readFileSync(new URL('../check/sarif-2.1.0.schema.json', import.meta.url), 'utf8'));
const HOSTILE = '</script><img src=x onerror=alert(1)>\u001b[2J ##[error] `](javascript:1) {0} =1+1\u202e';

const placeOf = (some: Partial<AuditPlace> = {}): AuditPlace => ({
  url: 'https://a.test/',
  target: null,
  detail: null,
  text: null,
  times: 1,
  ...some,
});

function reportOf(places: AuditPlace[], some: Partial<AuditReport> = {}): AuditReport {
  const { id, title, why, advice, severity } = AUDIT_RULES[0];
  const finding: AuditFinding = {
    rule: id,
    title,
    why,
    advice,
    severity,
    fails: true,
    count: places.length,
    counted: `${places.length} links`,
  };
  return {
    summary: {
      directory: '/data',
      seeds: ['https://a.test/'],
      pages: 7,
      indexable: 5,
      rules: { checked: 40, found: 1, unanswered: 1 },
      places: { error: places.length, warning: 0, notice: 0 },
      failing: 1,
      remarks: ['A remark.'],
    },
    findings: places.length === 0 ? [] : [finding],
    gaps: [{ rule: 'orphan', title: 'Pages that no page links to', isWhole: true, reason: 'no sitemap was read' }],
    passed: [AUDIT_RULES[5]],
    places: (_rule, from = 0, most = places.length) => places.slice(from, from + most),
    sorted: () => places,
    close: () => {},
    ...some,
  };
}

const PLAIN = { paint: (_: string, text: string) => text };
const text = (pieces: Iterable<string>): string => [...pieces].join('');

describe('reports of an audit', () => {
  const hostile = placeOf({
    url: `https://a.test/${HOSTILE}`,
    target: HOSTILE,
    detail: HOSTILE,
    text: HOSTILE,
    times: 3,
  });

  it('show the first places in a terminal, and what could not be answered', () => {
    const many = Array.from({ length: 5 }, (_, i) => placeOf({ url: `https://a.test/${i}` }));
    const short = text(terminalAudit(reportOf(many), PLAIN));
    expect(short).toContain('Links that lead nowhere: 5 links (fails) broken_link');
    expect(short).toContain('https://a.test/2\n');
    expect(short).not.toContain('https://a.test/3');
    expect(short).toContain('and 2 more');
    expect(short).toContain('not answered: Pages that no page links to (no sitemap was read) orphan');
    expect(short).toContain('nothing found by 1 rule: title_missing');
    expect(short.trimEnd().split('\n').at(-1)).toBe(
      '5 errors, 0 warnings and 0 notices on 7 pages; 1 rule not answered',
    );
  });

  it('let no text of a page be more than text', () => {
    const report = reportOf([hostile]);
    expect(text(terminalAudit(report, PLAIN))).not.toMatch(/\u001b|##\[/);
    const html = text(htmlAudit(report));
    expect(html.split('</script>').length).toBe(4);
    expect(html).not.toContain('<img');
    const markdown = text(markdownAudit(report));
    expect(markdown).not.toMatch(/\u001b|<img src=x[^`]*$/m);
    const [, row] = text(csvAudit(report)).split('\r\n');
    expect(row).not.toMatch(/\u001b|\u202e/);
    const message = JSON.parse(text(sarifAudit(report))).runs[0].results[0].message.text;
    expect(message).toContain('{{0}}');
    expect(message).not.toContain('](');
  });

  it('hold everything in JSON and CSV', () => {
    const places = [placeOf({ target: 'https://a.test/gone', detail: '404', text: 'there', times: 2 }), placeOf()];
    const { summary, findings, unanswered, passed } = JSON.parse(text(jsonAudit(reportOf(places))));
    expect(summary.pages).toBe(7);
    expect(findings).toEqual([{ finding: expect.objectContaining({ rule: 'broken_link', count: 2 }), places }]);
    expect([unanswered[0].rule, passed]).toEqual(['orphan', ['title_missing']]);
    expect(text(csvAudit(reportOf(places))).split('\r\n')).toEqual([
      'rule,severity,title,url,target,detail,text,times',
      'broken_link,error,Links that lead nowhere,https://a.test/,https://a.test/gone,404,there,2',
      'broken_link,error,Links that lead nowhere,https://a.test/,,,,1',
      '',
    ]);
    expect(JSON.parse(text(jsonAudit(reportOf([])))).findings).toEqual([]);
  });

  it('are valid SARIF, with no more results than GitHub takes, and a note of the rest', () => {
    const many = Array.from({ length: 25_100 }, (_, i) => placeOf({ url: `https://a.test/${i}` }));
    const sarif = JSON.parse(text(sarifAudit(reportOf(many))));
    const [run] = sarif.runs;
    expect(run.results).toHaveLength(25_000);
    const notes = run.invocations[0].toolExecutionNotifications.map(
      (note: { message: { text: string } }) => note.message.text,
    );
    expect(notes).toEqual([
      'A remark.',
      'orphan is not answered: no sitemap was read',
      '100 results are not in this file: it holds 25000 at most',
    ]);
    const small = JSON.parse(text(sarifAudit(reportOf([hostile]))));
    expect(errorsOf(small, STANDARD)).toEqual([]);
  });

  it('end in Markdown where a comment would be full', () => {
    const long = placeOf({ url: `https://a.test/${'x'.repeat(400)}`, detail: 'y'.repeat(500) });
    const report = reportOf(Array.from({ length: 12 }, () => long));
    const findings = Array.from({ length: 12 }, () => report.findings[0]!);
    const markdown = text(markdownAudit({ ...report, findings }));
    expect(markdown.length).toBeLessThan(65_536);
    expect(markdown).toMatch(/The places of \d+ more findings do not fit in here/);
    expect(markdown).toContain('- and 2 more');
  });

  it('hold no more in HTML than a browser shows quickly', () => {
    const many = Array.from({ length: 1_500 }, (_, i) => placeOf({ url: `https://a.test/${i}` }));
    const html = text(htmlAudit(reportOf(many)));
    expect(html).toContain('https://a.test/999"');
    expect(html).not.toContain('https://a.test/1000"');
    expect(html).toContain('"count":1500');
  });

  it('hold places of every finding in HTML, the last ones too where many rules have found very much', () => {
    const many = Array.from({ length: 1_500 }, (_, i) => placeOf({ url: `https://a.test/${i}` }));
    const report = reportOf(many);
    const findings = AUDIT_RULES.map(({ id }) => ({ ...report.findings[0]!, rule: id }));
    const html = text(htmlAudit({ ...report, findings }));
    const data: { places: AuditPlace[] }[] = JSON.parse(/id="findings">([^<]*)</.exec(html)![1]!);
    expect(data.map(({ places }) => places.length > 700)).toEqual(findings.map(() => true));
    expect(data.reduce((sum, { places }) => sum + places.length, 0)).toBeLessThanOrEqual(30_000);
  });
});
