import { isPromise } from 'node:util/types';
import type { Clock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import { type LoadedModule, loadModuleOnce } from '../base/load-module.js';
import { printable } from '../base/text.js';
import type { Header } from '../fetch/contract.js';
import { checkedHeader } from '../fetch/headers.js';
import type { HostPolicy } from '../url/host-policies.js';
import type { HookContext, HookLink, HookPage, HookRequest, Hooks, PageContext } from './contract.js';
import { type HookName, LaneCells, type OpenHook } from './hook-cells.js';
import { jsonOf, Refusal } from './hook-data.js';
import { checkRank, FOLLOW, type LinkVerdict, shown } from './link-verdict.js';
import { lockObjectPrototype, takeAddedToObjects } from './object-prototype.js';
import { loadTreeTools, type TreeTools } from './page-content.js';

/** How polite requests of `start` are: as those of the crawl. */
export interface Manners {
  obeyRobots: boolean;
  /** The product token that robots.txt is read for. */
  agent: string;
  delayMs: number;
  /** --delay was not given: then it is 0 on loopback. */
  delayIsDefault: boolean;
  maxCrawlDelayMs: number;
  robotsTimeoutMs: number;
  /** Where hosts differ. */
  hosts: readonly Pick<HostPolicy, 'match' | 'delayMs' | 'userAgent'>[];
}

/** What a lane is told of the hooks. */
export interface HooksSetup {
  /** Where the module is. */
  file: string;
  cells: Float64Array;
  /** Types, besides HTML, that the page hook sees. */
  contentTypes: readonly string[];
  /** Several machines crawl together: what `start` makes on one of them the others would not have. */
  isTogether?: boolean;
  /** What `start` returned, as JSON; null before it has, or where it returned nothing. */
  started: string | null;
  manners: Manners;
}

/** What becomes of a request: headers to add, or why it is not sent. A hook that failed has sent nothing either. */
export type RequestDecision = { headers: Header[] } | { skip: string } | { failed: string } | null;

/** What became of a page: its data as JSON, or what went wrong. */
export type PageDecision = { data: string | null } | { failed: string };

const NAMES = ['start', 'request', 'page', 'link', 'end'] as const;

/** What a hook must not set: who asks, and what an answer means, is the crawl's own affair. */
const NOT_YOURS: ReadonlyMap<string, string> = new Map([
  ['user-agent', 'use --user-agent'],
  ['cookie', 'cookies are set in start, by cookies.set'],
  ['accept-encoding', 'it is set for each request'],
  ['range', 'it is set for each request'],
  ['if-none-match', 'it is set for each request'],
  ['if-modified-since', 'it is set for each request'],
]);
/** No server takes more, names and values together. */
const MOST_HEADER_CHARACTERS = 64 * 1024;

const LONGEST_WORDS = 200;

/** The hooks of the user's as one lane has them. Whatever they throw or return becomes a decision: nothing of it takes the lane down. */
export class LaneHooks {
  readonly contentTypes: readonly string[];
  readonly tools: TreeTools;
  readonly #hooks: Hooks;
  readonly #cells: LaneCells;
  #context: HookContext;

  private constructor(hooks: Hooks, cells: LaneCells, tools: TreeTools, setup: HooksSetup) {
    this.#hooks = hooks;
    this.#cells = cells;
    this.tools = tools;
    this.contentTypes = setup.contentTypes;
    this.#context = contextOf(setup.started);
  }

  /** @throws StateError that names what is wrong with the module */
  static async load(setup: HooksSetup, lane: number, clock: Clock): Promise<LaneHooks> {
    const cells = new LaneCells(setup.cells, lane, () => clock.now());
    const tools = await loadTreeTools();
    const open: OpenHook = { id: 0, name: 'the module', since: 0 };
    try {
      const hooks = await readHooks(setup.file, () => cells.resume(open));
      if (setup.isTogether === true && hooks.start !== undefined) {
        throw new StateError(
          'hook',
          'the hook `start` is not for a crawl on several machines: each machine would log in separately, and keep its session to itself',
        );
      }
      return new LaneHooks(hooks, cells, tools, setup);
    } finally {
      cells.over(open);
    }
  }

  get hasRequest(): boolean {
    return this.#hooks.request !== undefined;
  }

  get hasPage(): boolean {
    return this.#hooks.page !== undefined;
  }

  get hasLink(): boolean {
    return this.#hooks.link !== undefined;
  }

  /** What `start` returned, in whichever lane it ran. */
  started(json: string | null): void {
    this.#context = contextOf(json);
  }

  /** Rejects with what it throws, as a StateError. */
  async start(
    make: (open: OpenHook, cells: LaneCells) => Parameters<NonNullable<Hooks['start']>>[0],
  ): Promise<string | null> {
    const { start } = this.#hooks;
    if (start === undefined) {
      return null;
    }
    const open: OpenHook = { id: 0, name: 'start', since: 0 };
    const answer = await this.#outside('start', open, () => start.call(this.#hooks, make(open, this.#cells)));
    try {
      return answer === undefined || answer === null ? null : jsonOf(answer, 'its answer');
    } catch (error) {
      throw new StateError('hook', returned('start', error));
    }
  }

  async end(summary: Parameters<NonNullable<Hooks['end']>>[0]): Promise<void> {
    const { end } = this.#hooks;
    if (end !== undefined) {
      await this.#outside('end', { id: 0, name: 'end', since: 0 }, () => end.call(this.#hooks, summary));
    }
  }

  /** A hook that belongs to no page: what it throws is the run's. */
  async #outside(name: HookName, open: OpenHook, call: () => unknown): Promise<unknown> {
    try {
      return await this.#timed(name, open, call);
    } catch (error) {
      throw new StateError('hook', threw(name, error), { cause: error });
    }
  }

  #timed(name: HookName, open: OpenHook, call: () => unknown): unknown {
    open.since = this.#cells.enter(name, open.id);
    let answer: unknown;
    try {
      answer = call();
    } finally {
      this.#cells.leave();
      refuseAdditions();
    }
    if (!isThenable(answer)) {
      return answer;
    }
    lockObjectPrototype();
    this.#cells.wait(open);
    return Promise.resolve(answer).finally(() => this.#cells.over(open));
  }

  request(request: HookRequest, id: number): RequestDecision | Promise<RequestDecision> {
    return this.#decide('request', id, () => this.#hooks.request!(request, this.#context), requestDecision);
  }

  page(page: HookPage, id: number, add: PageContext['add']): PageDecision | Promise<PageDecision> {
    const context = { started: this.#context.started, add };
    return this.#decide('page', id, () => this.#hooks.page!(page, context), pageDecision);
  }

  #decide<D>(
    name: HookName,
    id: number,
    call: () => unknown,
    read: (answer: unknown) => D,
  ): D | { failed: string } | Promise<D | { failed: string }> {
    const decide = (answer: unknown): D | { failed: string } => {
      try {
        return read(answer);
      } catch (error) {
        return { failed: returned(name, error) };
      }
    };
    const fail = (error: unknown): { failed: string } => ({ failed: threw(name, error) });
    try {
      const answer = this.#timed(name, { id, name, since: 0 }, call);
      return isPromise(answer) ? answer.then(decide, fail) : decide(answer);
    } catch (error) {
      return fail(error);
    }
  }

  /** The links of a page come next, or go on: their hooks share one bound on time. */
  enterLinks(id: number): void {
    this.#cells.enter('link', id);
  }

  leaveLinks(): void {
    this.#cells.leave();
  }

  /** @throws Error whose message says what was wrong */
  link(link: HookLink, page: HookPage): LinkVerdict {
    let answer: unknown;
    try {
      answer = this.#hooks.link!(link, page);
      refuseAdditions();
    } catch (error) {
      throw new Error(threw('link', error));
    }
    if (answer === undefined || answer === null || answer === true) {
      return FOLLOW;
    }
    try {
      return readLinkAnswer(answer);
    } catch (error) {
      throw new Error(returned('link', error));
    }
  }
}

