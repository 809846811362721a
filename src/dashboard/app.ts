import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Hono } from 'hono/tiny';
import { GossamerError } from '../base/errors.js';
import { VERSION } from '../config/version.js';
import { HOST_SORTS, type HostQuestion, PAGE_STATES, type PageQuestion } from '../store/watch-rows.js';
import type { RunControls, ShownRun } from '../watch/live.js';
import { METRICS_TYPE, metricsText } from '../watch/metrics.js';
import { type Access, bringsToken, guard } from './access.js';
import type { About, LiveAnswer } from './api.js';
import type { Asset } from './assets.js';
import type { Disk } from './disk-reader.js';
import type { SetDelays } from './host-delays.js';
import type { Series } from './series.js';

const MOST_ROWS = 500;
const FEWEST_ROWS = 100;
const LONGEST_TEXT = 2_048;
const LARGEST_BODY = 4_096;
const MOST_WORKERS = 4_096;
const LONGEST_DELAY_MS = 86_400_000;

/** What a dashboard shows. */
export interface Shown {
  /** The run of this process; null where only kept crawls are shown, or it has not begun. */
  run(): ShownRun | null;
  /** Whether there is a run, or will be. */
  readonly isLive: boolean;
  /** Where crawls are kept; that of the run is the first. */
  readonly crawls: readonly string[];
  corpora(): readonly string[];
}

export interface AppParts {
  readonly shown: Shown;
  readonly access: Access;
  readonly disk: Disk;
  readonly series: Series;
  readonly assets: ReadonlyMap<string, Asset>;
  /** Called with the state that a page was told of. */
  seen?(state: string): void;
  /** Called with what went wrong here, and not with what was asked. */
  failed(error: Error): void;
}

/** The dashboard as a function of requests. It knows no socket. */
export function dashboardApp({ shown, access, disk, series, assets, seen, failed }: AppParts): Hono {
  const app = new Hono();
  app.use(guard(access));
  app.onError((error, context) => {
    if (error instanceof Refusal) {
      return context.json({ problem: error.message }, error.status);
    }
    if (error instanceof GossamerError) {
      return context.json({ problem: error.message }, error.code === 'busy' ? 503 : 409);
    }
    failed(error);
    return context.json({ problem: 'something is wrong in the dashboard: its log says what' }, 500);
  });
  app.notFound((context) => context.text('there is no such page\n', 404));

  for (const [path, { type, body }] of assets) {
    app.get(path, (context) => context.body(body, 200, { 'content-type': type }));
  }

  app.get('/api/about', (context) => {
    const about: About = {
      version: VERSION,
      crawls: shown.crawls.map((directory, crawl) => ({ crawl, directory, isLive: crawl === 0 && shown.isLive })),
      corpora: shown.corpora().length,
      hasControls: shown.run() !== null && bringsToken(context.req.header(), access),
    };
    return context.json(about);
  });
  app.get('/api/live', (context) => {
    const live = theRun(shown).live();
    seen?.(live.state);
    const hasControls = bringsToken(context.req.header(), access);
    return context.json({ live, hasControls } satisfies LiveAnswer);
  });
  app.get('/api/series', (context) => context.json(series.after(wholeNumber(context, 'since', 0))));

  const asked = async (context: Context, question: Parameters<Disk['ask']>[0]) =>
    context.body(await disk.ask(question), 200, { 'content-type': 'application/json' });
  app.get('/api/kept', (context) => asked(context, { about: 'kept', directory: crawlOf(context, shown) }));
  app.get('/api/hosts', (context) => {
    const [question, delays] = [hostQuestion(context), setDelays(context, shown)];
    return asked(context, { about: 'hosts', directory: crawlOf(context, shown), question, delays });
  });
  app.get('/api/pages', (context) =>
    asked(context, { about: 'pages', directory: crawlOf(context, shown), question: pageQuestion(context) }),
  );
  app.get('/api/audit', (context) => asked(context, { about: 'audit', directory: crawlOf(context, shown) }));
  app.get('/api/audit/places', (context) => {
    const [from, limit] = [wholeNumber(context, 'from', 0), rows(context)];
    const rule = neededText(context, 'rule');
    return asked(context, { about: 'places', directory: crawlOf(context, shown), rule, from, limit });
  });
  app.get('/api/explain', (context) =>
    asked(context, { about: 'url', directory: crawlOf(context, shown), url: neededText(context, 'url') }),
  );
  app.get('/api/graph', (context) => asked(context, { about: 'graph', directory: crawlOf(context, shown) }));
  app.get('/api/corpora', (context) => asked(context, { about: 'corpora', directories: shown.corpora() }));
  app.get('/api/corpus', (context) => {
    const [after, limit] = [wholeNumber(context, 'after', 0), rows(context)];
    return asked(context, { about: 'corpus', directory: corpusOf(context, shown), after, limit });
  });
  app.get('/api/corpus/search', (context) =>
    asked(context, { about: 'words', directory: corpusOf(context, shown), text: neededText(context, 'q') }),
  );
  app.get('/api/corpus/page', (context) =>
    asked(context, { about: 'document', directory: corpusOf(context, shown), path: neededText(context, 'path') }),
  );

  const limited = bodyLimit({
    maxSize: LARGEST_BODY,
    onError: (context) => context.json({ problem: 'the body is too large' }, 413),
  });
  app.post('/api/control/:what', limited, async (context) => {
    const order = ORDERS.get(context.req.param('what')) ?? refuse(404, 'there is no such control');
    const { controls } = theRun(shown);
    const told = await values(context);
    await order({ controls, isKnown: (host) => isKnown(disk, shown.crawls[0], host) }, told);
    return context.json({ done: true });
  });

  app.get('/metrics', async (context) =>
    context.body(await metricsText(theRun(shown).live()), 200, { 'content-type': METRICS_TYPE }),
  );
  return app;
}

