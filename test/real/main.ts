import { parseArgs } from 'node:util';
import { compare, type Difference, factsOfWalk, isSame } from './compare.js';
import { checkSite, crawlSite } from './crawl.js';
import { linkTruth } from './file-truth.js';
import { markdownFaults } from './markdown.js';
import { holds, SAMPLE, sampleSite, WANTED } from './preview.js';
import { type ServedSite, serveRealSites } from './serve.js';
import { REAL_SITES, WORK_FOLDER } from './sites.js';
import { cachedWalk } from './walk-cache.js';

const USAGE = `usage: npm run test:real -- [--fresh] [${REAL_SITES.map(({ name }) => name).join('|')} …]

Crawls the documentation of four Debian packages, served by nginx on loopback, and compares the pages and all edges with
those of an independent walker; then samples each with ten seeds and looks whether the number of pages lies in the range, checks the links of each, which must agree
with its files, and makes Markdown of its pages, which another parser reads again. --fresh walks again instead of taking the walk of an earlier run.
`;
const SHOWN_DIFFERENCES = 10;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { fresh: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
  });
  const unknown = positionals.filter((name) => !REAL_SITES.some((site) => site.name === name));
  if (values.help || unknown.length > 0) {
    process.stderr.write(unknown.length > 0 ? `no site ${unknown.join(', ')}\n${USAGE}` : USAGE);
    return values.help ? 0 : 2;
  }
  const server = await serveRealSites();
  let passed = 0;
  let failed = 0;
  try {
    for (const site of server.sites) {
      if (positionals.length > 0 && !positionals.includes(site.name)) {
        continue;
      }
      for (const same of await testSite(site, values.fresh)) {
        same ? passed++ : failed++;
      }
    }
  } finally {
    await server.close();
  }
  print(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** The pages, the edges, the range of a sample, the dead links, the missing fragments and the Markdown. */
async function testSite(site: ServedSite, fresh: boolean): Promise<boolean[]> {
  const { name, packageName, version } = site;
  print(`${name}: ${packageName} ${version} at ${site.url}`);
  try {
    const startedAt = performance.now();
    const wish = { ...site, version: `${packageName} ${version}`, folder: WORK_FOLDER, fresh };
    const expected = factsOfWalk(await cachedWalk(wish));
    print(`  walked ${expected.pages.size} pages in ${seconds(performance.now() - startedAt)}`);
    const crawl = await crawlSite(site);
    const { pages, edges } = compare(expected, crawl.facts);
    const rate = Math.round(pages.actual / (crawl.tookMs / 1000));
    print(`  crawled ${pages.actual} pages in ${seconds(crawl.tookMs)}, ${rate} pages/s`);
    print(`  ${row(['', 'expected', 'crawled', 'missing', 'extra', 'unlike', ''])}`);
    printDifference('pages', pages);
    printDifference('edges', edges);
    const preview = await testPreview(site, expected.pages.size);
    return [isSame(pages), isSame(edges), preview, ...(await testLinks(site)), testMarkdown(site)];
  } catch (error) {
    print(`  FAILED: ${error instanceof Error ? error.stack : error}`);
    return [false, false, false, false, false, false];
  }
}

async function testPreview({ url }: ServedSite, pages: number): Promise<boolean> {
  const samples = await sampleSite(url);
  const held = samples.filter((sample) => holds(sample, pages)).length;
  for (const { seed, low, estimate, high } of samples) {
    print(`    seed ${seed}: about ${estimate ?? '?'} pages, between ${low} and ${high ?? '?'}`);
  }
  print(
    `  ${pages} pages lie in the range of ${held} of ${samples.length} samples of ${SAMPLE}: ${held >= WANTED ? 'passed' : 'FAILED'}`,
  );
  return held >= WANTED;
}

async function testLinks(site: ServedSite): Promise<boolean[]> {
  const truth = linkTruth(site.root, site.url);
  const check = await checkSite(site);
  print(`  checked ${check.links} links in ${seconds(check.tookMs)}; other verdicts: ${JSON.stringify(check.others)}`);
  print(`  by the files: ${truth.pages} pages, ${truth.dead.size} dead links, ${truth.missing.size} missing fragments`);
  const comparisons = {
    dead: setDifference(truth.dead, check.dead),
    missing: setDifference(truth.missing, check.missing),
  };
  for (const [what, difference] of Object.entries(comparisons)) {
    printDifference(what, difference);
  }
  return Object.values(comparisons).map(isSame);
}

function setDifference(expected: Set<string>, actual: Set<string>): Difference {
  return {
    expected: expected.size,
    actual: actual.size,
    missing: [...expected].filter((each) => !actual.has(each)),
    extra: [...actual].filter((each) => !expected.has(each)),
    unlike: [],
  };
}

function testMarkdown({ root }: ServedSite): boolean {
  const { pages, faults } = markdownFaults(root);
  print(`  ${pages} pages as Markdown, ${faults.length} faults: ${faults.length === 0 ? 'passed' : 'FAILED'}`);
  for (const fault of faults.slice(0, SHOWN_DIFFERENCES)) {
    print(`    ${fault}`);
  }
  return faults.length === 0;
}

function printDifference(what: string, difference: Difference): void {
  const { expected, actual, missing, extra, unlike } = difference;
  const counts = [expected, actual, missing.length, extra.length, unlike.length].map(String);
  print(`  ${row([what, ...counts, isSame(difference) ? 'passed' : 'FAILED'])}`);
  for (const [label, lines] of Object.entries({ missing, extra, unlike })) {
    for (const line of lines.slice(0, SHOWN_DIFFERENCES)) {
      print(`    ${label}: ${line}`);
    }
    if (lines.length > SHOWN_DIFFERENCES) {
      print(`    ${label}: and ${lines.length - SHOWN_DIFFERENCES} more`);
    }
  }
}

const row = (cells: string[]): string =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(8) : cell.padStart(10))).join('');
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

process.exitCode = await main();
