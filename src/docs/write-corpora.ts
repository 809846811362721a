import { availableParallelism } from 'node:os';
import { Breaks, Stopped } from '../base/breaks.js';
import { StateError } from '../base/errors.js';
import { formatCount } from '../base/figures.js';
import { printable } from '../base/text.js';
import type { OptionsOf } from '../config/options.js';
import type { CorpusOptions, CorpusReport } from '../corpus/corpus-options.js';
import type { CorpusImage } from '../corpus/images.js';
import { isCorpus } from '../corpus/index-file.js';
import { readReport } from '../corpus/read-corpus.js';
import { filesHash, renewCorpus } from '../corpus/renew-corpus.js';
import { HOW_TO_COUNT, loadTokenCounter } from '../corpus/tokens.js';
import { writeCorpus, writePartial } from '../corpus/write-corpus.js';
import { DocsReader } from '../store/docs-reader.js';
import type { NamedPlaces } from '../store/docs-tables.js';
import { PageMemory } from '../store/page-memory.js';
import { edgeFollowed } from '../store/page-row.js';
import type { SeedRow } from '../store/transaction.js';
import { barePathOf, originOf } from '../url/host.js';
import type { IdentityOptions } from '../url/identity.js';
import { siteOf } from '../url/scope.js';
import type { Task } from './convert/conversion.js';
import { linkPlaces } from './convert/link-places.js';
import { shapeOptions } from './convert/page-shape.js';
import { DownloadedImages } from './corpus-images.js';
import { Documents, type SiteKey } from './documents.js';
import type { SitemapGap } from './incomplete-sitemaps.js';
import { linkEnds, otherSlash } from './link-ends.js';
import { choosePages, type LeftOut } from './page-choice.js';
import { PageOrder } from './page-order.js';
import type { WrittenCorpora } from './progress.js';
import { routesHint } from './routes-hint.js';
import { SitemapPages } from './sitemap-pages.js';

export interface CorporaOptions {
  directory: string;
  options: OptionsOf<'docs'>;
  /** One folder a seed. */
  outputs: readonly string[];
  /** False if a limit cut the crawl: pages that it did not get to stay as they are. */
  isComplete: boolean;
  /** Whether the crawl was stopped: then its pages go to DIR.partial, and no corpus is finished. */
  isPartial: boolean;
  /** Seeds whose sitemaps lack so much that links were followed; none unless given. */
  incomplete?: readonly SitemapGap[];
  /** The corpora that an earlier, stopped run has finished; null if there are none. */
  written: WrittenCorpora | null;
  /** ISO 8601. */
  now: string;
  /** Whether the rest is left to another run. Asked between pages and between sites. */
  isStopped(): boolean;
  /** Whether the time that a stopped run has for writing is over. */
  isTimeUp(): boolean;
  /** Called from time to time, and at the end, with the corpora that are finished. */
  onWritten(written: WrittenCorpora): Promise<void>;
  notice(text: string): void;
  /** Told of each page, with how many there are in all. */
  converted?(pages: number, of: number): void;
}

/** A corpus that a run wrote. */
export interface SavedCorpus {
  /** The site that it is made of. */
  seed: string;
  /** The folder of the corpus. */
  output: string;
  /** Pages that failed, were put off or could not be converted; 0 where an earlier run wrote it. */
  failed: number;
  /** False if the run was stopped before it was done. */
  isFinished: boolean;
  /** Null if the run was stopped, or where one of several sites gave nothing to write. */
  report: CorpusReport | null;
  /** What a wider scope would give, where this one gives next to nothing, or that its pages are routes behind `#`. */
  hint: string | null;
  /** What its sitemaps lack, where links were followed for that; else null. */
  sitemapLacks: SitemapLack | null;
  /** What --lang and --version-paths left out. */
  leftOut: LeftOut;
  /** With --images download, the images of its pages; else null. */
  images: SavedImages | null;
  /** Files in scope that are PDF: none is in a corpus. */
  pdfs: number;
}

/** The images that the pages of a corpus show. */
export interface SavedImages {
  /** In the folder `images`, by their URLs. */
  saved: number;
  /** Left as links to the site: they could not be had, or are of a kind that is not saved, such as SVG. */
  left: number;
}

