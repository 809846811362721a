import { randomBytes } from 'node:crypto';
import type { AnsweredPage, CheckReader } from '../store/check-reader.js';
import type { RedirectChains } from '../store/redirect-chains.js';
import { UrlState } from '../store/url-state.js';
import { barePathOf, hostKeyOf, originOf } from '../url/host.js';
import { shapeOf } from '../url/traps.js';

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
  example: AnsweredPage;
}

const MOST_PROBES_A_HOST = 50;
const MOST_FOLDERS = 100_000;
/** Where so many pages of a folder, and at least half of them, look like the probe, one program in the browser shows all of them. */
const SHELL_PAGES = 4;

/** A redirect of such a page to the home page is no soft 404. */
const INDEX_PAGE = /\/(?:index|default|home)(?:\.[a-z]+)?$/i;
const NOT_FOUND =
  /\b404\b|not found|(?:does not|doesn[’']t) exist|no longer (?:exists|available)|nicht gefunden|introuvable|no encontrad/i;

/**
 * Pages that answer 200 and are not there. A sibling with a name that nobody has is asked for in each folder, folders of one shape
 * (digits folded) counting as one; what looks like the answer is no page.
 */
export class Soft404s {
  readonly #store: CheckReader;
  readonly #chains: RedirectChains;
  #probes: Map<string, Probe | null> | null = null;

  constructor(store: CheckReader, chains: RedirectChains) {
    this.#store = store;
    this.#chains = chains;
  }

  /** A probe for each folder shape that has none, beside a page of it; files of this machine need none. */
  wanted(ownOrigins: readonly string[]): { url: string; beside: AnsweredPage }[] {
    const probed = this.#probesByFolder();
    const ofHost = new Map<string, number>();
    for (const folder of probed.keys()) {
      const host = hostKeyOf(folder);
      ofHost.set(host, (ofHost.get(host) ?? 0) + 1);
    }
    const wanted: { url: string; beside: AnsweredPage }[] = [];
    const folders = [...this.#folders()].sort(([, a], [, b]) => b.pages - a.pages);
    for (const [folder, { example }] of folders) {
      const host = hostKeyOf(example.url);
      const already = ofHost.get(host) ?? 0;
      if (probed.has(folder) || already >= MOST_PROBES_A_HOST || ownOrigins.includes(originOf(example.url))) {
        continue;
      }
      ofHost.set(host, already + 1);
      wanted.push({ url: siblingOf(example.url), beside: example });
    }
    return wanted;
  }

  /** Pages that have the title of a probe: their texts are to be compared. */
  *lookalikes(): IterableIterator<number> {
    const alike = new Map<string, { all: number; same: number[] }>();
    for (const { id, url, title } of this.#store.answeredPages()) {
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
      (NOT_FOUND.test(probe.title ?? '') ||
        (probe.textHash !== null && this.#store.textHashOf(end.id) === probe.textHash));
    return isAlike ? 'it looks like what this site shows for what it does not have' : null;
  }

  /** Null: such a page is honestly refused, or nothing is known yet. */
  #probesByFolder(): Map<string, Probe | null> {
    this.#probes ??= new Map(this.#readProbes());
    return this.#probes;
  }

  *#readProbes(): IterableIterator<[string, Probe | null]> {
    for (const { id, url, state, redirectTo, title, textHash } of this.#store.probes()) {
      const end = this.#chains.endOf(id);
      const answers =
        state === UrlState.done && end.problem === null && (redirectTo === null || this.#store.isDone(end.id));
      yield [folderOf(url), answers ? { end: end.id, redirects: redirectTo !== null, title, textHash } : null];
    }
  }

  #folders(): Map<string, Folder> {
    const folders = new Map<string, Folder>();
    for (const page of this.#store.answeredPages()) {
      const key = folderOf(page.url);
      const known = folders.get(key);
      if (known !== undefined) {
        known.pages++;
      } else if (folders.size < MOST_FOLDERS) {
        folders.set(key, { pages: 1, example: page });
      }
    }
    return folders;
  }
}

const isShell = (all: number, same: number): boolean => same >= SHELL_PAGES && 2 * same >= all;

/** The folder that a page stands in, as a shape: that of `/blog/2024/x/` is `/blog/0/`. */
function folderOf(url: string): string {
  const path = barePathOf(url);
  return shapeOf(originOf(url) + path.slice(0, path.lastIndexOf('/', path.length - 2) + 1));
}

/** The probe is named like the other pages of the folder: with their extension, or as a folder. */
function siblingOf(url: string): string {
  const path = barePathOf(url);
  const folder = path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
  const ending = path !== '/' && path.endsWith('/') ? '/' : (/\.[a-z]{2,5}$/i.exec(path)?.[0] ?? '');
  return `${originOf(url)}${folder}${randomBytes(8).toString('hex').replace(/^\d/, 'x')}${ending}`;
}
