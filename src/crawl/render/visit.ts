import type { Browser, CDPSession, Page, Route } from 'playwright-core';
import type { Clock } from '../../base/clock.js';
import type { RouteView } from '../../lane/reading.js';
import { unescaped } from '../../url/identity.js';
import type { AssetSource, PageSource, Visit, VisitLimits } from './asset.js';

/** Every page sees the same surroundings on every machine, as far as a page can ask. */
const SURROUNDINGS = {
  viewport: { width: 1280, height: 2000 },
  locale: 'en-US',
  timezoneId: 'UTC',
  colorScheme: 'light',
  reducedMotion: 'reduce',
  serviceWorkers: 'block',
  acceptDownloads: false,
} as const;

/** The kinds of requests that can bring text into a page. */
const FETCHED: ReadonlySet<string> = new Set(['script', 'xhr', 'fetch']);
/** The most requests of a page that are answered, because a page that polls would go on for ever. */
const MOST_REQUESTS = 600;
const MOST_FETCHED = 200;
const QUIET_MS = 250;
const LONGEST_UNREST_MS = 3_000;
/** How long a page may take to give its text at the end; one that takes longer is stuck. */
const ANSWER_MS = 5_000;
const CLOSING_MS = 5_000;
const STUCK = Symbol('stuck');

/** Runs beside the page's own scripts, which cannot reach it: resolves when the page has not changed for a while. */
const AT_REST = `new Promise((resolve) => {
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(end, ${QUIET_MS}); });
  const end = () => { observer.disconnect(); clearTimeout(longest); resolve(true); };
  let timer = setTimeout(end, ${QUIET_MS});
  const longest = setTimeout(end, ${LONGEST_UNREST_MS});
  observer.observe(document, { subtree: true, childList: true, characterData: true });
})`;

/** Notes that say that scripts are needed are left out, as a browser with scripts does not show them. Null if the page is too large. */
const contentOf = (maxLength: number): string => `(() => {
  for (const each of document.querySelectorAll('noscript')) each.remove();
  const html = document.documentElement.outerHTML;
  return html.length > ${maxLength} ? null : html;
})()`;

/** One page in a browser: nothing is shared with any other, and no request ever leaves it. */
export async function visit(
  browser: Browser,
  source: PageSource,
  assets: AssetSource,
  limits: VisitLimits,
  clock: Clock,
): Promise<Visit> {
  const context = await browser.newContext(SURROUNDINGS);
  const watch = new PageWatch(clock, limits.timeoutMs);
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await keepAtHome(page, session, source, assets, watch);
    return await render(page, session, source.url, limits, watch, clock);
  } finally {
    watch.expire();
    if ((await within(clock, CLOSING_MS, context.close(), STUCK)) === STUCK) {
      // A page that cannot be closed is closed with its browser.
      void browser.close().catch(() => {});
    }
  }
}

async function render(
  page: Page,
  session: CDPSession,
  url: string,
  limits: VisitLimits,
  watch: PageWatch,
  clock: Clock,
): Promise<Visit> {
  // A page that navigates away while it loads makes `goto` fail, but what has loaded is still there.
  const loaded = page.goto(url, { waitUntil: 'domcontentloaded', timeout: 0 }).then(
    () => 'loaded' as const,
    () => 'loaded' as const,
  );
  if ((await Promise.race([loaded, watch.expired])) === 'loaded') {
    await Promise.race([settle(session, watch), watch.expired]);
  }
  const html = await within(clock, ANSWER_MS, content(session, limits.maxBytes), STUCK);
  if (html === STUCK) {
    return { problem: 'its scripts did not finish' };
  }
  if (!isWeb(page.url())) {
    return { problem: 'it navigated away' };
  }
  if (typeof html !== 'string' || Buffer.byteLength(html) > limits.maxBytes) {
    return { problem: 'it grew larger than --max-body' };
  }
  const drawsByRoutes =
    limits.routes !== 'ignored' && (await within(clock, ANSWER_MS, listensToFragment(session), false));
  const route = limits.routes === 'judged' ? await viewOfRoute(page, session, url, watch, limits, clock) : null;
  return { html: `<!DOCTYPE html>${html}`, drawsByRoutes, route };
}

