import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { belongsTo } from '../../bench/check-cases/case.js';
import { CASES } from '../../bench/check-cases/index.js';
import { CHECK_OPTIONS, type CheckReport, linesOfCheck } from '../../bench/check-cases/programs.js';
import { type Judged, judge } from '../../bench/check-cases/score.js';
import { type Site, serveCases } from '../../bench/check-cases/server.js';
import { inProcess } from '../crawl/in-process.js';

/** The machine of a test may be busy, and an answer that is late is a link left open. */
const PATIENT = ['--timeout', '6s', '--robots-timeout', '6s'];

/** Links whose truth a standard tells, on one site, in one folder and in files of plain text: a run of `check` over each says the truth of all. */
describe('planted links', () => {
  let site: Site;
  let judged: ReadonlyMap<string, Judged>;
  let reports: CheckReport[] = [];
  const scratch = mkdtempSync(join(tmpdir(), 'gossamer-planted-'));

  beforeAll(async () => {
    site = await serveCases(CASES);
    const texts = site.writeFiles(join(scratch, 'folder'));
    const runs = await Promise.all(
      [[`${site.main}/`], [join(scratch, 'folder')], texts].map((inputs) =>
        inProcess(['check', ...inputs, ...CHECK_OPTIONS, ...PATIENT], { cwd: scratch }),
      ),
    );
    reports = runs.filter(({ stdout }) => stdout !== '').map(({ stdout }) => JSON.parse(stdout) as CheckReport);
    const lines = reports.flatMap((report) => linesOfCheck(report));
    judged = new Map(judge(CASES, lines, site).map((each) => [each.of.name, each]));
  });
  afterAll(async () => {
    await site.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('have names that no two share', () => {
    expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  });

  it.each(CASES.map((of) => [of.name, of.truth, of.standard] as const))('%s: %s (%s)', (name) => {
    const links = reports.flatMap((report) => report.links.filter(({ url }) => belongsTo(url, name)));
    expect(judged.get(name), JSON.stringify(links)).toMatchObject({ outcome: 'right' });
  });

  it.each(CASES.filter(({ never }) => never.length > 0).map((of) => [of.name, of] as const))(
    '%s: what is no link, or forbidden, is never asked for',
    (_, of) => {
      expect(of.never.filter((path) => site.asked(site.fill(path, of)))).toEqual([]);
    },
  );
});
