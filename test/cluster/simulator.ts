import type { Redis } from 'ioredis';
import type { StateError } from '../../src/base/errors.js';
import { maySend } from '../../src/base/send-until.js';
import type { Bus, Entry } from '../../src/cluster/bus.js';
import { ClusterNode } from '../../src/cluster/cluster-node.js';
import { RedisBus, type RedisConnection } from '../../src/cluster/redis-bus.js';
import { UrlState } from '../../src/store/url-state.js';
import type { Seat } from '../../src/url/slots.js';
import { slotOf } from '../../src/url/slots.js';
import { type Dice, Play } from '../order/play.js';
import type { Truth } from '../order/truth.js';
import type { Case } from '../order/web.js';
import { SimClock } from './sim-clock.js';

/** Scripts are told the time by the simulator, and which server it is, in their last arguments. */
const TOLD_CLOCK =
  'local function clock() return tonumber(ARGV[#ARGV]) end local function server() return ARGV[#ARGV - 1] end';
const LEASE_MS = 900;
const CRAWL = 'sim';
const FOUNDING = { id: CRAWL, hash: 'h', config: '{}', durationMs: 0, maxBytes: 0 };
const MOST_STEPS = 40_000;

export interface Troubles {
  /** Calls that are lost before or after they were done, doubled, and late. */
  network: boolean;
  /** Redis is emptied, or is what it was some time ago. */
  amnesia: boolean;
  /** Processes are killed and started again with their directory. */
  kills: boolean;
  /** They sleep for longer than their lease. */
  sleeps: boolean;
  /** A node loses its disk, and its slot is given to a new one. */
  losses: boolean;
}

export const PERFECT: Troubles = { network: false, amnesia: false, kills: false, sleeps: false, losses: false };
export const ALL: Troubles = { network: true, amnesia: true, kills: true, sleeps: true, losses: true };

interface Call {
  member: Member | null;
  run(): Promise<unknown>;
  resolve(value: never): void;
  reject(error: Error): void;
}

interface Member {
  slot: number;
  incarnation: string;
  play: Play;
  node: ClusterNode;
  /** Of the process; what an earlier one of the slot has begun is told nobody. */
  life: number;
  isDown: boolean;
  isJoined: boolean;
  /** Its store has been part of the crawl. */
  hasBegun: boolean;
  /** Nobody knows any more whether its slot was held: the operator says that it may be given away. */
  isForgotten: boolean;
  /** It does nothing before this time. */
  sleepsUntil: number;
  ended: boolean;
  fate: Error | null;
}

/** A cluster that crawls a small web: real coordinators, lanes and stores, a real Redis, and between them what the dice want. */
export class Simulator {
  readonly #case: Case;
  readonly #dice: Dice;
  readonly #nodes: number;
  readonly #redis: Redis;
  readonly #troubles: Troubles;
  readonly #maxUrls: number;
  /** Pages that stores have asked for which are lost. */
  #lostPages = 0;
  readonly #clock = new SimClock();
  readonly #members: Member[] = [];
  #calls: Call[] = [];
  #reads: { member: Member; life: number; after: string; until: number; resolve(entries: Entry[]): void }[] = [];
  /** What Redis was like. */
  #snapshot: [string, Buffer][] | null = null;
  /** Grows when Redis comes back as it was before. */
  #server = 1;
  #lives = 0;
  #stores = 0;
  #killsLeft: number;
  #amnesiasLeft: number;
  #lossesLeft: number;
  /** Of processes that were stopped for good: until when they might still have sent. */
  readonly rights: { slot: number; life: number; cells: Float64Array }[] = [];

