import { describe, expect, it } from 'vitest';
import type { Answer, Bus, Caller, Entry } from '../../src/cluster/bus.js';
import { PostOffice } from '../../src/cluster/post-office.js';
import type { Mail, Peer } from '../../src/store/outbox.js';

const OK = { ok: true } as Answer & { ok: true };
const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** Streams that lose nothing. */
class Streams {
  readonly #entries = new Map<number, Entry[]>();
  #next = 1;

  add(slot: number, body: string): void {
    this.#entries.set(slot, [...(this.#entries.get(slot) ?? []), { id: String(this.#next++), body }]);
  }

  bus(): Bus {
    return {
      send: async (_caller: Caller, _id: string, to: number, body: string) => {
        this.add(to, body);
        return OK;
      },
      acknowledge: async (_caller: Caller, _id: string, to: number, body: string) => {
        this.add(to, body);
        return OK;
      },
      drop: async () => {},
      read: async (slot: number, after: string) => {
        await new Promise((resolve) => setImmediate(resolve));
        return (this.#entries.get(slot) ?? []).filter(({ id }) => Number(id) > Number(after));
      },
    } as unknown as Bus;
  }
}

/** What a store has that matters for mail; a copy of it is what is restored. */
interface Kept {
  slot: number;
  written: string[];
  peer: Peer;
  cursors: Map<string, number>;
  taken: string[];
}

const newStore = (slot: number): Kept => ({
  ...{ slot, written: [], cursors: new Map(), taken: [] },
  peer: { slot: 1 - slot, incarnation: null, last: 0, acked: 0 },
});

/** The office of a process that has opened the store of a slot, and what ended it. @param asked before the store's answer about mail is heard */
async function open(
  kept: Kept,
  streams: Streams,
  asked: () => Promise<void> = async () => {},
  opening: (office: PostOffice) => void = () => {},
) {
  let failure: Error | null = null;
  const office = new PostOffice({
    bus: streams.bus(),
    store: {
      peers: async () => [{ ...kept.peer }],
      take: async (_slot, from) => {
        const mail = kept.written.slice(from - 1).map((url) => ({ offer: { url } }) as unknown as Mail);
        await asked();
        return mail;
      },
      acknowledged: async (_slot, seq) => {
        kept.peer.acked = seq;
      },
      begin: async (_slot, incarnation) => {
        const isOther = kept.peer.incarnation !== null && kept.peer.incarnation !== incarnation;
        Object.assign(kept.peer, { incarnation, ...(isOther ? { acked: 0 } : {}) });
        const answer = { ...kept.peer };
        await asked();
        return answer;
      },
    },
    ...{ id: 'crawl', slot: kept.slot, incarnation: `store-${kept.slot}`, cursors: kept.cursors },
    call: async (run) => (await run({} as Caller)) as Answer & { ok: true },
    admit: async (mail) => {
      kept.taken.push(...mail.map((piece) => ('offer' in piece ? piece.offer.url : '')));
    },
    changed: () => {},
    woken: () => {},
  });
  const opened = office.open();
  opening(office);
  await opened;
  await office.meet(new Map([[1 - kept.slot, `store-${1 - kept.slot}`]]));
  void office.read(0, turns).catch((error: Error) => {
    failure = error;
    office.close();
  });
  office.beat();
  return {
    office,
    failure: () => failure?.message ?? null,
    write(...urls: string[]): void {
      kept.written.push(...urls);
      kept.peer.last = kept.written.length;
      office.posted([{ slot: 1 - kept.slot, last: kept.peer.last }]);
    },
  };
}

describe('mail between stores', () => {
  it('arrives once, in its order, and is quiet when all of it is acknowledged', async () => {
    const streams = new Streams();
    const [from, to] = [newStore(0), newStore(1)];
    const [a, b] = [await open(from, streams), await open(to, streams)];
    expect(a.office.isQuiet).toBe(false);
    a.write('x', 'y');
    await turns();
    expect([to.taken, a.office.isQuiet, b.office.isQuiet]).toEqual([['x', 'y'], true, true]);
    a.office.close();
    b.office.close();
  });

  it('keeps its numbers where some of it is acknowledged while the store is asked for it once more', async () => {
    const streams = new Streams();
    const [from, to] = [newStore(0), newStore(1)];
    const receiver = await open(to, streams);
    let heard: () => void = () => {};
    let isSlow = false;
    const sender = await open(from, streams, () =>
      isSlow ? new Promise<void>((resolve) => (heard = resolve)) : Promise.resolve(),
    );
    await turns();
    receiver.office.close();
    await turns();
    sender.write('1', '2', '3');
    await turns();
    isSlow = true;
    sender.office.startOver();
    await turns();
    // What was sent first arrives all the same, and its acknowledgement comes before the store's answer.
    const again = await open(to, streams);
    await turns();
    sender.write('4', '5', '6');
    isSlow = false;
    heard();
    await turns();
    expect([to.taken, from.peer.acked]).toEqual([['1', '2', '3', '4', '5', '6'], 6]);
    for (const { office } of [sender, again]) {
      office.close();
    }
  });

  it('is taken in the order of its numbers alone, whatever order it comes in', async () => {
    const streams = new Streams();
    const to = newStore(1);
    const receiver = await open(to, streams);
    const letter = (first: number, ...urls: string[]): string =>
      JSON.stringify({
        ...{ from: 0, store: 'store-0', to: 'store-1', have: 0, by: 'x', first },
        mail: urls.map((url) => ({ offer: { url } })),
      });
    streams.add(1, letter(3, '3', '4'));
    streams.add(1, letter(1, '1', '2'));
    await turns();
    expect(to.taken).toEqual(['1', '2']);
    streams.add(1, letter(2, '2', '3', '4'));
    await turns();
    expect(to.taken).toEqual(['1', '2', '3', '4']);
    receiver.office.close();
  });

  it('is not taken for acknowledged by a store that took the place of the one that acknowledges it', async () => {
    const streams = new Streams();
    const [from, to] = [newStore(0), newStore(1)];
    const receiver = await open(to, streams);
    let heard: () => void = () => {};
    let isSlow = false;
    const sender = await open(from, streams, () =>
      isSlow ? new Promise<void>((resolve) => (heard = resolve)) : Promise.resolve(),
    );
    await turns();
    receiver.office.close();
    await turns();
    sender.write('1', '2');
    await turns();
    isSlow = true;
    const met = sender.office.meet(new Map([[1, 'another store']]));
    await turns();
    // The old one acknowledges while the store is at work on the numbers of the new one.
    const late = { from: 1, store: 'store-1', to: 'store-0', acked: 2, isGap: false, have: 0, by: 'x' };
    streams.add(0, JSON.stringify(late));
    await turns();
    isSlow = false;
    heard();
    await met;
    await turns();
    expect(from.peer).toMatchObject({ incarnation: 'another store', acked: 0 });
    expect(sender.office.isQuiet).toBe(false);
    sender.office.close();
  });

  it('that is written while the office is being opened is sent', async () => {
    const streams = new Streams();
    const [from, to] = [newStore(0), newStore(1)];
    const receiver = await open(to, streams);
    from.written.push('1');
    const sender = await open(
      from,
      streams,
      async () => {},
      (office) => {
        from.peer.last = 1;
        office.posted([{ slot: 1, last: 1 }]);
      },
    );
    expect(sender.office.isQuiet).toBe(false);
    await turns();
    expect(to.taken).toEqual(['1']);
    for (const { office } of [sender, receiver]) {
      office.close();
    }
  });

  it('is not lost unseen where its sender was set back to an old copy and has written other mail since', async () => {
    const streams = new Streams();
    const [from, to] = [newStore(0), newStore(1)];
    const [a, b] = [await open(from, streams), await open(to, streams)];
    a.write('x');
    await turns();
    const copy = structuredClone(from);
    a.write('y', 'z');
    await turns();
    a.office.close();
    const old = await open(copy, streams);
    old.write('other 1', 'other 2', 'other 3');
    await turns();
    expect([to.taken, old.failure()]).toEqual([
      ['x', 'y', 'z'],
      expect.stringMatching(/slot 0 is older .*gossamer cluster replace 0.*empty --data-dir/),
    ]);
    expect(b.failure()).toBe(null);
    b.office.close();
  });

  it('that was acknowledged is missed by a receiver that was set back, and by it alone, though nothing new comes', async () => {
    const streams = new Streams();
    const [from, to] = [newStore(0), newStore(1)];
    const [a, b] = [await open(from, streams), await open(to, streams)];
    a.write('x');
    await turns();
    const copy = structuredClone(to);
    a.write('y');
    await turns();
    b.office.close();
    // Nothing of it is left on the way.
    const empty = new Streams();
    a.office.close();
    const again = await open(from, empty);
    const old = await open(copy, empty);
    await turns();
    expect([old.failure(), again.failure()]).toEqual([expect.stringContaining('slot 1 is older'), null]);
    again.office.close();
  });
});
