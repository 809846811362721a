import { existsSync } from 'node:fs';
import type { ResolvedOptions } from '../config/resolve.js';
import type { CorpusReport } from '../corpus/corpus-options.js';
import { partialOf } from '../corpus/layout.js';
import { guessed, namedOrArchived } from '../crawl/archive-web.js';
import { crawlDirectoryIn, keptPagesIn, optionsForKept } from '../crawl/kept-pages.js';
import { seedFailure } from '../crawl/seed-failure.js';
import { badSeedLines, readSeeds } from '../crawl/seed-input.js';
import { type DocsPlan, DocsRun } from '../docs/docs-run.js';
import { isFinished, keptDocsIn, planDocs, planDocsOfKept, planKeptDocs, withOne } from '../docs/plan-docs.js';
import type { SavedCorpus } from '../docs/write-corpora.js';
import { resumeCommand } from '../store/directory.js';
import { withResumeAdvice } from './advice.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { CrawlView } from './crawl-view.js';
import { EXIT } from './exit.js';
import { type Outlets, withOutlets } from './outlets.js';
import { stopOnSignals } from './signals.js';
import { counted, formatBytes, formatCount, type Terminal } from './terminal.js';

/** gossamer docs */
export async function runDocs(input: CommandInput): Promise<number> {
  const crawl = crawlDirectoryIn(input.positionals);
  if (crawl !== null) {
    return docsOfKept(crawl, input);
  }
  const ready = prepare('docs', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { terminal } = ready;
  const resolved = withOne(ready.resolved);
  const { named, guess } = namedOrArchived(input.positionals, resolved.options);
  if (guess !== null) {
    terminal.line(guessed(guess));
  }
  const seeds = readSeeds(named, resolved.options, 'docs');
  for (const warning of badSeedLines(seeds.bad)) {
    terminal.warn(warning);
  }
  const planned = planDocs(seeds, resolved);
  if (planned.what === 'nothing') {
    terminal.line(`${planned.directory} is finished; nothing to do`);
    return EXIT.ok;
  }
  for (const notice of planned.notices) {
    terminal.line(notice);
  }
  return make(planned.plan, terminal);
}

/** A corpus of a crawl that kept its pages, without a network. */
async function docsOfKept(directory: string, input: CommandInput): Promise<number> {
  const kept = keptPagesIn(directory, 'a corpus');
  const ready = prepare('docs', input, undefined, kept.inherited);
  if (ready === null) {
    return EXIT.ok;
  }
  const { plan, cleanUp } = planDocsOfKept(kept, optionsForKept(ready.resolved));
  for (const notice of kept.notices) {
    ready.terminal.warn(notice);
  }
  try {
    return await make(plan, ready.terminal);
  } finally {
    cleanUp();
  }
}

/** Resumes a corpus that is kept. */
export async function resumeDocs(directory: string, input: CommandInput): Promise<number> {
  const kept = keptDocsIn(directory);
  const ready = prepare('docs', input, kept.stored);
  if (ready === null) {
    return EXIT.ok;
  }
  if (isFinished(kept)) {
    ready.terminal.line(`${directory} is finished; \`gossamer docs\` brings it up to date`);
    return EXIT.ok;
  }
  ready.terminal.line(`going on with ${directory}`);
  return make(planKeptDocs(kept, ready.resolved, ready.resolved.options.output), ready.terminal);
}

function make(plan: DocsPlan, terminal: Terminal): Promise<number> {
  const place = { directory: plan.directory, corpora: plan.progress.outputs };
  return withOutlets(plan.resolved.options, terminal, place, (outlets) => makeWith(plan, terminal, outlets));
}

async function makeWith(plan: DocsPlan, terminal: Terminal, outlets: Outlets): Promise<number> {
  const { options } = plan.resolved as ResolvedOptions<'docs'>;
  const view = new CrawlView(terminal, options);
  let isAnnounced = false;
  const run = new DocsRun({
    ...plan,
    events: outlets.beside(view.events),
    began: (session, begun) => {
      if (isAnnounced) {
        view.began(session, begun);
      } else {
        view.started(session, begun);
      }
      isAnnounced = true;
    },
  });
  const afterwards = goesOn(plan);
  const removeListeners = stopOnSignals({ run, graceMs: options.graceMs, terminal, afterwards });
  try {
    const { result, corpora, stopped } = await (plan.kept === undefined
      ? withResumeAdvice(plan.directory, () => run.run())
      : run.run());
    view.close();
    outlets.cameTo({ truncated: result.end.truncated, corpora });
    if (stopped !== null) {
      tellStopped(plan, corpora, terminal);
      return stopped === 'terminated' ? EXIT.terminated : EXIT.interrupted;
    }
    if (corpora.length === 0) {
      throw seedFailure(result.seeds, result.summary);
    }
    tell(corpora, result.end.truncated, terminal);
    tellNotKept(plan, result.summary.byClass.not_kept ?? 0, terminal);
    if (options.json) {
      writeJson({
        reason: result.end.reason,
        truncated: result.end.truncated,
        directory: plan.kept?.directory ?? plan.directory,
        corpora,
      });
    }
    return EXIT.ok;
  } finally {
    view.close();
    removeListeners();
  }
}

function tellStopped(plan: DocsPlan, corpora: readonly SavedCorpus[], terminal: Terminal): void {
  const left = corpora.filter(({ isFinished }) => !isFinished);
  if (left.length < corpora.length) {
    terminal.line(
      `${formatCount(corpora.length - left.length)} of ${formatCount(corpora.length)} corpora are finished`,
    );
  }
  for (const { output } of left) {
    if (existsSync(partialOf(output))) {
      terminal.line(`what is done stands in ${partialOf(output)}`);
    }
  }
  terminal.line(`stopped; ${goesOn(plan)}`);
}

const goesOn = ({ directory, kept }: DocsPlan): string =>
  kept === undefined ? `\`${resumeCommand(directory)}\` goes on` : 'the same command begins anew';

/** What a corpus of the site would have, and this one has not. */
function tellNotKept({ kept }: DocsPlan, pages: number, terminal: Terminal): void {
  if (kept !== undefined && pages > 0) {
    terminal.warn(
      `${counted(pages, 'page')} of the site ${pages === 1 ? 'is' : 'are'} missing: the crawl did not ask for ${pages === 1 ? 'it' : 'them'}`,
    );
  }
}

function tell(corpora: readonly SavedCorpus[], truncated: string | null, terminal: Terminal): void {
  const total = { pages: 0, bytes: 0, tokens: 0, failed: 0, low: 0, indexPages: 0 };
  for (const { output, seed, failed, report, hint, sitemapLacks, leftOut, images, pdfs } of corpora) {
    total.failed += failed;
    if (report === null) {
      terminal.warn(`no page of ${seed} could be fetched: ${output} stays as it was`);
      continue;
    }
    total.pages += report.pages;
    total.bytes += report.bytes;
    total.tokens += report.tokens;
    total.low += report.low;
    total.indexPages += report.indexPages;
    terminal.line(`${output}: ${changesOf(report)}`);
    if (hint !== null) {
      terminal.line(hint);
    }
    tellLeftOut(leftOut, terminal);
    if (images !== null && images.saved + images.left > 0) {
      const left = images.left === 0 ? '' : `, ${formatCount(images.left)} left as links to the site`;
      terminal.line(`${counted(images.saved, 'image')} in ${output}/images${left}`);
    }
    if (pdfs > 0) {
      terminal.line(`${counted(pdfs, 'PDF')} left out: \`gossamer md URL\` has the text of one`);
    }
    if (sitemapLacks !== null) {
      const { pages, named, unnamed } = sitemapLacks;
      terminal.line(
        `the sitemap of ${seed} is incomplete: ${counted(pages, 'page')} lead to ${formatCount(named)} that it names and ${formatCount(unnamed)} that it does not, so links were followed too (--seeding-strategy sitemap-only does not)`,
      );
    }
  }
  if (truncated !== null) {
    const flag = `--${truncated.replaceAll('_', '-')}`;
    terminal.line(`truncated by ${flag}: pages that were not got to are as they were`);
    terminal.line(`the same command with a higher ${flag} gets them`);
  }
  if (total.indexPages > 0) {
    const say = total.indexPages === 1 ? 'says' : 'say';
    terminal.line(
      `${counted(total.indexPages, 'page')} that only ${say} where things are kept apart: not in chunks, llms-full.txt and search (--index-pages)`,
    );
  }
  if (total.low > 0) {
    terminal.line(
      `${counted(total.low, 'page')} kept less than half of ${total.low === 1 ? 'its' : 'their'} text: list --low`,
    );
  }
  terminal.line(
    `Saved ${counted(total.pages, 'page')} (${formatBytes(total.bytes)}, ~${formatCount(total.tokens)} tokens), ${formatCount(total.failed)} failed`,
  );
}

/** What of a site --lang and --version-paths did not want. */
function tellLeftOut({ otherLanguages, versions }: SavedCorpus['leftOut'], terminal: Terminal): void {
  if (otherLanguages > 0) {
    terminal.line(`${counted(otherLanguages, 'page')} of other languages left out (--lang)`);
  }
  for (const { folder, kept, left } of versions) {
    const pages = left.reduce((sum, each) => sum + each.pages, 0);
    const others = left.slice(0, MOST_VERSIONS).map((each) => `${each.version} (${formatCount(each.pages)})`);
    const more = left.length > MOST_VERSIONS ? ` and ${formatCount(left.length - MOST_VERSIONS)} more` : '';
    const what = kept === '' ? 'the pages without a version are the newest' : `${kept} is the newest`;
    terminal.line(
      `${counted(pages, 'page')} of older versions left out of ${folder}: ${others.join(', ')}${more}; ${what} (--version-paths)`,
    );
  }
}

const MOST_VERSIONS = 10;

function changesOf({ changes, duplicates }: CorpusReport): string {
  const { added, changed, removed, unchanged, rewritten } = changes;
  // The text of these pages is unchanged; a page that they link to was added or removed.
  const relinked = rewritten === 0 ? '' : ` (${formatCount(rewritten)} with other links)`;
  const counts = { added, changed, removed, unchanged: unchanged + rewritten, duplicates };
  return Object.entries(counts)
    .map(([name, count]) => `${formatCount(count)} ${name}${name === 'unchanged' ? relinked : ''}`)
    .join(', ');
}
