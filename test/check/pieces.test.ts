import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECK_FORMATS, CHECK_REPORTS, PLAIN_REPORT, writeCheckReport } from '../../src/check/report/index.js';
import type { CheckReport } from '../../src/check/report/result.js';
import { AtomicFiles } from '../../src/report/atomic-file.js';
import { exampleReport } from './example.js';
import { linkOf, reportOf, textOf } from './fixture.js';

/** So many links that are made when they are read, and kept by nobody. */
function manyLinks(count: number): CheckReport {
  const { summary, ...rest } = reportOf([]);
  return {
    ...rest,
    summary: { ...summary, links: count, failing: count },
    *links() {
      for (let number = 0; number < count; number++) {
        yield linkOf('dead', { url: `https://a.test/${number}` });
      }
    },
  };
}

describe('reports', () => {
  it.each(CHECK_FORMATS)('of twenty thousand links come in small pieces: %s', (format) => {
    let longest = 0;
    let pieces = 0;
    for (const piece of CHECK_REPORTS[format](manyLinks(20_000), PLAIN_REPORT)) {
      longest = Math.max(longest, piece.length);
      pieces++;
    }
    expect(longest).toBeLessThan(64 * 1024);
    expect(pieces).toBeGreaterThan(50);
  });

  it('are written into a file that takes its name at the end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gossamer-report-'));
    try {
      const files = new AtomicFiles(join(folder, 'report.json'));
      await writeCheckReport(exampleReport(), 'json', files.create());
      expect(readdirSync(folder)).not.toContain('report.json');
      files.commit();
      expect(readFileSync(join(folder, 'report.json'), 'utf8')).toBe(textOf('json', exampleReport()));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('wait for a slow reader', async () => {
    const report = manyLinks(5_000);
    let open = 0;
    let pieces = 0;
    let text = '';
    await writeCheckReport(report, 'jsonl', {
      async write(bytes) {
        open++;
        pieces++;
        expect(open).toBe(1);
        await Promise.resolve();
        text += Buffer.from(bytes).toString();
        open--;
      },
      close() {},
      place: () => '',
    });
    expect(pieces).toBeGreaterThan(5);
    expect(text).toBe(textOf('jsonl', report));
  });
});
