import { closeSync, fsyncSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { UsageError } from '../base/errors.js';
import { renameNow } from '../base/rename.js';
import { printable } from '../base/text.js';
import { readCookiesTxt, writeCookiesTxt } from '../fetch/cookies-txt.js';
import type { CookieSource } from '../lane/cookie-homes.js';
import type { OpenJar } from '../lane/lane-cookies.js';
import type { SiteCookie } from '../store/cookie-store.js';
import {
  anyPortSiteOf,
  type CookieChange,
  cookieKey,
  cookieSiteOf,
  type KeptCookie,
  MOST_COOKIES_OF_SITE,
  withAnyPort,
} from '../url/kept-cookie.js';

/** The cookies of a crawl as the user's code sees them. */
export interface CookieJar {
  /** The Cookie header that a request for the URL would have; null if it would have none. */
  get(url: string): string | null;
  /** Takes a Set-Cookie header as if the URL had answered with it. Returns whether the rules let it in. */
  set(url: string, setCookie: string): boolean;
}

/** The limit for all sites together. Beyond it, the cookies of the least recently requested sites are forgotten. */
const MOST_COOKIES = 50_000;
const MOST_BYTES = 32 * 1024 * 1024;

type SiteCookies = Map<string, KeptCookie>;

/**
 * The coordinator's copy of all cookies: lanes get theirs from it when a site comes to them, and report changes to it. Each change goes on to the
 * store at once. Cookies of a file go to every port of their host, and are kept as such until a server sets them anew for one port.
 */
export class CookieBook implements CookieSource, CookieJar {
  readonly #openJar: OpenJar;
  readonly #wall: () => number;
  /** The least recently requested site comes first. */
  readonly #sites = new Map<string, SiteCookies>();
  #count = 0;
  #bytes = 0;
  #hasDropped = false;
  /** Changes on their way to the store. */
  onChanges: ((changes: CookieChange[]) => void) | null = null;
  /** Cookies that were not set by an answer, for the lane that has their site. */
  onSet: ((site: string, cookies: KeptCookie[]) => void) | null = null;
  /** Called the first time that a site's cookies are forgotten for lack of room. */
  onFull: ((words: string) => void) | null = null;

  constructor(openJar: OpenJar, wall: () => number, kept: Iterable<SiteCookie>) {
    this.#openJar = openJar;
    this.#wall = wall;
    for (const { site, cookie } of kept) {
      this.#put(site, cookie);
    }
  }

  siteOf(url: string): string {
    return cookieSiteOf(url);
  }

  cookiesOf(site: string): KeptCookie[] {
    const own = this.#sites.get(site);
    if (own !== undefined) {
      this.#sites.delete(site);
      this.#sites.set(site, own);
    }
    const merged = new Map([...(this.#sites.get(withAnyPort(site)) ?? []), ...(own ?? [])]);
    const wall = this.#wall();
    return [...merged.values()].filter(({ expiresAt }) => expiresAt === null || expiresAt > wall);
  }

  /** Takes the changes that a lane reports. */
  changed(changes: readonly CookieChange[]): void {
    const kept = changes.map((change) => this.#keep(change));
    this.onChanges?.([...kept, ...this.#makeRoom()]);
  }

  get(url: string): string | null {
    return this.#jarOf(url).header(url, this.#wall());
  }

  set(url: string, setCookie: string): boolean {
    const jar = this.#jarOf(url);
    const changes = jar.take(url, [setCookie], this.#wall()).map((key) => jar.change(key));
    this.changed(changes);
    const cookies = changes.map(({ cookie }) => cookie).filter((cookie) => cookie !== null);
    this.onSet?.(jar.site, cookies);
    return changes.length > 0;
  }

  #jarOf(url: string): ReturnType<OpenJar> {
    const site = cookieSiteOf(url);
    return this.#openJar(site, this.cookiesOf(site));
  }

  /**
   * Takes the cookies of a file. One that a server has set since the file was written is the newer one, and stays: a run that was killed has
   * not written its file.
   */
  takeFile(cookies: readonly KeptCookie[], writtenAt: number): void {
    const given = new Map(cookies.map((cookie) => [`${anyPortSiteOf(cookie.domain)} ${cookieKey(cookie)}`, cookie]));
    const changes: CookieChange[] = [];
    for (const [site, own] of [...this.#sites]) {
      const anyPort = withAnyPort(site);
      for (const [key, { setAt }] of [...own]) {
        // Cookies that came from the file earlier and are no longer in it go too.
        if (site === anyPort || (given.has(`${anyPort} ${key}`) && setAt <= writtenAt)) {
          this.#remove(site, key);
          changes.push({ site, key, cookie: null });
        }
      }
    }
    for (const cookie of given.values()) {
      const site = anyPortSiteOf(cookie.domain);
      this.#put(site, cookie);
      changes.push({ site, key: cookieKey(cookie), cookie });
    }
    this.onChanges?.(changes);
  }

  all(): KeptCookie[] {
    return [...this.#sites.values()].flatMap((cookies) => [...cookies.values()]);
  }

  /** When a server deletes a cookie of the file, it stays here as an expired one, because the file still has it. */
  #keep(change: CookieChange): CookieChange {
    const { site, key, cookie } = change;
    const given = this.#sites.get(withAnyPort(site))?.get(key);
    const kept = cookie ?? (given === undefined ? null : { ...given, value: '', expiresAt: 1, setAt: this.#wall() });
    if (kept === null) {
      this.#remove(site, key);
    } else {
      this.#put(site, kept);
    }
    return { site, key, cookie: kept };
  }

  #put(site: string, cookie: KeptCookie): void {
    const key = cookieKey(cookie);
    this.#remove(site, key);
    const cookies = this.#sites.get(site) ?? new Map();
    this.#sites.set(site, cookies);
    cookies.set(key, cookie);
    this.#count++;
    this.#bytes += weightOf(cookie);
  }

  #remove(site: string, key: string): void {
    const cookies = this.#sites.get(site);
    const cookie = cookies?.get(key);
    if (cookies === undefined || cookie === undefined) {
      return;
    }
    cookies.delete(key);
    this.#count--;
    this.#bytes -= weightOf(cookie);
    if (cookies.size === 0) {
      this.#sites.delete(site);
    }
  }

  #makeRoom(): CookieChange[] {
    const changes: CookieChange[] = [];
    for (const [site, cookies] of this.#sites) {
      if (this.#count <= MOST_COOKIES && this.#bytes <= MOST_BYTES) {
        break;
      }
      // Cookies that the user gave are not forgotten.
      if (withAnyPort(site) === site) {
        continue;
      }
      for (const key of [...cookies.keys()]) {
        this.#remove(site, key);
        changes.push({ site, key, cookie: null });
      }
    }
    if (changes.length > 0 && !this.#hasDropped) {
      this.#hasDropped = true;
      this.onFull?.(
        `more than ${MOST_COOKIES.toLocaleString('en')} cookies: those of sites that were not asked for longest are forgotten`,
      );
    }
    return changes;
  }
}

const weightOf = ({ name, value, domain, path }: KeptCookie): number =>
  name.length + value.length + domain.length + path.length + 200;

/** Reads `--cookie-jar`; a file that is not there yet is an empty one. Throws UsageError where it cannot be read. */
export function readCookieFile(path: string): { cookies: KeptCookie[]; writtenAt: number } {
  let text: string;
  let writtenAt: number;
  try {
    writtenAt = statSync(path).mtimeMs;
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { cookies: [], writtenAt: 0 };
    }
    throw new UsageError(`--cookie-jar ${printable(path)} ${whyUnreadable(error as NodeJS.ErrnoException)}`);
  }
  const cookies = readCookiesTxt(text, path, writtenAt);
  const counts = new Map<string, number>();
  for (const { domain } of cookies) {
    const site = anyPortSiteOf(domain);
    counts.set(site, (counts.get(site) ?? 0) + 1);
  }
  for (const [site, count] of counts) {
    if (count > MOST_COOKIES_OF_SITE) {
      const domain = printable(site.slice(0, site.lastIndexOf(':')));
      throw new UsageError(
        `--cookie-jar ${printable(path)} has ${count} cookies of ${domain}: a site may have ${MOST_COOKIES_OF_SITE}`,
      );
    }
  }
  if (cookies.length > MOST_COOKIES) {
    throw new UsageError(
      `--cookie-jar ${printable(path)} has ${cookies.length} cookies: a crawl may have ${MOST_COOKIES}`,
    );
  }
  return { cookies, writtenAt };
}

/** The file is written whole or not at all, and only its owner may read it. */
export function writeCookieFile(path: string, cookies: Iterable<KeptCookie>, wall: number): void {
  const beside = besideOf(path);
  try {
    // A file of that name that a kill has left behind may have other rights.
    rmSync(beside, { force: true });
    const file = openSync(beside, 'wx', 0o600);
    try {
      writeSync(file, writeCookiesTxt(cookies, wall), null, 'latin1');
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameNow(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** This is checked at the start, so that a user whose file cannot be written hears of it before the first request. */
export function refuseUnwritableCookieFile(path: string): void {
  const beside = besideOf(path);
  try {
    rmSync(beside, { force: true });
    writeFileSync(beside, '', { mode: 0o600, flag: 'wx' });
    rmSync(beside);
  } catch (error) {
    throw new UsageError(`--cookie-jar ${printable(path)} cannot be written: ${(error as Error).message}`);
  }
}

const besideOf = (path: string): string => `${path}.${process.pid}.part`;

function whyUnreadable({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EISDIR':
      return 'is a folder: name a file of cookies';
    case 'ENOTDIR':
      return 'lies below a file: there is no such folder';
    case 'EACCES':
      return 'cannot be read: you may not read it';
    default:
      return `cannot be read: ${message}`;
  }
}