/** What was asked cannot be answered, and the one who asked is to know why. */
class Refusal extends Error {
  readonly status: 400 | 404 | 409;

  constructor(status: 400 | 404 | 409, message: string) {
    super(message);
    this.status = status;
  }
}

type Values = Readonly<Record<string, unknown>>;

interface Told {
  readonly controls: RunControls;
  /** Whether the crawl has come across a host. */
  isKnown(host: string): Promise<boolean>;
}

/** A map, because an object has more names than those that are written here. */
const ORDERS: ReadonlyMap<string, (told: Told, values: Values) => unknown> = new Map<
  string,
  (told: Told, values: Values) => unknown
>([
  ['pause', ({ controls }) => controls.pause()],
  ['go', ({ controls }) => controls.goOn()],
  ['stop', ({ controls }) => controls.stop()],
  ['workers', ({ controls }, { count }) => controls.setWorkers(numberWithin('count', count, 1, MOST_WORKERS))],
  [
    'delay',
    async ({ controls, isKnown }, { host: named = null, delayMs: given }) => {
      const host = named === null ? null : textIn('host', named);
      const delayMs = numberWithin('delayMs', given, 0, LONGEST_DELAY_MS);
      if (host !== null && !(await isKnown(host))) {
        refuse(404, 'the crawl knows no such host');
      }
      controls.setDelay(host, delayMs);
    },
  ],
  // One that is not in memory is put off as soon as it comes in.
  ['quarantine', ({ controls }, { host }) => controls.quarantine(textIn('host', host))],
  [
    'release',
    ({ controls }, { host }) => controls.release(textIn('host', host)) || refuse(404, 'it was not in quarantine'),
  ],
  [
    'allow-trap',
    async ({ controls }, { pattern }) =>
      (await controls.allowTrap(textIn('pattern', pattern))) ||
      refuse(404, 'there is no such trap here, or only `gossamer resume --allow-trap` lets it in'),
  ],
]);

async function isKnown(disk: Disk, directory: string | undefined, name: string): Promise<boolean> {
  if (directory === undefined) {
    return false;
  }
  const { isKnown } = JSON.parse(await disk.ask({ about: 'host', directory, name })) as { isKnown: boolean };
  return isKnown;
}

