import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CASES, halfOf } from './check-cases/index.js';
import { PROGRAMS } from './check-cases/programs.js';
import { type Judged, judge, OUTCOMES } from './check-cases/score.js';
import { serveCases } from './check-cases/server.js';
import { say } from './compete.js';
import { markdownTable, table } from './figures.js';
import { DISK_FOLDER, RESULTS_FOLDER, temporaryFolder } from './folders.js';
import type { Scenario } from './scenario.js';

/** Planted links whose truth a standard tells: what each link checker says of them. */
export const cases: Scenario = {
  word: 'cases',
  sentence: `${CASES.length} planted links whose truth a standard tells, beside other link checkers`,
  run: async ({ only }) => {
    const site = await serveCases(CASES);
    const totals: string[][] = [];
    const groups = new Map<string, string[]>([...new Set(CASES.map(({ group }) => group))].map((group) => [group, []]));
    const present: string[] = [];
    try {
      for (const program of PROGRAMS.filter(({ name }) => only === null || only.includes(name))) {
        const version = await program.find();
        if (version === null) {
          say(`${program.name}: not installed; npm run bench -- --setup`);
          continue;
        }
        site.forget();
        // Some programs give up the rights of root, and must still read what is there.
        const scratch = openFolder(temporaryFolder(DISK_FOLDER));
        const folder = openFolder(join(scratch, 'folder'));
        const texts = site.writeFiles(folder);
        say(`${program.name} ${version}`);
        const startedAt = performance.now();
        const lines = await program.check({ start: `${site.main}/`, pages: site.pages, folder, texts, scratch });
        const seconds = (performance.now() - startedAt) / 1000;
        const judged = judge(CASES, lines, site);
        present.push(program.name);
        totals.push([
          program.name,
          version,
          ...OUTCOMES.map((outcome) => String(count(judged, outcome))),
          seconds.toFixed(0),
          program.note,
        ]);
        for (const [group, cells] of groups) {
          cells.push(
            String(
              count(
                judged.filter(({ of }) => of.group === group),
                'right',
              ),
            ),
          );
        }
        keep(program.name, judged);
      }
    } finally {
      await site.close();
    }
    const totalHead = ['', 'version', ...OUTCOMES, 's', 'note'];
    const groupHead = ['right, by group', 'cases', ...present];
    const groupRows = [...groups].map(([group, cells]) => [
      group,
      String(CASES.filter((of) => of.group === group).length),
      ...cells,
    ]);
    process.stdout.write(`\n${table(totalHead, totals)}\n${table(groupHead, groupRows)}`);
    mkdirSync(RESULTS_FOLDER, { recursive: true });
    writeFileSync(
      join(RESULTS_FOLDER, 'cases.md'),
      `${markdownTable(totalHead, totals)}\n${markdownTable(groupHead, groupRows)}`,
    );
  },
};

function openFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  return folder;
}

const count = (judged: readonly Judged[], outcome: Judged['outcome']): number =>
  judged.filter((each) => each.outcome === outcome).length;

/** Each case with what was said of it, for whoever wants to look. */
function keep(name: string, judged: readonly Judged[]): void {
  mkdirSync(RESULTS_FOLDER, { recursive: true });
  const rows = judged.map(({ of, said, outcome }) => [of.name, halfOf(of), of.truth, said, outcome, of.standard]);
  writeFileSync(
    join(RESULTS_FOLDER, `cases-${name}.md`),
    markdownTable(['case', 'half', 'truth', 'said', 'outcome', 'standard'], rows),
  );
}