function readLinkAnswer(answer: unknown): LinkVerdict {
  if (answer === false) {
    return '';
  }
  if (typeof answer === 'number') {
    try {
      return checkRank(answer);
    } catch (error) {
      throw new Refusal(`returned: ${(error as Error).message}`);
    }
  }
  const { skip } = answer as { skip?: unknown };
  if (typeof skip === 'string') {
    return printable(skip).slice(0, LONGEST_WORDS);
  }
  if (isThenable(answer)) {
    throw new Refusal('returned a promise: it must answer at once');
  }
  throw new Refusal(`returns true, false, a rank or { skip: 'why' }, got ${shown(answer)}`);
}

function requestDecision(answer: unknown): RequestDecision {
  if (answer === undefined || answer === null) {
    return null;
  }
  const { headers, skip, ...rest } = (typeof answer === 'object' ? answer : {}) as Record<string, unknown>;
  const others = Object.keys(rest);
  if (others.length > 0) {
    throw new Refusal(`may add headers or skip, and returned ${printable(others.join(', '))}`);
  }
  if (typeof skip === 'string') {
    return { skip: printable(skip).slice(0, LONGEST_WORDS) };
  }
  if (typeof headers !== 'object' || headers === null) {
    throw new Refusal(`returns { headers: { … } } or { skip: 'why' }, got ${shown(answer)}`);
  }
  return { headers: yourHeaders(headers) };
}

