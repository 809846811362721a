import type { Breaks } from '../base/breaks.js';
import type { DocsReader } from '../store/docs-reader.js';
import { barePathOf } from '../url/host.js';
import { siteOf } from '../url/scope.js';

/** Which of the pages that were had go into the corpus. */
export interface PageChoice {
  /** Only pages of this language; null: of all. */
  lang: string | null;
  versionPaths: 'all' | 'latest';
}

/** What the choice left out. */
export interface LeftOut {
  /** Pages of other languages. */
  otherLanguages: number;
  /** Places that have several versions of the same pages. */
  versions: VersionsLeftOut[];
}

/** The versions of the pages in one folder. */
export interface VersionsLeftOut {
  /** The folder, with its host. */
  folder: string;
  /** The version that stays; empty where the newest pages have none in their path. */
  kept: string;
  /** The others, the newest first, with their pages. */
  left: { version: string; pages: number }[];
}

/** The pages that are wanted, in their order. Of a page that says nothing of its language, and has no version in its path, nothing is known: it stays. */
export async function choosePages(
  store: DocsReader,
  ids: readonly number[],
  { lang, versionPaths }: PageChoice,
  breaks: Breaks,
): Promise<{ ids: readonly number[]; leftOut: LeftOut }> {
  const leftOut: LeftOut = { otherLanguages: 0, versions: [] };
  let chosen = ids;
  if (lang !== null) {
    chosen = await ofLanguage(store, ids, lang, breaks);
    leftOut.otherLanguages = ids.length - chosen.length;
  }
  if (versionPaths === 'latest') {
    const versions = new Versions();
    for (const id of chosen) {
      versions.add(store.urlOf(id));
      if (breaks.isDue()) {
        await breaks.take();
      }
    }
    chosen = chosen.filter((id) => versions.isWanted(store.urlOf(id)));
    leftOut.versions = versions.leftOut();
  }
  return { ids: chosen, leftOut };
}

const REGION = /^[a-z]{2,3}-[a-z]{2,4}$/;
const plainLanguage = (text: string): string => text.trim().toLowerCase().replaceAll('_', '-');

/** `en` is the language of en-GB too; en-GB is that of nothing else. */
const isOf = (language: string, wanted: string): boolean => language === wanted || language.startsWith(`${wanted}-`);

/**
 * Other pages of the site say by hreflang which language a page has; then its path does, by the name of a language that the site has; then the page
 * itself, which on many sites says the same in all languages.
 */
async function ofLanguage(
  store: DocsReader,
  ids: readonly number[],
  lang: string,
  breaks: Breaks,
): Promise<readonly number[]> {
  const wanted = plainLanguage(lang);
  const alternates = new Map<string, string>();
  const spoken = new Set([wanted]);
  for (const id of ids) {
    const { lang: own, hreflang } = store.languageOf(id);
    if (own !== null) {
      spoken.add(plainLanguage(own));
    }
    for (const [language, url] of Object.entries(hreflang)) {
      if (language.toLowerCase() !== 'x-default') {
        spoken.add(plainLanguage(language));
        alternates.set(url, plainLanguage(language));
      }
    }
    if (breaks.isDue()) {
      await breaks.take();
    }
  }
  const primary = new Set([...spoken].map((each) => each.split('-')[0]!));
  return ids.filter((id) => {
    const { url, lang: own } = store.languageOf(id);
    const inPath = pathLanguage(url, spoken, primary);
    const language = alternates.get(url) ?? inPath ?? (own === null ? null : plainLanguage(own));
    return language === null || language === '' || isOf(language, wanted);
  });
}

/** How deep in a path a language may stand. */
const DEEPEST_LANGUAGE = 3;

function pathLanguage(url: string, spoken: ReadonlySet<string>, primary: ReadonlySet<string>): string | null {
  const segments = barePathOf(url).toLowerCase().split('/').slice(1, -1).slice(0, DEEPEST_LANGUAGE);
  const found = segments.map(plainLanguage).find((each) => spoken.has(each) || primary.has(each) || REGION.test(each));
  return found !== undefined && (REGION.test(found) ? primary.has(found.split('-')[0]!) : true) ? found : null;
}

/** The higher the newer; numbers stand between those of the two lists. */
const RELEASED = ['lts', 'stable', 'current', 'latest'];
const UNRELEASED =
  'next edge nightly canary preview beta alpha unstable devel dev development head trunk master main'.split(' ');
