import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fragmentOf, namesOf } from '../../src/check/anchors.js';
import { AnchorSet, packAnchors } from '../../src/parse/anchors.js';

test.each([
  ['/a', null],
  ['/a#', null],
  ['#top', null],
  ['#TOP', null],
  ['/a#:~:text=word', null],
  ['/a#part:~:text=word', 'part'],
  ['#/route', null],
  ['#!/route', null],
  ['/x.c#L10', null],
  ['/x.c#L10-L20', null],
  ['#Link', 'Link'],
  ['/a.svg#svgView(viewBox(0,0,1,1))', null],
  ['/a.mp4#t=10', null],
  ['/a.mp4#t=npt:10,20&track=x', null],
  ['/a.png#xywh=percent:1,2,3,4', null],
  ['/a#t=intro', 't=intro'],
  ['/a.svg#icon&t=2', 'icon&t=2'],
  ['/a?b#c#d', 'c#d'],
  ['/a#%C3%BC', '%C3%BC'],
])('the fragment of %s is %s', (href, fragment) => {
  expect(fragmentOf(href)).toBe(fragment);
});

describe('names that a fragment may have on its page', () => {
  it('are as written and unescaped, with the prefix of code hosts', () => {
    expect([...namesOf('%C3%BC')]).toEqual(['%C3%BC', 'user-content-%C3%BC', 'ü', 'user-content-ü']);
    expect([...namesOf('icon&t=2')]).toContain('icon');
    expect([...namesOf('100%')]).toEqual(['100%', 'user-content-100%']);
  });
});

describe('a packed set of anchors', () => {
  it('has what it was made of, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 30 }), { maxLength: 200 }),
        fc.string({ maxLength: 30 }),
        (names, other) => {
          const anchors = new AnchorSet(packAnchors(names));
          expect(names.every((name) => anchors.has(name))).toBe(true);
          expect(anchors.has(other)).toBe(names.includes(other));
          expect(anchors.size).toBe(new Set(names).size);
        },
      ),
      { seed: 17 },
    );
  });

  it('tells names apart that differ in one place', () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `section-${i}`);
    expect(new AnchorSet(packAnchors(names)).size).toBe(100_000);
  });
});
