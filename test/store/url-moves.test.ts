import { describe, expect, it } from 'vitest';
import { StateError } from '../../src/base/errors.js';
import type { Store } from '../../src/store/store.js';
import { isLegalMove, moveAll, RowMove, UrlMove } from '../../src/store/url-moves.js';
import { STATE_NAMES, UrlState } from '../../src/store/url-state.js';
import { projectFiles, read } from '../shell/repository.js';
import { newUrl, openStore, transaction, urlRow } from './support.js';

const STATES = Object.values(UrlState);
const PAIRS = STATES.flatMap((from) => STATES.filter((to) => to !== from).map((to) => ({ from, to })));
const NAMED = PAIRS.map((pair) => ({ ...pair, name: `${STATE_NAMES[pair.from]} → ${STATE_NAMES[pair.to]}` }));

/** One URL in the given state. */
function storeWith(state: UrlState): Store {
  const store = openStore();
  store.writer.commit(transaction({ newUrls: [newUrl(1, 'http://a.test/1', { state })] }));
  return store;
}

const stateOf = ({ database }: Store): string => urlRow(database, 1).state;

/** Each way to move a URL. */
const WAYS: Record<string, (store: Store, from: UrlState, to: UrlState, when?: 'betweenRuns') => void> = {
  'all rows of a condition': ({ database }, from, to, when) => {
    moveAll(database, { from, to, where: 'id = 1', ...(when === undefined ? {} : { when }) });
  },
  'a URL by its id': ({ database }, from, to, when) => {
    new UrlMove(database, { from, to, ...(when === undefined ? {} : { when }) }).run(1);
  },
};

describe.each(Object.entries(WAYS))('%s', (_, move) => {
  it.each(NAMED)('makes the move $name where the table has it, and else refuses it', ({ from, to }) => {
    const store = storeWith(from);
    if (isLegalMove(from, to)) {
      move(store, from, to);
      expect(stateOf(store)).toBe(STATE_NAMES[to]);
    } else {
      expect(() => move(store, from, to)).toThrow(`a URL cannot go from ${STATE_NAMES[from]} to ${STATE_NAMES[to]}`);
      expect(stateOf(store)).toBe(STATE_NAMES[from]);
    }
  });

  it.each(NAMED)('makes the move $name between two runs where the table has it for then', ({ from, to }) => {
    const store = storeWith(from);
    if (isLegalMove(from, to, 'betweenRuns')) {
      move(store, from, to, 'betweenRuns');
      expect(stateOf(store)).toBe(STATE_NAMES[to]);
    } else {
      expect(() => move(store, from, to, 'betweenRuns')).toThrow(StateError);
    }
  });

  it('refuses several states where one of them may not go there', () => {
    const { database } = storeWith(UrlState.queued);
    const from = [UrlState.queued, UrlState.done];
    expect(() => moveAll(database, { from, to: UrlState.skipped })).toThrow('a URL cannot go from done to skipped');
  });
});

describe('a row that was read', () => {
  it.each(NAMED)('makes the move $name where the table has it, and else is refused', ({ from, to }) => {
    const store = storeWith(from);
    const move = () => new RowMove(store.database, 'depth = ?4').run({ id: 1, state: from }, to, 7);
    if (isLegalMove(from, to)) {
      move();
      expect(urlRow(store.database, 1)).toMatchObject({ state: STATE_NAMES[to], depth: 7 });
    } else {
      expect(move).toThrow(StateError);
      expect(stateOf(store)).toBe(STATE_NAMES[from]);
    }
  });

  it('may stay in its state, and is refused where it has left it', () => {
    const { database } = storeWith(UrlState.unlisted);
    const move = new RowMove(database, 'depth = ?4');
    move.run({ id: 1, state: UrlState.unlisted }, UrlState.unlisted, 3);
    expect(urlRow(database, 1).depth).toBe(3);
    expect(() => move.run({ id: 1, state: UrlState.queued }, UrlState.leased, 3)).toThrow('URL 1 is no longer queued');
  });
});

it('a URL that is not where the move leads from stays where it is', () => {
  for (const state of STATES.filter((each) => each !== UrlState.queued)) {
    const store = storeWith(state);
    const lease = new UrlMove(store.database, { from: UrlState.queued, to: UrlState.leased });
    expect(lease.try(1)).toBe(false);
    expect(() => lease.run(1)).toThrow(`URL 1 should go from queued to leased but is ${STATE_NAMES[state]}`);
    expect(moveAll(store.database, { from: UrlState.queued, to: UrlState.leased })).toBe(0);
    expect(stateOf(store)).toBe(STATE_NAMES[state]);
  }
});

it('no other file of the store has a statement that changes a state', () => {
  const others = projectFiles().filter((path) => /^src\/.*\.ts$/.test(path) && path !== 'src/store/url-moves.ts');
  const changing = others.filter((path) =>
    [...read(path).matchAll(/UPDATE urls SET(.{0,400}?)(?:\bWHERE\b|;)/gs)].some(([, set]) => /\bstate\b/.test(set!)),
  );
  expect(changing).toEqual([]);
});