  /** @param maxUrls a limit on the whole crawl, 0 for none */
  constructor(webCase: Case, dice: Dice, nodes: number, redis: Redis, troubles: Troubles, maxUrls = 0) {
    this.#maxUrls = maxUrls;
    this.#case = webCase;
    this.#dice = dice;
    this.#nodes = nodes;
    this.#redis = redis;
    this.#troubles = troubles;
    this.#killsLeft = troubles.kills ? 3 : 0;
    this.#amnesiasLeft = troubles.amnesia ? 3 : 0;
    this.#lossesLeft = troubles.losses ? 1 : 0;
  }

  async run(): Promise<Truth> {
    await this.#redis.flushall();
    try {
      for (let slot = 0; slot < this.#nodes; slot++) {
        await this.#startNew(slot);
      }
      for (let step = 0; !this.#members.every(({ ended }) => ended); step++) {
        if (step > MOST_STEPS) {
          throw new Error(`no end after ${MOST_STEPS} steps: ${await this.#redis.get(`{gossamer:${CRAWL}}:state`)}`);
        }
        await this.#step();
        this.#checkRights();
        this.#checkLimit();
      }
      return this.#union();
    } finally {
      await this.#closeAll();
    }
  }

  /** Gives what the machines have when they are all stopped at this step, or at the end where that comes first. */
  async stoppedAt<T>(steps: number, take: (parts: { slot: number; play: Play }[]) => Promise<T>): Promise<T> {
    await this.#redis.flushall();
    try {
      for (let slot = 0; slot < this.#nodes; slot++) {
        await this.#startNew(slot);
      }
      for (let step = 0; step < steps && !this.#members.every(({ ended }) => ended); step++) {
        await this.#step();
      }
      return await take(this.#members);
    } finally {
      await this.#closeAll();
    }
  }

  async #step(): Promise<void> {
    this.#clock.advance(1 + this.#dice(3));
    await turn();
    const dice = this.#dice(100);
    const member = this.#members[this.#dice(this.#nodes)]!;
    if (dice < 45) {
      await this.#work(member);
    } else if (dice < 80) {
      await this.#carry();
    } else if (dice < 94) {
      await this.#read();
    } else if (dice < 96) {
      this.#clock.advance(this.#dice(LEASE_MS / 3));
    } else {
      await this.#trouble(member);
    }
    await turn();
    this.#end();
  }

