import type { KeptCookie } from '../url/kept-cookie.js';
import type { JobSession } from './lane-cookies.js';

/** Where the cookies of all sites are kept. */
export interface CookieSource {
  siteOf(url: string): string;
  cookiesOf(site: string): KeptCookie[];
}

interface Home<Lane> {
  readonly lane: Lane;
  jobs: number;
}

/** How many sites without a job may stay with their last lane. */
const MOST_IDLE = 256;

/**
 * Which lane has the cookies of a site. A lane that has a job of a site is the only one that gets further ones: what its answers set is known there
 * first. When all jobs of a site are back, so are all cookies that they have set, and the next lane gets them with its first job.
 */
export class CookieHomes<Lane> {
  readonly #source: CookieSource;
  readonly #forget: (lane: Lane, site: string) => void;
  /** Sites without a job stand in the order in which they lost their last one. */
  readonly #homes = new Map<string, Home<Lane>>();
  #idle = 0;

  /** @param forget tells a lane that a site has left it */
  constructor(source: CookieSource, forget: (lane: Lane, site: string) => void) {
    this.#source = source;
    this.#forget = forget;
  }

  siteOf(url: string): string {
    return this.#source.siteOf(url);
  }

  /** The lane that has the site. If `isBound`, no other may have it now. */
  of(site: string): { lane: Lane; isBound: boolean } | null {
    const home = this.#homes.get(site);
    return home === undefined ? null : { lane: home.lane, isBound: home.jobs > 0 };
  }

  /** A job of the site goes to this lane. */
  take(site: string, lane: Lane): JobSession {
    const home = this.#homes.get(site);
    if (home !== undefined) {
      this.#idle -= home.jobs === 0 ? 1 : 0;
      if (home.lane === lane) {
        home.jobs++;
        return { site, cookies: null };
      }
      this.#forget(home.lane, site);
    }
    this.#homes.set(site, { lane, jobs: 1 });
    return { site, cookies: this.#source.cookiesOf(site) };
  }

  /** A job of the site has come back from this lane. */
  returned(site: string, lane: Lane): void {
    const home = this.#homes.get(site);
    if (home === undefined || home.lane !== lane || --home.jobs > 0) {
      return;
    }
    this.#homes.delete(site);
    this.#homes.set(site, home);
    if (++this.#idle > MOST_IDLE) {
      this.#leaveOldest();
    }
  }

  #leaveOldest(): void {
    for (const [site, { lane, jobs }] of this.#homes) {
      if (jobs === 0) {
        this.#homes.delete(site);
        this.#idle--;
        this.#forget(lane, site);
        return;
      }
    }
  }

  /** The lane is gone. */
  gone(lane: Lane): void {
    for (const [site, home] of this.#homes) {
      if (home.lane === lane) {
        this.#homes.delete(site);
        this.#idle -= home.jobs === 0 ? 1 : 0;
      }
    }
  }
}
