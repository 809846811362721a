import { randomBytes } from 'node:crypto';
import type { RedirectChains } from '../store/redirect-chains.js';
import type { Database, Statement } from '../store/sqlite.js';
import { UrlFlag, UrlKind, UrlState } from '../store/url-state.js';
import { barePathOf, hostKeyOf, originOf } from '../url/host.js';
import { shapeOf } from '../url/shape.js';

/** What a site says for a page that it cannot have. */
interface Probe {
  /** Where its redirects end; itself where it does not redirect. */
  end: number;
  redirects: boolean;
  title: string | null;
  textHash: number | null;
}

interface Folder {
  pages: number;
  example: { url: string; origin: number; depth: number; seed: number };
}

const MOST_PROBES_A_HOST = 50;
const MOST_FOLDERS = 100_000;
/** Where so many pages of a folder look like the probe, and half of all, one program in the browser shows all of them. */
const SHELL_PAGES = 4;

/** To send these home is honest. */
const INDEX_PAGE = /\/(?:index|default|home)(?:\.[a-z]+)?$/i;
const NOT_FOUND =
  /\b404\b|not found|(?:does not|doesn[’']t) exist|no longer (?:exists|available)|nicht gefunden|introuvable|no encontrad/i;

const PAGE = `urls.kind = ${UrlKind.page} AND urls.state = ${UrlState.done} AND (urls.flags & ${UrlFlag.external | UrlFlag.asset}) = 0
  AND pages.status = 200 AND pages.redirect_to IS NULL AND (pages.content_type LIKE 'text/html%' OR pages.content_type LIKE 'application/xhtml%')`;

/**
 * Pages that answer 200 and are not there. A sibling with a name that nobody has is asked for in each folder, folders of one shape
 * (digits folded) counting as one; what looks like the answer is no page.
 */
export class Soft404s {
  readonly #database: Database;
  readonly #chains: RedirectChains;
  readonly #textHash: Statement;
  #probes: Map<string, Probe | null> | null = null;

  constructor(database: Database, chains: RedirectChains) {
    this.#database = database;
    this.#chains = chains;
    this.#textHash = database.prepare('SELECT text_hash AS hash FROM link_facts WHERE page = ?');
  }

  /** Queues a probe for each folder shape that has none; files of this machine need none. Returns how many. */
  queue(ownOrigins: readonly string[]): number {
    const probed = this.#probesByFolder();
    let id = this.#database.prepare('SELECT coalesce(max(id), 0) AS id FROM urls').get()!.id;
    const insert = this.#database.prepare(
      `INSERT INTO urls (id, url, kind, origin, depth, seed, class, state) VALUES (?, ?, ${UrlKind.probe}, ?, ?, ?, 2, ${UrlState.queued})`,
    );
    const ofHost = new Map<string, number>();
    for (const folder of probed.keys()) {
      const host = hostKeyOf(folder);
      ofHost.set(host, (ofHost.get(host) ?? 0) + 1);
    }
    let count = 0;
    const folders = [...this.#folders()].sort(([, a], [, b]) => b.pages - a.pages);
    for (const [folder, { example }] of folders) {
      const host = hostKeyOf(example.url);
      const already = ofHost.get(host) ?? 0;
      if (probed.has(folder) || already >= MOST_PROBES_A_HOST || ownOrigins.includes(originOf(example.url))) {
        continue;
      }
      ofHost.set(host, already + 1);
      insert.run(++id, siblingOf(example.url), example.origin, example.depth, example.seed);
      count++;
    }
    return count;
  }

  /** Pages that have the title of a probe: their texts are to be compared. */
  *lookalikes(): IterableIterator<number> {
    const alike = new Map<string, { all: number; same: number[] }>();
    for (const { id, url, title } of this.#pages()) {
      const folder = folderOf(url);
      const probe = this.#probesByFolder().get(folder) ?? null;
      if (probe === null || probe.redirects) {
        continue;
      }
      const group = alike.get(folder) ?? { all: 0, same: [] };
      group.all++;
      if (title === probe.title) {
        group.same.push(id);
      }
      alike.set(folder, group);
    }
    for (const { all, same } of alike.values()) {
      if (!isShell(all, same.length)) {
        yield* same;
      }
    }
  }

  /** Why the page that a link leads to counts as missing, or null. @param end where its redirects lead */
  of(link: { id: number; url: string }, end: { id: number; title: string | null }): string | null {
    const probe = this.#probesByFolder().get(folderOf(link.url)) ?? null;
    if (probe === null) {
      return null;
    }
    if (link.id !== end.id) {
      return probe.redirects && probe.end === end.id && !INDEX_PAGE.test(barePathOf(link.url))
        ? 'it redirects to where this site sends all that it does not have'
        : null;
    }
    // Some repeat the address that was asked for; what such a page is called is enough where it says so.
    const isAlike =
      !probe.redirects &&
      probe.title === end.title &&
      (NOT_FOUND.test(probe.title ?? '') || (probe.textHash !== null && this.#textHashOf(end.id) === probe.textHash));
    return isAlike ? 'it looks like what this site shows for what it does not have' : null;
  }

  #textHashOf(id: number): number | null {
    return this.#textHash.get(id)?.hash ?? null;
  }

  /** Null: such a page is honestly refused, or nothing is known yet. */
  #probesByFolder(): Map<string, Probe | null> {
    this.#probes ??= new Map(this.#readProbes());
    return this.#probes;
  }

  *#readProbes(): IterableIterator<[string, Probe | null]> {
    for (const { id, url, state, redirectTo, title, hash } of this.#database
      .prepare(
        `SELECT urls.id AS id, urls.url AS url, urls.state AS state, pages.redirect_to AS redirectTo, pages.title AS title, link_facts.text_hash AS hash
         FROM urls LEFT JOIN pages ON pages.id = urls.id LEFT JOIN link_facts ON link_facts.page = urls.id WHERE urls.kind = ${UrlKind.probe}`,
      )
      .all()) {
      const end = this.#chains.endOf(id);
      const answers = state === UrlState.done && end.problem === null && (redirectTo === null || this.#isFine(end.id));
      yield [folderOf(url), answers ? { end: end.id, redirects: redirectTo !== null, title, textHash: hash } : null];
    }
  }

  #isFine(id: number): boolean {
    return this.#database.prepare('SELECT state FROM urls WHERE id = ?').get(id)?.state === UrlState.done;
  }

  #folders(): Map<string, Folder> {
    const folders = new Map<string, Folder>();
    for (const { url, origin, depth, seed } of this.#pages()) {
      const key = folderOf(url);
      const known = folders.get(key);
      if (known !== undefined) {
        known.pages++;
      } else if (folders.size < MOST_FOLDERS) {
        folders.set(key, { pages: 1, example: { url, origin, depth, seed } });
      }
    }
    return folders;
  }

  #pages() {
    return this.#database
      .prepare(
        `SELECT urls.id AS id, urls.url AS url, urls.origin AS origin, urls.depth AS depth, urls.seed AS seed, pages.title AS title
         FROM urls JOIN pages ON pages.id = urls.id WHERE ${PAGE}`,
      )
      .iterate();
  }
}

const isShell = (all: number, same: number): boolean => same >= SHELL_PAGES && 2 * same >= all;

/** The folder that a page stands in, as a shape: that of `/blog/2024/x/` is `/blog/0/`. */
function folderOf(url: string): string {
  const path = barePathOf(url);
  return shapeOf(originOf(url) + path.slice(0, path.lastIndexOf('/', path.length - 2) + 1));
}

/** As the others there are called: with their ending, or as a folder. */
function siblingOf(url: string): string {
  const path = barePathOf(url);
  const folder = path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
  const ending = path !== '/' && path.endsWith('/') ? '/' : (/\.[a-z]{2,5}$/i.exec(path)?.[0] ?? '');
  return `${originOf(url)}${folder}${randomBytes(8).toString('hex').replace(/^\d/, 'x')}${ending}`;
}