/** Pages in scope that a sample of the pages in a sitemap leads to. */
export interface SitemapLack {
  /** So many pages were looked at. */
  pages: number;
  /** So many of the pages that they lead to are in a sitemap. */
  named: number;
  /** So many are not. */
  unnamed: number;
}

/** While the files of one corpus are flushed to disk, pages of others are converted. */
const SITES_AT_ONCE = 4;
/** How many corpora may have to be written again after a kill. */
const MOST_UNREPORTED = 32;
/** A stopped run writes at least this many of its pages to DIR.partial, however little time is left. */
const FEWEST_PARTIAL = 50;

/** The pages of a crawl as Markdown, one corpus a seed. Seeds that a stop leaves for another run are not finished. */
export async function writeCorpora(settings: CorporaOptions): Promise<SavedCorpus[]> {
  const store = DocsReader.open(settings.directory);
  const seeds = store.seeds();
  const sites = settings.options.one ? [seeds] : seeds.map((seed) => [seed]);
  try {
    const corpora = await Corpora.open(store, settings);
    return await corpora.write(sites);
  } catch (error) {
    if (error instanceof Stopped) {
      return sites.map(([seed], place) => unfinished(seed!, settings.outputs[place]!, settings.incomplete ?? []));
    }
    throw error;
  } finally {
    store.close();
  }
}

const unfinished = ({ url, seed }: SeedRow, output: string, incomplete: readonly SitemapGap[]): SavedCorpus => ({
  ...{ seed: url, output, failed: 0, isFinished: false, report: null, hint: null },
  sitemapLacks: lackOf(incomplete.find((gap) => gap.seed === seed)),
  leftOut: { otherLanguages: 0, versions: [] },
  images: null,
  pdfs: 0,
});

const lackOf = (gap: SitemapGap | undefined): SitemapLack | null =>
  gap === undefined ? null : { pages: gap.pages, named: gap.named, unnamed: gap.unnamed };

interface Parts {
  order: PageOrder;
  ends: (url: string) => string;
  hints: ScopeHints;
  tokens: Awaited<ReturnType<typeof loadTokenCounter>>;
  documents: Documents;
  memory: PageMemory | null;
  images: DownloadedImages | null;
  /** What decides what a corpus is beside its pages. */
  settings: string;
}

/** The corpora of one run. What can be made once is made once for all of them. */
class Corpora {
  readonly #store: DocsReader;
  readonly #settings: CorporaOptions;
  readonly #parts: Parts;
  readonly #asOf: string;
  readonly #saved: SavedCorpus[] = [];
  /** How many pages were begun for DIR.partial, by task. */
  readonly #begun: Record<Task, number> = { learn: 0, convert: 0 };
  /** The first seed whose corpus is not finished: a later run goes on from there. */
  #done = 0;
  #reported = 0;
  #reporting: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | null = null;
  #pages = 0;
  #converted = 0;
  /** Whether a corpus was left as it was, so that not each of its pages was looked at. */
  #hasRenewed = false;

  private constructor(store: DocsReader, settings: CorporaOptions, parts: Parts) {
    this.#store = store;
    this.#settings = settings;
    this.#parts = parts;
    this.#asOf = asOf(store, settings);
  }

