import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { searchCorpus } from '../src/corpus/search.js';
import { installRealSites } from '../test/real/install.js';
import { say } from './compete.js';
import { table, whole } from './figures.js';
import { DISK_FOLDER, GOSSAMER_BIN, removeFolder, temporaryFolder } from './folders.js';
import { lastWords, runCommands } from './run.js';
import type { Scenario } from './scenario.js';
import { serve } from './serve.js';

interface Question {
  corpus: string;
  question: string;
  /** The page that answers it, or any of several. */
  page?: string;
  pages?: string[];
}

/** Where the packages of Debian put these manuals. */
const MANUALS: Readonly<Record<string, { root: string; startPage: string }>> = {
  python: { root: '/usr/share/doc/python3.11/html', startPage: 'index.html' },
  postgresql: { root: '/usr/share/doc/postgresql-doc-15/html', startPage: 'index.html' },
  git: { root: '/usr/share/doc/git-doc', startPage: 'index.html' },
};
/** The first two sets were tuned with; of the second pair the locked half never was. */
const FILES = [
  ['questions.json', 'open'],
  ['questions-locked.json', 'locked'],
  ['questions-2.json', 'open'],
  ['questions-2-locked.json', 'locked'],
] as const;
const FOLDER = join(fileURLToPath(new URL('.', import.meta.url)), '..', '..', 'bench', 'search');
const HEADINGS = ['', 'questions', 'top 1 %', 'top 3 %', 'ms'];

/** How often a search names the right page first, and among the first three. The ranking was tuned with all but the last locked ones. */
export const search: Scenario = {
  word: 'search',
  sentence: 'eighty questions to three manuals: how often the right page is found first',
  run: async () => {
    const { nginx } = await installRealSites(say);
    const folder = temporaryFolder(DISK_FOLDER);
    const made = new Set<string>();
    for (const [name, { root, startPage }] of Object.entries(MANUALS)) {
      const field = await serve(nginx, [{ host: `${name}.test`, root, startPage }]);
      const where = ['--data-dir', join(folder, `${name}-data`), '--output', join(folder, name)];
      const command = { file: process.execPath, args: [GOSSAMER_BIN, 'docs', field.starts[0]!, ...where, '--quiet'] };
      const { exitCode } = await runCommands([command], join(folder, `${name}-run`));
      await field.close();
      if (exitCode === 0) {
        made.add(name);
      } else {
        say(`${name} is left out: ${lastWords(join(folder, `${name}-run`))}`);
      }
    }
    const rows = FILES.map(([file, half]) => {
      const all = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))[half] as Question[];
      return [
        file.replace('.json', ''),
        ...asked(
          folder,
          all.filter(({ corpus }) => made.has(corpus)),
        ),
      ];
    });
    process.stdout.write(`\n${table(HEADINGS, rows)}`);
    removeFolder(folder);
  },
};

function asked(folder: string, questions: readonly Question[]): string[] {
  const begun = performance.now();
  const places = questions.map(({ corpus, question, page, pages = [page!] }) => {
    const place = searchCorpus(join(folder, corpus), question, { limit: 3 }).findIndex(({ path }) =>
      pages.includes(path),
    );
    if (place !== 0) {
      say(`${corpus}: "${question}" ${place < 0 ? 'does not name' : `names as number ${place + 1}`} ${pages[0]}`);
    }
    return place;
  });
  const ms = (performance.now() - begun) / questions.length;
  const share = (right: number) => whole((right / questions.length) * 100);
  const first = places.filter((place) => place === 0).length;
  const named = places.filter((place) => place >= 0).length;
  return [whole(questions.length), share(first), share(named), whole(ms)];
}
