import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from '../src/content/tree-builder.js';
import { say } from './compete.js';
import type { Contestant } from './contestant.js';
import { markdownTable, table } from './figures.js';
import { RAM_FOLDER, RESULTS_FOLDER, removeFolder, temporaryFolder } from './folders.js';
import { lineUp } from './line-up.js';
import { crawlOf, durable, ownBuild } from './ours.js';
import { EXTRACTING_PEERS } from './peers/extracting.js';
import { race, type Standing } from './race.js';
import { realSites } from './real-sites.js';
import type { Scenario } from './scenario.js';
import { type SiteFolder, serve } from './serve.js';

/** Five selectors, by name, for each of the sites. */
type Selectors = Readonly<Record<string, string>>;

const JDK: Selectors = {
  title: 'h1',
  block: '.block',
  up: '.sub-title a',
  signature: '.member-signature',
  summary: '.summary-table .col-first',
};
const SHOP: Selectors = {
  name: 'h1',
  price: '.offer .price',
  stock: '#stock',
  brand: 'nav.crumbs a:last-child',
  first: 'table.facts tr:nth-child(2) td',
};
const EXTRACTING = 'gossamer-extract';
const SHOP_PAGES = 10_000;
const TREES = 400;
const HEADINGS = ['', 'pages', 'CPU µs/page', 'of plain + tree', 'CPU, ours = 1'];

/** What it costs to extract: CPU time of a whole crawl, beside the same crawl without, and beside peers that do the same. */
export const extract: Scenario = {
  word: 'extract',
  sentence:
    'five selectors on each page: beside the plain crawl and one tree of each page, and beside Crawlee and Scrapy',
  run: async (wishes) => {
    const { nginx, sites } = await realSites(say);
    const jdk = sites.find(({ name }) => name === 'jdk')!;
    const shop = temporaryFolder(RAM_FOLDER);
    writeShop(shop);
    const rounds = wishes.rounds ?? 3;
    let text = '';
    const measured = [
      { title: 'generated shop', site: { host: 'shop', root: shop, startPage: 'index.html' }, selectors: SHOP },
      { title: `${jdk.packageName} ${jdk.version}`, site: jdk, selectors: JDK },
    ];
    for (const { title, site, selectors } of measured) {
      const isGenerated = site.root === shop;
      // Peers take minutes for a large site.
      const peers = isGenerated ? EXTRACTING_PEERS(selectors) : [];
      const { contestants, absent } = await lineUp([durable, extracting(selectors)], peers, wishes);
      absent.forEach(({ name, reason }) => void say(`${name}: ${reason}`));
      const rows = await measure(nginx, site, contestants, rounds);
      process.stdout.write(`\n${title}\n${table(HEADINGS, rows)}`);
      text += `### ${title}\n\n${markdownTable(HEADINGS, rows)}\n`;
    }
    removeFolder(shop);
    mkdirSync(RESULTS_FOLDER, { recursive: true });
    writeFileSync(join(RESULTS_FOLDER, 'extract.md'), text);
  },
};

/** The usual crawl with five rules. */
function extracting(selectors: Selectors): Contestant {
  const plain = crawlOf(ownBuild);
  const rules = Object.entries(selectors).flatMap(([name, selector]) => ['--extract', `${name}=${selector}`]);
  return {
    ...plain,
    name: EXTRACTING,
    note: 'five selectors',
    commands: (job) => plain.commands(job).map((command) => ({ ...command, args: [...command.args, ...rules] })),
  };
}

async function measure(nginx: string, site: SiteFolder, contestants: Contestant[], rounds: number) {
  const field = await serve(nginx, [site]);
  try {
    const standings = await race(contestants, field, rounds, say);
    const trees = treeMicroseconds(site.root);
    const cpuNamed = (wanted: string): number => cpuOf(standings.find(({ contestant }) => contestant.name === wanted)!);
    const plain = cpuNamed(durable.name);
    const ours = cpuNamed(EXTRACTING);
    const row = (name: string, pages: number, cpu: number): string[] => [
      name,
      String(pages),
      cpu.toFixed(0),
      (cpu / (plain + trees)).toFixed(2),
      (cpu / ours).toFixed(2),
    ];
    return [
      ...standings
        .filter(({ laps }) => laps.length > 0)
        .map((each) => row(each.contestant.name, each.laps[0]!.pages, cpuOf(each))),
      row('one tree of each page', TREES, trees),
    ];
  } finally {
    await field.close();
  }
}

/** The least of all rounds: whatever else the machine does only adds to it. */
const cpuOf = ({ laps }: Standing): number =>
  Math.min(...laps.map(({ cpuMs, pages }) => ((cpuMs ?? Number.NaN) * 1000) / pages));

/** CPU time of decoding a page and building its tree, in this process, the least of five rounds. */
function treeMicroseconds(root: string): number {
  const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) => file.endsWith('.html'));
  const every = Math.max(1, Math.floor(files.length / TREES));
  const bodies = files
    .filter((_, i) => i % every === 0)
    .slice(0, TREES)
    .map((file) => readFileSync(join(root, file)));
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage();
    for (const body of bodies) {
      parseDocument(body.toString('utf8'));
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / bodies.length);
  }
  return least;
}

/** A word for each number: addresses that differ by a number alone would be a trap. */
const wordOf = (n: number): string =>
  [...(n % SHOP_PAGES).toString(16)].map((digit) => 'abcdefghiklmnopr'[Number.parseInt(digit, 16)]).join('');

/** Product pages of about 12 KB, each with links to fifty others. */
function writeShop(folder: string): void {
  const link = (n: number): string => `<a href="/${wordOf(n)}.html">Product ${n % SHOP_PAGES}</a>`;
  const links = (from: number, count: number): string =>
    Array.from({ length: count }, (_, i) => `<li class="other">${link(from + i * 61 + 1)} <span>new</span></li>`).join(
      '\n',
    );
  writeFileSync(join(folder, 'index.html'), page('Shop', `<ul>${links(0, 50)}${link(0)}</ul>`));
  for (let n = 0; n < SHOP_PAGES; n++) {
    const facts = Array.from(
      { length: 12 },
      (_, i) => `<tr class="fact"><th scope="row">Fact ${i}</th><td>${n * 13 + i} cm &amp; more</td></tr>`,
    ).join('\n');
    const body = `<nav class="crumbs"><a href="/">Home</a> <a href="/${wordOf(0)}.html">Brand ${n % 40}</a></nav>
<h1>Product <em>${n}</em></h1><div class="offer"><span class="price">${(n * 1.37).toFixed(2)} EUR</span> <b>sale</b></div>
<p id="stock">${n % 7} in stock</p><table class="facts">${facts}</table>
${`<p class="text">Lorem ipsum dolor sit amet, <b>consectetur</b> adipiscing elit, sed do <a href="/${wordOf(n + 7)}.html">eiusmod</a> tempor.</p>\n`.repeat(24)}
<ul class="others">${links(n, 50)}</ul>`;
    writeFileSync(join(folder, `${wordOf(n)}.html`), page(`Product ${n}`, body));
  }
}

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`;