const NUMBER = /^(v?)(\d{1,4}(?:\.(?:\d{1,4}|x)){0,3})$/;

interface Version {
  label: string;
  /** Greater means newer, part by part. */
  rank: readonly number[];
  /** A number alone may be that of a chapter. */
  isSure: boolean;
}

function versionOf(segment: string): Version | null {
  const label = segment.toLowerCase();
  if (RELEASED.includes(label)) {
    return { label, rank: [2, RELEASED.indexOf(label)], isSure: true };
  }
  if (UNRELEASED.includes(label)) {
    return { label, rank: [0, -UNRELEASED.indexOf(label)], isSure: true };
  }
  const [, v, numbers] = NUMBER.exec(label) ?? [];
  if (numbers === undefined) {
    return null;
  }
  const parts = numbers.split('.').map((part) => (part === 'x' ? Number.MAX_SAFE_INTEGER : Number(part)));
  return { label, rank: [1, ...parts], isSure: v !== '' || parts.length > 1 };
}

function newerFirst({ rank: one }: Version, { rank: other }: Version): number {
  for (let i = 0; i < Math.max(one.length, other.length); i++) {
    const difference = (other[i] ?? 0) - (one[i] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

interface PartedUrl {
  folder: string;
  version: Version | null;
  /** Behind the version; null if nothing is, not even a slash: that may be a page about a version. */
  rest: string | null;
}

/** A URL, parted at the first segment that looks like a version. */
function parted(url: string): PartedUrl {
  const segments = barePathOf(url).split('/');
  for (let i = 1; i < segments.length; i++) {
    const version = versionOf(segments[i]!);
    if (version !== null) {
      const rest = i === segments.length - 1 ? null : segments.slice(i + 1).join('/');
      return { folder: `${siteOf(url)}${segments.slice(0, i).join('/')}/`, version, rest };
    }
  }
  return { folder: '', version: null, rest: null };
}

/** A folder about a version, such as its release notes, has one page. */
const FEWEST_PAGES = 2;

/** The versions that a site has, by the folders that they stand in. */
class Versions {
  readonly #folders = new Map<string, Map<string, { version: Version; pages: Set<string> }>>();
  readonly #plain = new Set<string>();
  #kept: Map<string, string> | null = null;

  add(url: string): void {
    const { folder, version, rest } = parted(url);
    if (version === null || rest === null) {
      this.#plain.add(siteOf(url) + barePathOf(url));
      return;
    }
    const labels = this.#folders.get(folder) ?? new Map();
    this.#folders.set(folder, labels);
    const known = labels.get(version.label) ?? { version, pages: new Set<string>() };
    labels.set(version.label, known);
    known.pages.add(rest);
  }

  isWanted(url: string): boolean {
    const { folder, version } = parted(url);
    const kept = version === null ? undefined : this.#newest().get(folder);
    return kept === undefined || kept === version!.label || !this.#folders.get(folder)!.has(version!.label);
  }

  leftOut(): VersionsLeftOut[] {
    return [...this.#newest()].map(([folder, kept]) => ({
      folder,
      kept,
      left: [...this.#folders.get(folder)!.values()]
        .filter(({ version }) => version.label !== kept)
        .sort((a, b) => newerFirst(a.version, b.version))
        .map(({ version, pages }) => ({ version: version.label, pages: pages.size })),
    }));
  }

  /** The label that stays, of folders that have several versions. */
  #newest(): Map<string, string> {
    if (this.#kept === null) {
      this.#kept = new Map();
      for (const [folder, labels] of this.#folders) {
        const versions = [...labels.values()]
          .filter(({ pages }) => pages.size >= FEWEST_PAGES)
          .sort((a, b) => newerFirst(a.version, b.version));
        const isPlainNewest = versions.length > 0 && this.#isAlsoPlain(folder, versions[0]!.pages);
        if ((versions.length > 1 || isPlainNewest) && versions.some(({ version }) => version.isSure)) {
          this.#kept.set(folder, isPlainNewest ? '' : versions[0]!.version.label);
        }
      }
    }
    return this.#kept;
  }

  /** Some generators put the newest version into the folder itself, and older ones below it. */
  #isAlsoPlain(folder: string, pages: ReadonlySet<string>): boolean {
    const named = [...pages].filter((rest) => rest !== '');
    const also = named.filter((rest) => this.#plain.has(folder + rest));
    return also.length > 0 && also.length * 2 >= named.length;
  }
}
