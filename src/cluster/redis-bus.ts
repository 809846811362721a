import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Answer, Bus, Caller, Claim, Claimed, ClusterState, Entry, Founding, Order } from './bus.js';
import { ACKNOWLEDGE } from './scripts/acknowledge.js';
import { CLAIM } from './scripts/claim.js';
import { CLOCK, COMMON, GUARD } from './scripts/common.js';
import { FORGET } from './scripts/forget.js';
import { FOUND } from './scripts/found.js';
import { ORDER } from './scripts/order.js';
import { REPORT } from './scripts/report.js';
import { SEND } from './scripts/send.js';
import { WAKE } from './scripts/wake.js';

/** What it takes of a connection to Redis, or to a cluster of them. */
export type RedisConnection = Pick<
  Redis,
  'eval' | 'evalsha' | 'get' | 'xread' | 'xdel' | 'xlen' | 'memory' | 'time' | 'del' | 'quit' | 'disconnect'
>;

/** A stream takes no more entries than this: what does not fit waits in the outbox of its sender, on disk. */
export const MOST_ENTRIES = 256;
const ENTRIES_AT_ONCE = 32;

export const PROTOCOL = 2;

/** The machines of a crawl meet in Redis. Every key has the crawl's id as its hash tag, so that scripts work in a Redis Cluster too. */
export class RedisBus implements Bus {
  readonly #calls: RedisConnection;
  readonly #reads: RedisConnection;
  readonly #name: string;
  readonly #scripts = new Map<string, { text: string; sha: string }>();

  /** @param reads a connection of its own: a blocking read holds all else back; @param clock how scripts tell the time */
  constructor(calls: RedisConnection, reads: RedisConnection, crawlId: string, clock = CLOCK) {
    this.#calls = calls;
    this.#reads = reads;
    this.#name = `{gossamer:${crawlId}}`;
    const guarded = { report: REPORT, send: SEND, acknowledge: ACKNOWLEDGE };
    const free = { found: FOUND, claim: CLAIM, order: ORDER, wake: WAKE, forget: FORGET };
    for (const [name, text] of Object.entries(free)) {
      this.#add(name, clock + COMMON + text);
    }
    for (const [name, text] of Object.entries(guarded)) {
      this.#add(name, clock + COMMON + GUARD + text);
    }
  }

  #add(name: string, text: string): void {
    this.#scripts.set(name, { text, sha: createHash('sha1').update(text).digest('hex') });
  }

  get #state(): string {
    return `${this.#name}:state`;
  }

  get #config(): string {
    return `${this.#name}:config`;
  }

  #mail(slot: number): string {
    return `${this.#name}:mail:${slot}`;
  }

  async #run<Reply>(name: string, keys: string[], args: string[]): Promise<Reply> {
    const { text, sha } = this.#scripts.get(name)!;
    const rest = [keys.length, ...keys, ...args] as const;
    try {
      return JSON.parse((await this.#calls.evalsha(sha, ...rest)) as string) as Reply;
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) {
        throw error;
      }
      return JSON.parse((await this.#calls.eval(text, ...rest)) as string) as Reply;
    }
  }

  async found({ config, ranMs, isSure, ...founding }: Founding): Promise<ClusterState> {
    const state: ClusterState = {
      ...founding,
      ...{
        protocol: PROTOCOL,
        server: '',
        phase: 'running',
        reason: '',
        end: '',
        startedAt: 0,
        lostBytes: 0,
        slots: {},
      },
    };
    const answer = await this.#run<{ state: ClusterState }>(
      'found',
      [this.#state, this.#config],
      [JSON.stringify(state), config, String(ranMs), isSure ? 'sure' : ''],
    );
    return answer.state;
  }

  async look(): Promise<{ state: ClusterState; config: string; now: number } | null> {
    const [state, config, time] = await Promise.all([
      this.#calls.get(this.#state),
      this.#calls.get(this.#config),
      this.#calls.time(),
    ]);
    const now = Number(time[0]) * 1000 + Math.floor(Number(time[1]) / 1000);
    return state === null ? null : { state: JSON.parse(state) as ClusterState, config: config ?? '', now };
  }

  claim(claim: Claim): Promise<Claimed> {
    return this.#run('claim', [this.#state], [JSON.stringify(claim)]);
  }

  report(caller: Caller, { id, ...report }: Parameters<Bus['report']>[1]): Promise<Answer> {
    return this.#run(
      'report',
      [this.#state, this.#config, this.#mail(caller.slot)],
      [JSON.stringify(caller), id, JSON.stringify(report)],
    );
  }

  send(caller: Caller, id: string, to: number, body: string): Promise<Answer> {
    const args = [JSON.stringify(caller), id, body, String(MOST_ENTRIES)];
    return this.#run('send', [this.#state, this.#mail(to)], args);
  }

  acknowledge(caller: Caller, id: string, to: number, body: string, taken: readonly string[]): Promise<Answer> {
    const args = [JSON.stringify(caller), id, body, JSON.stringify(taken)];
    return this.#run('acknowledge', [this.#state, this.#mail(caller.slot), this.#mail(to)], args);
  }

  async order(order: Order, slot: number | null): Promise<ClusterState | null> {
    const answer = await this.#run<{ state?: ClusterState; refused?: string }>(
      'order',
      [this.#state],
      [order, slot === null ? '' : String(slot)],
    );
    const { state = null } = answer;
    if (state !== null) {
      await this.wake(Array.from({ length: state.nodes }, (_, each) => each));
    }
    return state;
  }

  async wake(slots: readonly number[]): Promise<void> {
    await this.#run('wake', [this.#state, ...slots.map((slot) => this.#mail(slot))], [String(MOST_ENTRIES)]);
  }

  async read(slot: number, after: string, waitMs: number): Promise<Entry[]> {
    const found = await this.#reads.xread(
      'COUNT',
      ENTRIES_AT_ONCE,
      'BLOCK',
      Math.max(1, Math.ceil(waitMs)),
      'STREAMS',
      this.#mail(slot),
      after,
    );
    return (found?.[0]?.[1] ?? []).map(([id, fields]) => ({ id, body: fields[1]! }));
  }

  async drop(slot: number, entries: readonly string[]): Promise<void> {
    await this.#calls.xdel(this.#mail(slot), ...entries);
  }

  async forget(nodes: number): Promise<boolean> {
    const streams = Array.from({ length: nodes }, (_, slot) => this.#mail(slot));
    const { ok } = await this.#run<{ ok: boolean }>('forget', [this.#state, this.#config, ...streams], []);
    return ok;
  }

  async use(nodes: number): Promise<{ entries: number[]; bytes: number | null }> {
    const streams = Array.from({ length: nodes }, (_, slot) => this.#mail(slot));
    const keys = [this.#state, this.#config, ...streams];
    const [entries, sizes] = await Promise.all([
      Promise.all(streams.map((stream) => this.#calls.xlen(stream))),
      Promise.all(keys.map((key) => this.#calls.memory('USAGE', key))).catch(() => null),
    ]);
    return { entries, bytes: sizes === null ? null : sizes.reduce((sum: number, size) => sum + (size ?? 0), 0) };
  }

  async close(): Promise<void> {
    this.#reads.disconnect();
    this.#calls.disconnect();
  }
}