/** Whether the page listens for changes of its fragment: then it may draw by it. */
async function listensToFragment(session: CDPSession): Promise<boolean> {
  const { result } = await session.send('Runtime.evaluate', { expression: 'window' });
  if (result.objectId === undefined) {
    return false;
  }
  const { listeners } = await session.send('DOMDebugger.getEventListeners', { objectId: result.objectId });
  return listeners.some(({ type }) => type === 'hashchange' || type === 'popstate');
}

/** A route name that no program has. */
const NOWHERE = 'gossamer-7c1f-no-such-route';

/**
 * Whether a route has a view of its own: it is compared with a route that cannot exist, and with the first view. Route names are left out,
 * because a view that says what it did not find would differ each time, and so are figures. Each view gets as much time as the page had. Null
 * if the URL names no route.
 */
async function viewOfRoute(
  page: Page,
  session: CDPSession,
  url: string,
  watch: PageWatch,
  { timeoutMs }: VisitLimits,
  clock: Clock,
): Promise<RouteView | null> {
  const [, sign, name] = /#(!?\/|!)(.*)$/s.exec(url) ?? [];
  if (sign === undefined || name === undefined) {
    return null;
  }
  const names = [...new Set([name, unescaped(name), NOWHERE])];
  const view = async (fragment: string | null): Promise<string> => {
    const seen = await within(clock, timeoutMs, textAt(session, fragment, names, watch), UNSEEN);
    return isWeb(page.url()) ? seen : UNSEEN;
  };
  try {
    const own = await view(null);
    const nowhere = await view(`${sign}${NOWHERE}`);
    if (own === UNSEEN || nowhere === UNSEEN) {
      return 'untold';
    }
    if (own !== nowhere) {
      return own === NOTHING_TO_READ ? 'untold' : 'own';
    }
    // A program may show its first view for every unknown route: then a real route may lead there too.
    return (await view(sign)) === nowhere ? 'untold' : 'unknown';
  } catch {
    return 'untold';
  }
}

const UNSEEN = 'unseen';
const NOTHING_TO_READ = '0:0';

