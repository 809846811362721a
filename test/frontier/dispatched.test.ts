import { describe, expect, it } from 'vitest';
import { FrontierOnStore, offer } from './on-store.js';

const PAGES = Array.from({ length: 9 }, (_, n) => offer(`http://a.test/${n}`));

/** What the host counts on disk, and what of its pages was asked for and not lost. */
const counted = ({ store }: FrontierOnStore): [onDisk: number, asked: number] => [
  store.database.prepare('SELECT dispatched FROM hosts').get()!.dispatched,
  store.database.prepare('SELECT count(*) AS n FROM urls WHERE kind = 0 AND attempts > 0').get()!.n,
];

/** The process is gone, and another one goes on with its store. */
const killed = (box: FrontierOnStore, options: ConstructorParameters<typeof FrontierOnStore>[0]): FrontierOnStore => {
  box.isKilled = true;
  return new FrontierOnStore(options, undefined, box.store, box.now);
};

describe('how many pages of a host were asked for', () => {
  it.each([
    [0, false],
    [0, true],
    [5, false],
  ])(
    'is neither lost nor counted twice by kills, whichever limit there was (%d), and though its row is written late (%s)',
    async (maxUrlsPerHost, savesHostsLate) => {
      let box = new FrontierOnStore({ maxUrlsPerHost, savesHostsLate });
      await box.frontier.admit(PAGES);
      for (let kill = 0; kill < 2; kill++) {
        // What waits on disk is loaded by the one, and goes out with the other.
        const first = [...(await box.frontier.settle([], 2)), ...(await box.frontier.settle([], 2))].slice(0, 2);
        const outcomes = first.map((lease) => box.outcome(lease));
        await box.frontier.settle(outcomes.slice(0, 1), 1);
        // Others are under way, and nothing was written since they went out.
        box = killed(box, { maxUrlsPerHost: kill === 0 ? maxUrlsPerHost : 5 });
        expect(counted(box)).toEqual([kill + 1, kill + 1]);
      }
      expect(await box.fetchAll()).toHaveLength(3);
      expect(counted(box)).toEqual([5, 5]);
    },
  );

  it('is written every ten seconds, or when something else of the host has changed, where it may be late', async () => {
    const box = new FrontierOnStore({ savesHostsLate: true, retries: 0 });
    const settleOne = async (status: number): Promise<number> => {
      const leases = [...(await box.frontier.settle([], 1)), ...(await box.frontier.settle([], 1))];
      await box.frontier.settle(
        leases.map((lease) => box.outcome(lease, { status })),
        0,
      );
      return counted(box)[0];
    };
    await box.frontier.admit(PAGES);
    box.now += 10_000;
    const first = await settleOne(200);
    const second = await settleOne(200);
    expect([first > 0, second]).toEqual([true, first]);
    box.now += 10_000;
    const third = await settleOne(200);
    expect(third).toBeGreaterThan(second);
    expect(await settleOne(503)).toBeGreaterThan(third);
  });

  it('counts a page that is asked for again once, and what was not asked for after all not at all', async () => {
    const box = new FrontierOnStore({ retries: 1, retryDelayMs: 0 });
    await box.frontier.admit(PAGES.slice(0, 3));
    const [again, returned, last] = await box.frontier.settle([], 3);
    await box.frontier.settle(
      [box.outcome(again!, { status: 500 }), box.outcome(returned!, { unsent: 'returned' })],
      0,
    );
    expect(counted(box)[0]).toBe(1);
    await box.frontier.settle([box.outcome(last!)], 0);
    expect(counted(box)[0]).toBe(2);
    box.now += 60_000;
    await box.fetchAll();
    expect(counted(box)).toEqual([3, 3]);
  });
});