/** Those that a function of the user's gives. */
export function yourHeaders(headers: object): Header[] {
  let left = MOST_HEADER_CHARACTERS;
  const checked: Header[] = [];
  for (const [name, value] of Object.entries(headers)) {
    left -= name.length + (typeof value === 'string' ? value.length : 0);
    if (left < 0) {
      throw new Refusal('gave more than 64 KiB of headers');
    }
    checked.push(yourHeader(name, value));
  }
  return checked;
}

/** The value may be a secret: no message has it. */
function yourHeader(name: string, value: unknown): Header {
  const reason = NOT_YOURS.get(name.trim().toLowerCase());
  if (reason !== undefined) {
    throw new Refusal(`cannot set the header ${name.trim()}: ${reason}`);
  }
  if (typeof value !== 'string') {
    throw new Refusal(`gave the header ${printable(name)} a value that is no text`);
  }
  try {
    return [name.trim().toLowerCase(), checkedHeader(name, value)[1]];
  } catch (error) {
    throw new Refusal(`gave a header that cannot be sent: ${wordsOf(error)}`);
  }
}

function pageDecision(answer: unknown): PageDecision {
  if (answer === undefined || answer === null) {
    return { data: null };
  }
  if (typeof answer !== 'object' || Array.isArray(answer)) {
    throw new Refusal(`returns an object of data, got ${Array.isArray(answer) ? 'a list' : shown(answer)}`);
  }
  const data = jsonOf(answer, 'data');
  if (!data.startsWith('{')) {
    throw new Refusal('returns an object of data, got one that is something else in JSON');
  }
  return { data };
}

async function readHooks(file: string, begins: () => void): Promise<Hooks> {
  let module: LoadedModule;
  try {
    module = await loadModuleOnce(file, begins);
    refuseAdditions();
  } catch (cause) {
    throw new StateError('hook', `${file}: ${wordsOf(cause)}`, { cause });
  }
  const hooks = module.default;
  if (typeof hooks !== 'object' || hooks === null) {
    throw new StateError('hook', `${file}: must have a default export, an object of hooks (${NAMES.join(', ')})`);
  }
  for (const [name, value] of Object.entries(hooks)) {
    if (!(NAMES as readonly string[]).includes(name)) {
      throw new StateError('hook', `${file}: there is no hook ${printable(name)}; the hooks are ${NAMES.join(', ')}`);
    }
    if (value !== undefined && typeof value !== 'function') {
      throw new StateError('hook', `${file}: the hook ${name} must be a function`);
    }
  }
  return hooks as Hooks;
}

const contextOf = (json: string | null): HookContext => ({ started: json === null ? null : JSON.parse(json) });

const isThenable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** A value of the user's that is refused, or that throws when it is read. */
const returned = (name: HookName, error: unknown): string =>
  error instanceof Refusal
    ? `the hook ${name} ${wordsOf(error)}`
    : `the hook ${name} returned what cannot be read: ${wordsOf(error)}`;

const threw = (name: HookName, error: unknown): string =>
  `the hook ${name} ${error instanceof Refusal ? '' : 'threw: '}${wordsOf(error)}`;

/** @throws Refusal where every object has got a property more */
function refuseAdditions(): void {
  const added = takeAddedToObjects();
  if (added !== null) {
    throw new Refusal(`added ${added} to Object.prototype, and so to every object`);
  }
}

/** Whatever is thrown has words; what cannot even be turned into text must not take the lane down. */
function wordsOf(error: unknown): string {
  try {
    return printable(error instanceof Error ? error.message || error.name : String(error)).slice(0, 500);
  } catch {
    return 'something without a text';
  }
}
