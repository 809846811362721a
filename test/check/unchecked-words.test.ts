import { describe, expect, it } from 'vitest';
import { CHECK_FORMATS, lastLineOf } from '../../src/check/report/index.js';
import type { CheckedLink } from '../../src/check/report/result.js';
import { UNCHECKED_CAUSES, type UncheckedCause } from '../../src/check/report/unchecked.js';
import { linkOf, reportOf, textOf } from './fixture.js';

const fine = (count: number): CheckedLink[] =>
  Array.from({ length: count }, (_, n) => linkOf('ok', { url: `https://a.test/ok-${n}`, sources: [] }));
const unseen = (cause: UncheckedCause, count: number): CheckedLink[] =>
  Array.from({ length: count }, (_, n) =>
    linkOf('unchecked', { url: `https://a.test/${cause}-${n}`, unchecked: cause, status: null }),
  );
const WORDS = '4 not looked at: 1 too long, 3 robots.txt';
const some = () => reportOf([...fine(5), ...unseen('robots', 3), ...unseen('too_long', 1)]);

describe('what was not looked at', () => {
  it('is counted by cause in the closing line, which then never says that all is fine', () => {
    expect(lastLineOf(some())).toBe(`check: 5 links fine, ${WORDS} (2 m 10 s) → exit 0`);
    const broken = reportOf([...fine(1), linkOf('dead'), ...unseen('trap', 2_000)]);
    expect(lastLineOf(broken)).toBe(
      'check: 1 dead of 2,002 links, 2,000 not looked at: 2,000 page of a trap unread (2 m 10 s) → exit 1',
    );
    const all = reportOf(UNCHECKED_CAUSES.flatMap((cause) => unseen(cause, 1)));
    expect(lastLineOf(all)).toContain(
      `0 links fine, ${UNCHECKED_CAUSES.length} not looked at: 1 too long, 1 cut from pages that lead to too much, ` +
        '1 sitemap unread, 1 robots.txt, 1 robots.txt out of reach, 1 host put off, 1 blocked address, 1 cache missing, 1 not in the crawl, 1 on the net, 1 page of a trap unread, 1 beyond a limit, 1 stopped (',
    );
  });

  it('is not the same as what was not to be asked for; only links that were asked for are fine', () => {
    expect(lastLineOf(reportOf([...fine(2), linkOf('skipped')]))).toContain('check: 2 links, all fine (');
  });

  it('may be all that a run which was cut short has not even seen', () => {
    expect(lastLineOf(reportOf(fine(2), { truncated: 'max_urls' }))).toContain(
      'check: 2 links fine, cut short by max_urls (',
    );
  });

  it.each(CHECK_FORMATS)('is said in the format %s', (format) => {
    const text = textOf(format, some());
    expect(text).not.toMatch(/all fine/);
    const said = {
      terminal: WORDS,
      github: WORDS,
      html: `<h1>Nothing fails, 4 not looked at</h1>`,
      markdown: `## Link check: nothing fails, 4 not looked at\n\n5 links fine, ${WORDS}`,
      junit: `<property name="note" value="${WORDS}">`,
      sarif: `"message":{"text":"${WORDS}"}`,
      json: '"unchecked":{"robots":3,"too_long":1}',
      jsonl: '"unchecked":{"robots":3,"too_long":1}',
      csv: 'The old page,old,robots',
    }[format];
    expect(text).toContain(said);
  });

  it('is listed with its places where each has a cause of its own, and only counted where all have the same', () => {
    const report = reportOf([...fine(1), ...unseen('robots', 1), ...unseen('limit', 3), ...unseen('trap', 3)]);
    for (const format of ['terminal', 'github', 'markdown', 'sarif'] as const) {
      const text = textOf(format, report);
      expect(text, format).toContain('https://a.test/robots-0');
      expect(text, format).not.toContain('https://a.test/limit-0');
      expect(text, format).not.toContain('https://a.test/trap-0');
    }
    expect(textOf('junit', report).match(/<skipped /g)).toHaveLength(7);
  });
});