  /** Throws `Stopped`. */
  static async open(store: DocsReader, settings: CorporaOptions): Promise<Corpora> {
    const { options, directory } = settings;
    const breaks = new Breaks(settings.isPartial ? settings.isTimeUp : settings.isStopped);
    const order = await PageOrder.of(store, options, breaks);
    const redirects = store.redirectChains(options.maxRedirects);
    const ends = await linkEnds(store, redirects, options, breaks);
    const tokens = await loadTokenCounter();
    if (tokens.isEstimate) {
      settings.notice(HOW_TO_COUNT);
    }
    const memory = PageMemory.open(directory);
    const documents = new Documents(store, {
      ...{ directory, chunkTokens: options.chunkTokens, tokens, pages: order.pages, linkEnd: ends },
      redirects,
      shape: shapeOptions(options),
      ...(memory === null ? {} : { memory }),
      threads: options.parseWorkers ?? Math.max(1, availableParallelism() - 1),
      onProblem: (url, sentence) => settings.notice(printable(`${url}: ${sentence}`, 300)),
    });
    const hints = new ScopeHints(store, options, breaks);
    const { ignoreRobots, stripQuery, stripTracking, sortQuery, maxRedirects } = options;
    const decides = { ...corpusSettings(options), ignoreRobots, stripQuery, stripTracking, sortQuery, maxRedirects };
    const images = options.images === 'download' ? new DownloadedImages(store, options) : null;
    const all = JSON.stringify({
      ...decides,
      imagesHash: images?.hash ?? null,
      isEstimate: tokens.isEstimate,
      redirects: store.redirectsHash(),
    });
    return new Corpora(store, settings, { order, ends, hints, tokens, documents, memory, images, settings: all });
  }

