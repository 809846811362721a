import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASES } from '../../bench/check-cases/index.js';
import { CHECK_OPTIONS, type CheckReport, linesOfCheck } from '../../bench/check-cases/programs.js';
import { type Judged, judge } from '../../bench/check-cases/score.js';
import { type Site, serveCases } from '../../bench/check-cases/server.js';
import { inProcess } from '../crawl/in-process.js';

/** Links whose truth a standard tells, on one site, in one folder and in files of plain text: a run of `check` over each says the truth of all. */
describe('planted links', () => {
  let site: Site;
  let judged: ReadonlyMap<string, Judged>;
  const scratch = mkdtempSync(join(tmpdir(), 'gossamer-planted-'));

  beforeAll(async () => {
    site = await serveCases(CASES);
    const texts = site.writeFiles(join(scratch, 'folder'));
    const runs = await Promise.all(
      [[`${site.main}/`], [join(scratch, 'folder')], texts].map((inputs) =>
        inProcess(['check', ...inputs, ...CHECK_OPTIONS], { cwd: scratch }),
      ),
    );
    const reports = runs.map(({ stdout }) => stdout).filter((stdout) => stdout !== '');
    const lines = reports.flatMap((report) => linesOfCheck(JSON.parse(report) as CheckReport));
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
    expect(judged.get(name)).toMatchObject({ outcome: 'right' });
  });

  it.each(CASES.filter(({ never }) => never.length > 0).map((of) => [of.name, of] as const))(
    '%s: what is no link, or forbidden, is never asked for',
    (_, of) => {
      expect(of.never.filter((path) => site.asked(site.fill(path, of)))).toEqual([]);
    },
  );
});
