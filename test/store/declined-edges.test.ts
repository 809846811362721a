import { expect, it } from 'vitest';
import {
  DECLINED,
  edgeKind,
  edgeWord,
  edgeZone,
  HELD_BACK,
  relOfEdge,
  relWithWords,
} from '../../src/store/page-row.js';
import { joinWays, Standing, standingOfEdge } from '../../src/store/standing.js';

it('a link that a hook has skipped says so, and why, beside its rel value; others have none of that', () => {
  const rels = ['ugc', relWithWords('a\0b', 'not now')];
  const word = edgeWord(3, DECLINED, 2, 1);
  expect([edgeKind(word), edgeZone(word)]).toEqual([3, 1]);
  expect(relOfEdge(word, rels)).toEqual({ rel: 'a\0b', words: 'not now' });
  expect(relOfEdge(edgeWord(3, DECLINED, 1), rels)).toEqual({ rel: 'ugc', words: null });
  expect(relOfEdge(edgeWord(3, HELD_BACK, 1), rels)).toEqual({ rel: 'ugc', words: null });
  expect(relOfEdge(edgeWord(3, DECLINED, 0), null)).toEqual({ rel: '', words: null });
});

it('it says more of a URL than one that is marked nofollow, at any depth, and less than one that may be followed', () => {
  expect(standingOfEdge(edgeWord(0, DECLINED, 0))).toBe(Standing.declined);
  expect(standingOfEdge(edgeWord(0, HELD_BACK, 0))).toBe(Standing.heldBack);
  const declined = { standing: Standing.declined, depth: 3 };
  const marked = { standing: Standing.heldBack, depth: 1 };
  const followed = { standing: Standing.followed, depth: 5 };
  expect(joinWays(declined, marked)).toEqual({ standing: Standing.declined, depth: 1 });
  expect(joinWays(marked, declined)).toEqual({ standing: Standing.declined, depth: 1 });
  expect(joinWays(declined, followed)).toEqual(followed);
  expect(joinWays(followed, declined)).toEqual(followed);
});