/** The delays that were set belong to the run, which is the first crawl. */
function setDelays(context: Context, shown: Shown): SetDelays {
  const set = (wholeNumber(context, 'crawl', 0) === 0 ? shown.run()?.delays() : undefined) ?? new Map<null, number>();
  return { all: set.get(null) ?? null, hosts: Object.fromEntries([...set].filter(([host]) => host !== null)) };
}

async function values(context: Context): Promise<Values> {
  const text = await context.req.text();
  if (text === '') {
    return {};
  }
  // A form of another site can send text, but not JSON without asking first.
  if (!/^application\/json\b/i.test(context.req.header('content-type') ?? '')) {
    throw new Refusal(400, 'the body must be JSON');
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Values;
    }
  } catch {
    // Said below.
  }
  throw new Refusal(400, 'the body must be an object of JSON');
}

function numberWithin(name: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw new Refusal(400, `${name} must be a whole number from ${min} to ${max}`);
  }
  return value;
}

function textIn(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_TEXT) {
    throw new Refusal(400, `${name} must be a text of up to ${LONGEST_TEXT} characters`);
  }
  return value;
}

function theRun(shown: Shown): ShownRun {
  const run = shown.run();
  if (run === null) {
    throw new Refusal(409, 'no run is under way here');
  }
  return run;
}

function crawlOf(context: Context, { crawls }: Shown): string {
  return crawls[wholeNumber(context, 'crawl', 0)] ?? refuse(404, 'there is no such crawl');
}

function corpusOf(context: Context, shown: Shown): string {
  return shown.corpora()[wholeNumber(context, 'corpus', 0)] ?? refuse(404, 'there is no such corpus');
}

function refuse(status: 400 | 404, message: string): never {
  throw new Refusal(status, message);
}

function hostQuestion(context: Context): Omit<HostQuestion, 'delays'> {
  const asked = context.req.query('sort') || 'name';
  const sort = HOST_SORTS.find((each) => each === asked) ?? refuse(400, `sort is one of ${HOST_SORTS.join(', ')}`);
  return {
    sort,
    text: text(context, 'q') ?? '',
    name: text(context, 'name'),
    after: text(context, 'after'),
    limit: rows(context),
  };
}

function pageQuestion(context: Context): PageQuestion {
  const asked = text(context, 'state');
  const state = asked === null ? null : PAGE_STATES.find((each) => each === asked);
  if (state === undefined) {
    throw new Refusal(400, `state is one of ${PAGE_STATES.join(', ')}`);
  }
  const status = text(context, 'status');
  if (status !== null && !/^(?:[1-5]xx|\d{3}|none)$/.test(status)) {
    throw new Refusal(400, 'status is a number such as 404, a class such as 4xx, or none');
  }
  return {
    state,
    reason: text(context, 'class'),
    status,
    depth: text(context, 'depth') === null ? null : wholeNumber(context, 'depth', 0),
    host: text(context, 'host'),
    text: text(context, 'q') ?? '',
    isNewestFirst: context.req.query('order') === 'newest',
    after: text(context, 'after') === null ? null : wholeNumber(context, 'after', 0),
    limit: rows(context),
  };
}

const rows = (context: Context): number => Math.min(MOST_ROWS, Math.max(1, wholeNumber(context, 'limit', FEWEST_ROWS)));

/** Null if it is left out or empty. */
function text(context: Context, name: string): string | null {
  const value = context.req.query(name) ?? '';
  return value === '' ? null : textIn(name, value);
}

const neededText = (context: Context, name: string): string =>
  text(context, name) ?? refuse(400, `the question lacks ${name}`);

function wholeNumber(context: Context, name: string, fallback: number): number {
  const value = context.req.query(name) ?? '';
  const number = value === '' ? fallback : Number(value);
  return Number.isFinite(number) && number >= 0 ? Math.floor(number) : refuse(400, `${name} must be a number`);
}