/** The length and the hash of the page's text once the page is at rest. */
async function textAt(
  session: CDPSession,
  fragment: string | null,
  names: readonly string[],
  watch: PageWatch,
): Promise<string> {
  if (fragment !== null) {
    const go = await ownWorld(session);
    await go(`location.hash = ${JSON.stringify(`#${fragment}`)}`);
    await settle(session, watch);
  }
  const world = await ownWorld(session);
  return String(await world(textOf(names)));
}

const textOf = (names: readonly string[]): string => `(() => {
  let text = document.body === null ? '' : document.body.innerText;
  for (const name of ${JSON.stringify(names)}) text = text.split(name).join('');
  text = text.replace(/\\d+/g, '0').replace(/\\s+/g, ' ').trim();
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return text.length + ':' + hash;
})()`;

/** Waits until nothing is under way and nothing changes any more. */
async function settle(session: CDPSession, watch: PageWatch): Promise<void> {
  const world = await ownWorld(session);
  for (let before = -1; before !== watch.requests; ) {
    await watch.quiet();
    before = watch.requests;
    await world(AT_REST);
  }
}

async function content(session: CDPSession, maxLength: number): Promise<unknown> {
  const world = await ownWorld(session);
  return world(contentOf(maxLength));
}

/** Evaluates in a world of its own, where the page's scripts have changed nothing. */
async function ownWorld(session: CDPSession): Promise<(expression: string) => Promise<unknown>> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  return async (expression) => {
    const options = { expression, contextId, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', options);
    if (exceptionDetails !== undefined) {
      throw new Error(exceptionDetails.text);
    }
    return result.value;
  };
}

/** Answers every request of the page: from what was fetched before, from the crawl, or not at all. */
async function keepAtHome(
  page: Page,
  session: CDPSession,
  source: PageSource,
  assets: AssetSource,
  watch: PageWatch,
): Promise<void> {
  const context = page.context();
  let isLoaded = false;
  let requests = 0;
  context.on('page', (other) => {
    void other.close().catch(() => {});
  });
  page.on('dialog', (dialog) => {
    void dialog.dismiss().catch(() => {});
  });
  await context.routeWebSocket(/.*/, (socket) => {
    void socket.close().catch(() => {});
  });
  await context.route(
    () => true,
    (route) => {
      if (++requests === MOST_REQUESTS) {
        void silence(session, watch).catch(() => {});
      }
      const isDocument = !isLoaded && isNavigationOf(page, route);
      isLoaded ||= isDocument;
      const answer = isDocument ? documentOf(route, source) : answerTo(route, assets, watch);
      // The page may be gone by then.
      return answer.catch(() => {});
    },
  );
}

/** A page that never stops requesting is taken as it is: from now on its requests are blocked inside its own process. */
async function silence(session: CDPSession, watch: PageWatch): Promise<void> {
  await session.send('Network.enable');
  await session.send('Network.setBlockedURLs', { urls: ['*'] });
  watch.expire();
}

function isNavigationOf(page: Page, route: Route): boolean {
  const request = route.request();
  return request.isNavigationRequest() && request.frame() === page.mainFrame();
}

const documentOf = (route: Route, { type, body }: PageSource): Promise<void> =>
  route.fulfill({ status: 200, headers: { 'content-type': type ?? 'text/html' }, body: Buffer.from(body) });

async function answerTo(route: Route, assets: AssetSource, watch: PageWatch): Promise<void> {
  const request = route.request();
  const type = request.resourceType();
  if (type === 'stylesheet') {
    // These files contain no text, but some pages wait for them before they go on.
    return route.fulfill({ status: 200, headers: { 'content-type': 'text/css' }, body: '' });
  }
  if (request.method() !== 'GET' || !FETCHED.has(type) || watch.requests >= MOST_FETCHED) {
    // An aborted navigation leaves the page as it is; a failed one would replace it by an error page.
    return route.abort('aborted');
  }
  watch.began();
  try {
    const asset = await assets(request.url());
    if (asset === null) {
      return await route.abort();
    }
    const { origin } = new URL(request.frame().url());
    await route.fulfill({
      status: asset.status,
      headers: {
        'content-type': asset.type ?? 'application/octet-stream',
        // Files that only some origins may read are not given to other pages at all.
        'access-control-allow-origin': origin === 'null' ? '*' : origin,
        'access-control-allow-credentials': 'true',
      },
      body: Buffer.from(asset.body),
    });
  } finally {
    watch.ended();
  }
}

const isWeb = (url: string): boolean => /^https?:/.test(url);

/** What the promise gives, or `late` if that takes too long. */
async function within<T, L>(clock: Clock, ms: number, promise: Promise<T>, late: L): Promise<T | L> {
  let cancel = (): void => {};
  const over = new Promise<L>((resolve) => {
    cancel = clock.at(clock.now() + ms, () => resolve(late));
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    cancel();
  }
}

/**
 * Measures how long a page itself takes. The time that it waits for the crawl does not count, because its requests stand in the queues of
 * their hosts, which have limits of their own.
 */
class PageWatch {
  readonly #clock: Clock;
  readonly expired: Promise<'expired'>;
  #expire!: (value: 'expired') => void;
  #leftMs: number;
  #runsSince: number | null = null;
  #cancel: (() => void) | null = null;
  #isOver = false;
  #pending = 0;
  #requests = 0;
  #whenQuiet: (() => void)[] = [];

  constructor(clock: Clock, longestMs: number) {
    this.#clock = clock;
    this.#leftMs = longestMs;
    this.expired = new Promise((resolve) => {
      this.#expire = resolve;
    });
    this.#run();
  }

  /** How many requests the page has made so far. */
  get requests(): number {
    return this.#requests;
  }

  get pending(): number {
    return this.#pending;
  }

  began(): void {
    this.#requests++;
    if (this.#pending++ === 0) {
      this.#pause();
    }
  }

  ended(): void {
    if (--this.#pending === 0) {
      this.#run();
      for (const tell of this.#whenQuiet.splice(0)) {
        tell();
      }
    }
  }

  /** Whether none of the page's requests is under way. */
  quiet(): Promise<void> {
    return this.#pending === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenQuiet.push(resolve));
  }

  /** Whether the page's time is over. */
  expire(): void {
    this.#pause();
    this.#isOver = true;
    this.#expire('expired');
  }

  #run(): void {
    if (this.#isOver) {
      return;
    }
    this.#runsSince = this.#clock.now();
    this.#cancel = this.#clock.at(this.#runsSince + this.#leftMs, () => this.#expire('expired'));
  }

  #pause(): void {
    if (this.#runsSince !== null) {
      this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.now() - this.#runsSince));
      this.#runsSince = null;
      this.#cancel?.();
    }
  }
}