  async #work(member: Member): Promise<void> {
    if (!member.isDown && member.isJoined && member.sleepsUntil <= this.#clock.now()) {
      await member.play.step();
    }
  }

  /** One of the calls that are under way reaches Redis; or not, or twice, or its answer does not come back. */
  async #carry(): Promise<void> {
    if (this.#calls.length === 0) {
      return;
    }
    const [call] = this.#calls.splice(this.#troubles.network ? this.#dice(this.#calls.length) : 0, 1) as [Call];
    const fate = this.#troubles.network ? this.#dice(12) : 9;
    if (fate === 0) {
      call.reject(new Error('lost on the way'));
      return;
    }
    const answer = call.run();
    if (fate === 1) {
      await answer;
      call.reject(new Error('the answer was lost'));
    } else {
      if (fate === 2) {
        // It comes once more, later.
        this.#calls.push({ ...call, resolve: () => {}, reject: () => {} });
      }
      await answer.then(call.resolve as (value: unknown) => void, call.reject);
    }
    await turn();
  }

  async #read(): Promise<void> {
    this.#reads = this.#reads.filter(({ member, life }) => member.life === life && !member.isDown);
    if (this.#reads.length === 0) {
      return;
    }
    const place = this.#dice(this.#reads.length);
    const { member, after, until, resolve } = this.#reads[place]!;
    if (member.sleepsUntil > this.#clock.now()) {
      return;
    }
    const key = `{gossamer:${CRAWL}}:mail:${member.slot}`;
    const found = await this.#redis.xread('COUNT', 1 + this.#dice(8), 'STREAMS', key, after);
    const entries = (found?.[0]?.[1] ?? []).map(([id, fields]) => ({ id, body: fields[1]! }));
    if (entries.length > 0 || until <= this.#clock.now()) {
      this.#reads.splice(place, 1);
      if (this.#troubles.network && this.#dice(8) === 0) {
        entries.reverse();
      }
      resolve(entries);
    }
    await turn();
  }

  async #trouble(member: Member): Promise<void> {
    const { sleeps } = this.#troubles;
    const what = this.#dice(6);
    if (member.isDown) {
      if (!member.ended) {
        await this.#restart(member);
      }
    } else if (what === 0 && this.#killsLeft > 0 && member.isJoined && !member.ended) {
      this.#killsLeft--;
      await this.#kill(member);
    } else if (what === 1 && sleeps) {
      // The others go on while it sleeps.
      member.sleepsUntil = this.#clock.now() + this.#dice(3 * LEASE_MS);
    } else if (what === 2 && this.#amnesiasLeft > 0) {
      await this.#forget();
    } else if (what === 3) {
      this.#snapshot = await this.#dump();
    } else if (what === 4 && this.#lossesLeft > 0 && member.isJoined && !member.ended) {
      this.#lossesLeft--;
      await this.#lose(member);
    }
  }

  async #forget(): Promise<void> {
    this.#amnesiasLeft--;
    const was = this.#dice(2) === 0 ? this.#snapshot : null;
    await this.#redis.flushall();
    this.#server += was === null ? 0 : 1;
    for (const [key, bytes] of was ?? []) {
      await this.#redis.restore(key, 0, bytes);
    }
  }

  async #dump(): Promise<[string, Buffer][]> {
    const keys = await this.#redis.keys('*');
    return Promise.all(keys.map(async (key): Promise<[string, Buffer]> => [key, (await this.#redis.dumpBuffer(key))!]));
  }

  async #startNew(slot: number): Promise<void> {
    const place: Partial<Member> = { slot, incarnation: `store-${slot}-${this.#stores++}`, sleepsUntil: 0 };
    const member = Object.assign(this.#members[slot] ?? ({} as Member), place, {
      ...{ isDown: false, ended: false, fate: null, isForgotten: false },
      hasBegun: false,
    });
    this.#members[slot] = member;
    const seat: Seat = { slot, nodes: this.#nodes };
    this.#openNode(member);
    const play = new Play(this.#case, this.#dice, 0, {
      seat,
      clock: this.#clock,
      cluster: () => member.node,
      maxUrls: this.#maxUrls,
      grant: slot === 0 && this.#stores === 1 ? this.#maxUrls : 0,
    });
    member.play = play;
    await play.start();
    this.#join(member);
  }

  #openNode(member: Member): void {
    const life = ++this.#lives;
    member.life = life;
    member.isJoined = false;
    const { nodes } = { nodes: this.#nodes };
    member.node = new ClusterNode({
      bus: this.#busOf(member, life),
      clock: this.#clockOf(member, life),
      founding: { ...FOUNDING, nodes },
      incarnation: member.incarnation,
      goesOn: member.hasBegun,
      isFounder: life === 1,
      leaseMs: LEASE_MS,
      place: { host: 'sim', pid: life },
    });
    this.rights.push({ slot: member.slot, life, cells: member.node.sendUntil });
  }

  #join(member: Member): void {
    const { node, life } = member;
    const bus = this.#busOf(member, life);
    const found = (isSure: boolean): Promise<unknown> =>
      bus.found({ ...FOUNDING, nodes: this.#nodes, generation: 1, ranMs: 0, isSure }).catch(() => found(false));
    void (life === 1 ? found(true) : Promise.resolve())
      .then(() => node.join(member.slot))
      .then(() => {
        if (member.life !== life) {
          return undefined;
        }
        // From now on its store says which slot it has, and the crawl goes on while the mail is opened.
        member.isJoined = true;
        member.hasBegun = true;
        return node.begin(member.play.doors({ stop: (error) => this.#stopped(member, life, error) }));
      })
      .catch((error: StateError) => {
        if (member.life === life) {
          // Where the crawl has not been begun yet, it is started once more.
          const isEarly = error.code === 'cluster_gone' && !member.hasBegun;
          member.isForgotten = !isEarly && this.#isForgotten(error);
          member.isDown ||= isEarly || member.isForgotten;
          member.fate = member.isDown ? null : error;
        }
      });
  }

  /** The operator has to say that the slot may be given away: nobody knows who held it, or that it was given away is forgotten. */
  #isForgotten({ code }: StateError): boolean {
    return this.#troubles.amnesia && code === 'cluster_refused';
  }

  #stopped(member: Member, life: number, error: StateError | null): void {
    if (member.life === life && error !== null) {
      member.isForgotten = this.#isForgotten(error);
      if (member.isForgotten) {
        void this.#kill(member);
      } else {
        member.fate = error;
      }
    }
  }

  /** The process is gone; calls of its that are under way may still arrive. */
  async #kill(member: Member): Promise<void> {
    member.isDown = true;
    member.life = ++this.#lives;
    for (const call of this.#calls.filter((each) => each.member === member)) {
      call.resolve = () => {};
      call.reject = () => {};
    }
  }

  async #restart(member: Member): Promise<void> {
    if (member.isForgotten && (await this.#redisBus().order('replace', member.slot)) === null) {
      return;
    }
    member.isForgotten = false;
    member.isDown = false;
    this.#openNode(member);
    await member.play.kill();
    this.#join(member);
  }

  async #lose(member: Member): Promise<void> {
    await this.#kill(member);
    const { play } = member;
    // The operator gives the slot away when its lease is over.
    this.#clock.advance(LEASE_MS);
    const bus = this.#redisBus();
    const ordered = await bus.order('replace', member.slot);
    if (ordered === null) {
      // Its lease was renewed, or nothing is there that could be told: it is started again as it was.
      return;
    }
    this.#lostPages += play.dispatched;
    play.close();
    await this.#startNew(member.slot);
  }

  #redisBus(): RedisBus {
    const told =
      (run: (...args: unknown[]) => unknown) =>
      (first: unknown, ...rest: unknown[]) =>
        run(first, ...rest, String(this.#server), String(this.#clock.now()));
    const redis = this.#redis;
    const connection = {
      evalsha: told((...args) => redis.evalsha(...(args as Parameters<Redis['evalsha']>))),
      eval: told((...args) => redis.eval(...(args as Parameters<Redis['eval']>))),
      get: (key: string) => redis.get(key),
      xdel: (key: string, ...ids: string[]) => redis.xdel(key, ...ids),
      xlen: (key: string) => redis.xlen(key),
      time: async () => [String(Math.floor(this.#clock.now() / 1000)), '0'],
      disconnect: () => {},
    } as unknown as RedisConnection;
    return new RedisBus(connection, connection, CRAWL, TOLD_CLOCK);
  }

  #busOf(member: Member, life: number): Bus {
    const bus = this.#redisBus();
    const carried = <Value>(run: () => Promise<Value>): Promise<Value> =>
      new Promise((resolve, reject) => {
        if (member.life === life) {
          this.#calls.push({ member, run, resolve: resolve as Call['resolve'], reject });
        }
      });
    return {
      found: (founding) => carried(() => bus.found(founding)),
      look: () => carried(() => bus.look()),
      claim: (claim) => carried(() => bus.claim(claim)),
      report: (...args) => carried(() => bus.report(...args)),
      send: (...args) => carried(() => bus.send(...args)),
      acknowledge: (...args) => carried(() => bus.acknowledge(...args)),
      wake: (slots) => carried(() => bus.wake(slots)),
      order: (...args) => carried(() => bus.order(...args)),
      drop: (...args) => carried(() => bus.drop(...args)),
      use: (nodes) => carried(() => bus.use(nodes)),
      forget: (nodes) => carried(() => bus.forget(nodes)),
      read: (_slot, after, waitMs) =>
        new Promise((resolve) => {
          this.#reads.push({ member, life, after, until: this.#clock.now() + waitMs, resolve });
        }),
      close: async () => {},
    };
  }

  /** The timers of a process that is gone do not ring, and those of one that sleeps ring when it wakes up. */
  #clockOf(member: Member, life: number) {
    const clock = this.#clock;
    return {
      now: () => clock.now(),
      wall: () => clock.wall(),
      at: (at: number, fire: () => void): (() => void) => {
        let cancel = () => {};
        const ring = (): void => {
          if (member.life === life && !member.isDown) {
            if (member.sleepsUntil > clock.now()) {
              cancel = clock.at(member.sleepsUntil, ring);
            } else {
              fire();
            }
          }
        };
        cancel = clock.at(at, ring);
        return () => cancel();
      },
    };
  }

  /** Never two processes that may send for one slot. */
  #checkRights(): void {
    for (let slot = 0; slot < this.#nodes; slot++) {
      const open = this.rights.filter((right) => right.slot === slot && maySend(right.cells, this.#clock));
      if (open.length > 1) {
        throw new Error(`slot ${slot} may be asked for by processes ${open.map(({ life }) => life)}`);
      }
    }
  }

  /** Pages that were asked for, by all stores that there ever were. */
  get dispatched(): number {
    return this.#members.reduce((sum, { play }) => sum + play.dispatched, this.#lostPages);
  }

  #checkLimit(): void {
    if (this.#maxUrls > 0 && this.dispatched > this.#maxUrls) {
      throw new Error(`${this.dispatched} pages were asked for, and ${this.#maxUrls} were to be asked for at most`);
    }
  }

  #end(): void {
    for (const member of this.#members) {
      if (member.fate !== null && !member.isDown) {
        throw member.fate;
      }
      if (!member.isDown && !member.ended && member.node.isOver) {
        this.#checkAllDone();
        member.ended = true;
      }
    }
  }

  /** One of them says that it is over. */
  #checkAllDone(): void {
    for (const { slot, play } of this.#members) {
      const open = play.database
        .prepare(`SELECT url FROM urls WHERE state IN (${UrlState.queued}, ${UrlState.leased}) AND kind <> 1`)
        .all();
      const mail = play.database.prepare('SELECT count(*) AS n FROM outbox').get()!.n;
      // What nobody may ask for any more is left.
      const isSpent = this.#maxUrls > 0 && this.#members.every((member) => member.play.unusedGrant === 0);
      if ((open.length > 0 && !isSpent) || mail > 0) {
        throw new Error(`an early end: slot ${slot} has ${JSON.stringify(open)} and ${mail} pieces of mail`);
      }
    }
  }

  /** Of each URL what its owner says; of those that nobody lists, what anybody says. */
  #union(): Truth {
    const urls: Truth['urls'] = {};
    const sitemaps: Truth['sitemaps'] = {};
    for (const { slot, play } of this.#members) {
      const truth = play.result();
      for (const [url, fact] of Object.entries(truth.urls)) {
        const isOwner = slotOf(url, this.#nodes) === slot;
        if (isOwner && fact.state !== 'unlisted') {
          urls[url] = fact;
        } else if (fact.state !== 'unlisted') {
          throw new Error(`slot ${slot} lists ${url}, which is another's`);
        } else if (!fact.reason?.startsWith('foreign')) {
          urls[url] ??= fact;
        }
      }
      for (const [url, state] of Object.entries(truth.sitemaps)) {
        if (slotOf(url, this.#nodes) === slot) {
          sitemaps[url] = state;
        }
      }
    }
    return { urls, sitemaps };
  }

  async #closeAll(): Promise<void> {
    for (const member of this.#members) {
      member.life = -1;
      member.play.close();
    }
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
