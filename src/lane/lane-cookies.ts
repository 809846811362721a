import type { Clock } from '../base/clock.js';
import type { SiteJar } from '../fetch/cookie-jar.js';
import type { CookieChange, KeptCookie } from '../url/kept-cookie.js';

/** Makes the jar of a site; its library is loaded only if cookies are kept. */
export type OpenJar = (site: string, cookies: Iterable<KeptCookie>) => SiteJar;

export async function loadJars(): Promise<OpenJar> {
  const { SiteJar } = await import('../fetch/cookie-jar.js');
  return (site, cookies) => new SiteJar(site, cookies);
}

/** What a job says about the session that it belongs to. */
export interface JobSession {
  site: string;
  /** All cookies of the site; null if the lane has them already. */
  cookies: KeptCookie[] | null;
}

interface Sessioned {
  readonly lease: { readonly url: string };
  readonly place: number | null;
  readonly session?: JobSession;
}

interface Session<Job> {
  readonly jar: SiteJar;
  /** Requests that are sent and have no headers yet. */
  awaited: number;
  /** Jobs that wait for those. */
  readonly waiting: Job[];
}

/**
 * The cookies of the sites that a lane is asked for. A site is with one lane at a time (see cookie-homes.ts), so what an answer sets is in the very next
 * request. Once a site has cookies its requests go out one after the other, each when the headers of the last one are there: a
 * server that changes the session with each answer finds the session that it gave last.
 */
export class LaneCookies<Job extends Sessioned> {
  readonly #openJar: OpenJar;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Session<Job>>();
  /** Keys of cookies that have changed and were not reported yet, by site. */
  readonly #changed = new Map<SiteJar, Set<string>>();

  constructor(openJar: OpenJar, clock: Clock) {
    this.#openJar = openJar;
    this.#clock = clock;
  }

  /** A job has come; it may bring the cookies of its site along. */
  open({ session }: Job): void {
    if (session !== undefined && session.cookies !== null) {
      const jar = this.#openJar(session.site, session.cookies);
      this.#sessions.set(session.site, { jar, awaited: 0, waiting: [] });
    }
  }

  /** Takes cookies that were set elsewhere. */
  put(site: string, cookies: readonly KeptCookie[]): void {
    for (const cookie of cookies) {
      this.#sessions.get(site)?.jar.put(cookie);
    }
  }

  /** Forgets the site: its next job brings its cookies. */
  forget(sites: readonly string[]): void {
    for (const site of sites) {
      this.#sessions.delete(site);
    }
  }

  /** Whether a job may go out now; otherwise it waits here until `answered` or `failed` hands it out. */
  mayGo(job: Job): boolean {
    const session = this.#of(job);
    if (session === null) {
      return true;
    }
    if (session.awaited > 0 && !session.jar.isEmpty) {
      session.waiting.push(job);
      return false;
    }
    session.awaited++;
    return true;
  }

  header(job: Job): string | null {
    return this.#of(job)?.jar.header(job.lease.url, this.#clock.wall()) ?? null;
  }

  /** The headers of an answer are there. Returns the job that may go now, or null. */
  answered(job: Job, setCookies: readonly string[]): Job | null {
    const session = this.#of(job);
    if (session === null) {
      return null;
    }
    const keys = session.jar.take(job.lease.url, setCookies, this.#clock.wall());
    if (keys.length > 0) {
      const changed = this.#changed.get(session.jar) ?? new Set();
      this.#changed.set(session.jar, changed);
      for (const key of keys) {
        changed.add(key);
      }
    }
    return this.#next(session);
  }

  /** No headers will come. Returns the job that may go now, or null. */
  failed(job: Job): Job | null {
    const session = this.#of(job);
    return session === null ? null : this.#next(session);
  }

  #next(session: Session<Job>): Job | null {
    session.awaited--;
    // It is not counted yet: its sender asks `mayGo` again.
    return session.awaited === 0 || session.jar.isEmpty ? (session.waiting.shift() ?? null) : null;
  }

  /** Gives up waiting jobs: those of the host with this place, or all. */
  takeBack(place: number | null): Job[] {
    const back: Job[] = [];
    for (const { waiting } of this.#sessions.values()) {
      const kept = waiting.filter((job) => place !== null && job.place !== place);
      back.push(...waiting.filter((job) => place === null || job.place === place));
      waiting.splice(0, waiting.length, ...kept);
    }
    return back;
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** What has changed since the last call, as it is now. */
  takeChanged(): CookieChange[] {
    const changes = [...this.#changed].flatMap(([jar, keys]) => [...keys].map((key) => jar.change(key)));
    this.#changed.clear();
    return changes;
  }

  #of({ session }: Job): Session<Job> | null {
    return session === undefined ? null : (this.#sessions.get(session.site) ?? null);
  }
}