  /** @param sites the seeds that each corpus is made of */
  async write(sites: readonly (readonly SeedRow[])[]): Promise<SavedCorpus[]> {
    const { documents, memory } = this.#parts;
    const from = this.#settings.written?.asOf === this.#asOf ? this.#settings.written.seeds : 0;
    const pages = this.#store.countReadable(sites.slice(from).flatMap((seeds) => seeds.map(({ seed }) => seed)));
    this.#pages = pages;
    this.#settings.converted?.(0, pages);
    const which = pages === 1 ? '1 page becomes' : `${formatCount(pages)} pages become`;
    this.#settings.notice(`${which} Markdown`);
    const waiting = sites.entries();
    try {
      await Promise.all(
        Array.from({ length: Math.min(SITES_AT_ONCE, sites.length) }, () => this.#writeSome(waiting, from)),
      );
      if (this.#done < sites.length) {
        this.#report();
      } else if (from === 0 && !this.#hasRenewed) {
        memory?.forgetOthers();
      }
      await this.#reporting;
      if (this.#failure !== null) {
        throw this.#failure.error;
      }
      return this.#saved;
    } finally {
      await documents.close();
      memory?.close();
    }
  }

  async #writeSome(waiting: Iterator<[number, readonly SeedRow[]]>, from: number): Promise<void> {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      const [place, seeds] = next.value;
      const seed = seeds[0]!;
      const output = this.#settings.outputs[place]!;
      if (this.#isOver('convert')) {
        this.#saved[place] = unfinished(seed, output, this.#settings.incomplete ?? []);
        continue;
      }
      try {
        const isDone = place < from && isCorpus(output);
        this.#saved[place] = isDone ? await this.#kept(seed, output) : await this.#writeOne(seeds, output);
        this.#advance();
      } catch (error) {
        this.#failure ??= { error };
      }
    }
  }

  /** A corpus that a stopped run has already written from the same pages. */
  async #kept(seed: SeedRow, output: string): Promise<SavedCorpus> {
    const report = await readReport(output);
    return { ...unfinished(seed, output, this.#settings.incomplete ?? []), isFinished: true, report };
  }

  async #writeOne(seeds: readonly SeedRow[], output: string): Promise<SavedCorpus> {
    const seed = seeds[0]!;
    const { options, isPartial, isComplete, now } = this.#settings;
    const { order, ends, hints, tokens, documents, memory, images } = this.#parts;
    const all = seeds.flatMap((each) => order.ofSeed(each.seed));
    const saved = unfinished(seed, output, this.#settings.incomplete ?? []);
    const { ids, leftOut } = await choosePages(this.#store, all, options, this.#breaksOfSite());
    saved.leftOut = leftOut;
    saved.pdfs = this.#store.countPdfs(seeds.map((each) => each.seed));
    const counts = { saved: 0, left: 0 };
    const corpus: CorpusOptions = {
      ...{ title: titleOf(this.#store, ids, seed), summary: null, source: seed.url, origin: originOf(seed.url) },
      ...{ chunkTokens: options.chunkTokens, tokens, linksOf: linkPlaces, isComplete, now },
      ...(images === null ? {} : { imageAt: (url) => counted(images.at(url), counts) }),
      indexPages: options.indexPages,
      ignoredRobots: options.ignoreRobots,
      linkEnds: (url) => [ends(url), otherSlash(ends(url))],
      breaks: this.#breaksOfSite(),
    };
    const inputs = (known: Parameters<Documents['inOrder']>[1]) =>
      this.#counted(
        documents.inOrder(ids, known, { isOver: (task) => this.#isOver(task, 1), onFailed: () => saved.failed++ }),
      );
    if (isPartial) {
      await writePartial(output, inputs, corpus);
      return saved;
    }
    try {
      const key = this.#keyOf(ids, corpus);
      const renewed = key === null ? null : await this.#renewed(output, key, corpus);
      const report = renewed ?? (await writeCorpus(output, inputs, corpus));
      if (renewed !== null) {
        this.#hasRenewed = true;
        saved.failed = key!.failed;
        this.#tellConverted(ids.length);
      }
      if (key !== null && saved.failed === key.failed) {
        memory?.seal(output, { key: key.key, files: await filesHash(output) });
      }
      saved.images = images === null || renewed !== null ? null : counts;
      const routes = report.pages < FEW_PAGES ? routesHint(this.#store, ids) : null;
      const isNarrow = report.pages < FEW_PAGES && seeds.length === 1 && routes === null;
      const hint = isNarrow ? await hints.of(seed, ids).catch(nullIfStopped) : routes;
      return { ...saved, isFinished: true, report, hint };
    } catch (error) {
      if (error instanceof Stopped) {
        return saved;
      }
      const isEmpty = error instanceof StateError && error.code === 'empty_corpus';
      // Where there are several sites, one without pages is no error.
      if (isEmpty && this.#settings.outputs.length > 1) {
        return { ...saved, isFinished: true };
      }
      throw error;
    }
  }

  #breaksOfSite(): Breaks {
    return new Breaks(() => this.#failure !== null || (!this.#settings.isPartial && this.#settings.isStopped()));
  }

  /** Stands for all that the corpus is made of; null if that cannot be said. */
  #keyOf(ids: readonly number[], { title, source, origin }: CorpusOptions): SiteKey | null {
    const { documents, memory, settings } = this.#parts;
    const site = memory === null || !this.#settings.isComplete ? null : documents.keyOf(ids);
    return site && { ...site, key: JSON.stringify([settings, title, source, origin, site.key]) };
  }

  /** A corpus of the same pages is left as it is. Null if it has to be written. */
  async #renewed(output: string, { key }: SiteKey, corpus: CorpusOptions): Promise<CorpusReport | null> {
    const seal = this.#parts.memory!.sealOf(output);
    return seal?.key === key && isCorpus(output) && seal.files === (await filesHash(output))
      ? renewCorpus(output, corpus)
      : null;
  }

  async *#counted<T>(inputs: AsyncIterable<T>): AsyncIterableIterator<T> {
    for await (const input of inputs) {
      this.#tellConverted(1);
      yield input;
    }
  }

  #tellConverted(pages: number): void {
    this.#converted += pages;
    // Of a site that has more than its store could say beforehand, too.
    this.#pages = Math.max(this.#pages, this.#converted);
    this.#settings.converted?.(this.#converted, this.#pages);
  }

  /** Whether the next page is left to another run. An error in one site ends the others too. */
  #isOver(task: Task, pages = 0): boolean {
    if (this.#failure !== null) {
      return true;
    }
    if (!this.#settings.isPartial) {
      return this.#settings.isStopped();
    }
    const begun = this.#begun[task];
    this.#begun[task] += pages;
    return begun >= FEWEST_PARTIAL && this.#settings.isTimeUp();
  }

  #advance(): void {
    while (this.#saved[this.#done]?.isFinished === true) {
      this.#done++;
    }
    if (this.#done - this.#reported >= MOST_UNREPORTED) {
      this.#report();
    }
  }

  #report(): void {
    if (this.#done === this.#reported) {
      return;
    }
    this.#reported = this.#done;
    const written = { seeds: this.#done, asOf: this.#asOf };
    this.#reporting = this.#reporting
      .then(() => this.#settings.onWritten(written))
      .catch((error) => {
        this.#failure ??= { error };
      });
  }
}

function counted(image: CorpusImage | 'left' | null, counts: SavedImages): CorpusImage | null {
  counts.saved += image === null || image === 'left' ? 0 : 1;
  counts.left += image === 'left' ? 1 : 0;
  return image === 'left' ? null : image;
}

/** Two runs with the same value here would write the same corpora. */
function asOf(store: DocsReader, { options, isComplete }: CorporaOptions): string {
  return JSON.stringify({ seq: store.lastSeq(), ...corpusSettings(options), isComplete });
}

/** Options that decide what a corpus is like, beside its pages. */
const corpusSettings = (options: OptionsOf<'docs'>): object => {
  const { chunkTokens, indexPages, lang, versionPaths, images } = options;
  return { chunkTokens, indexPages, lang, versionPaths, images, shape: shapeOptions(options) };
};

function nullIfStopped(error: unknown): null {
  if (error instanceof Stopped) {
    return null;
  }
  throw error;
}

/** That of the seed's own page, or of what it redirects to; else that of the first page. */
function titleOf(store: DocsReader, ids: readonly number[], seed: SeedRow): string {
  let first: string | null = null;
  for (const id of ids) {
    const { url, title } = store.titleOf(id) ?? { url: '', title: null };
    first ??= title;
    if (title !== null && seed.scopeUrls.includes(url)) {
      return title;
    }
  }
  return first ?? seed.label;
}

/** With fewer pages than this the scope is probably not what was meant. */
const FEW_PAGES = 5;

/** What one folder up would give, as far as the pages that were read and the sitemaps tell. Sitemaps are read once for all seeds. */
class ScopeHints {
  readonly #store: DocsReader;
  readonly #identity: IdentityOptions;
  readonly #breaks: Breaks;
  #named: Promise<NamedPlaces> | null = null;

  constructor(store: DocsReader, identity: IdentityOptions, breaks: Breaks) {
    this.#store = store;
    this.#identity = identity;
    this.#breaks = breaks;
  }

  /** Null if a wider scope would give no more pages. */
  async of({ scope, scopeUrls }: SeedRow, pages: readonly number[]): Promise<string | null> {
    const url = scopeUrls.at(-1)!;
    const up = new URL(url.endsWith('/') ? '..' : '.', url).href;
    if (scope !== 'prefix' || new URL(up).pathname === new URL(url).pathname) {
      return null;
    }
    this.#named ??= readNamedPlaces(this.#store, this.#identity, this.#breaks);
    const named = await this.#named;
    const folder = placeOf(up);
    const linked = new Set<string>();
    for (const known of linkedFrom(this.#store, pages)) {
      const place = placeOf(known);
      if (place.startsWith(folder) && !named.has(place, known)) {
        linked.add(known);
      }
      if (this.#breaks.isDue()) {
        await this.#breaks.take();
      }
    }
    const found = named.countUnder(folder) + linked.size;
    return found <= pages.length
      ? null
      : `only ${pages.length} ${pages.length === 1 ? 'page is' : 'pages are'} in scope; ${up} would give ${formatCount(found)} or more`;
  }
}

async function readNamedPlaces(store: DocsReader, identity: IdentityOptions, breaks: Breaks): Promise<NamedPlaces> {
  const named = store.newNamedPlaces();
  for (const { url } of new SitemapPages(store, identity).all()) {
    named.add(placeOf(url), url);
    if (breaks.isDue()) {
      await breaks.take();
    }
  }
  return named;
}

/** The form of a URL that a scope of the kind `prefix` compares. */
const placeOf = (url: string): string => siteOf(url) + barePathOf(url);

function* linkedFrom(store: DocsReader, pages: readonly number[]): IterableIterator<string> {
  for (const page of pages) {
    yield store.urlOf(page);
    const words = store.edgesOf(page);
    for (let i = 0; i < words.length; i += 2) {
      if (edgeFollowed(words[i + 1]!)) {
        yield store.urlOf(words[i]!);
      }
    }
  }
}
