import { describe, expect, it } from 'vitest';
import { RenderShapes } from '../../src/crawl/render-shapes.js';
import { Rendering } from '../../src/store/url-state.js';

const url = (path: string): string => `https://a.test/docs/${path}`;

function tried(gains: readonly number[]): RenderShapes {
  const shapes = new RenderShapes();
  gains.forEach((gain, i) => {
    shapes.came(url(`guide/${i}`), true);
    shapes.began(url(`guide/${i}`));
    shapes.ended(url(`guide/${i}`), 100, 100 * gain);
  });
  return shapes;
}

describe('which pages are worth a browser', () => {
  it('ten that look empty are a reason to try, fewer only when nothing else comes', () => {
    const shapes = new RenderShapes();
    shapes.came(url('a'), true);
    shapes.came(url('b'), true);
    expect(shapes.decide(url('a'), false)).toBe('wait');
    expect(shapes.decide(url('a'), true)).toBe('render');
    for (let i = 2; i < 10; i++) {
      shapes.came(url(`${i}`), true);
    }
    expect(shapes.decide(url('a'), false)).toBe('render');
  });

  it('where most pages of the folder have their text none is tried', () => {
    const shapes = new RenderShapes();
    for (let i = 0; i < 10; i++) {
      shapes.came(url(`${i}`), i < 4);
    }
    expect(shapes.decide(url('0'), true)).toBe('wait');
    expect(shapes.wanting).toBe(0);
  });

  it('a folder with a few thin pages is tried only where the whole site is like them', () => {
    const shapes = new RenderShapes();
    for (let i = 0; i < 9; i++) {
      shapes.came(url(`stubs/${i}`), true);
    }
    expect(shapes.decide(url('stubs/0'), true)).toBe('render');
    for (let i = 0; i < 10; i++) {
      shapes.came(url(`guide/${i}`), false);
    }
    expect(shapes.decide(url('stubs/0'), true)).toBe('wait');
    expect(new RenderShapes(shapes.facts).decide(url('stubs/0'), true)).toBe('wait');
    shapes.came(url('stubs/9'), true);
    expect(shapes.decide(url('stubs/0'), false)).toBe('render');
  });

  it('no more than three are tried at a time', () => {
    const shapes = new RenderShapes();
    for (let i = 0; i < 9; i++) {
      shapes.came(url(`${i}`), true);
    }
    for (let i = 0; i < 3; i++) {
      shapes.began(url(`${i}`));
    }
    expect(shapes.decide(url('3'), true)).toBe('wait');
    shapes.leftOff(url('0'));
    expect(shapes.decide(url('0'), true)).toBe('render');
  });

  it.each([
    [[1.6, 1.6, 1], 'render'],
    [[1.5, 1.5, 9], 'leave'],
    [[1, 9, 1], 'leave'],
    [[1, 9, 9], 'render'],
  ] as const)('the median of three decides: %j', (gains, decision) => {
    expect(tried(gains).decide(url('guide/next'), false)).toBe(decision);
  });

  it('for the first two folders, digits folded, and for no other', () => {
    const shapes = tried([9, 9, 9]);
    expect(shapes.decide(url('guide/deep/er?page=2'), false)).toBe('render');
    expect(shapes.decide(url('api/other'), false)).toBe('wait');
    const versions = new RenderShapes();
    for (const path of ['3.11/a', '3.12/b', '3.13/c']) {
      versions.came(url(path), true);
    }
    expect(versions.decide(url('3.14/d'), true)).toBe('render');
    expect(new RenderShapes(versions.facts).wanting).toBe(3);
  });

  it('a page on which the browser came to no end has gained nothing', () => {
    const shapes = tried([9, 1]);
    shapes.began(url('guide/x'));
    expect(shapes.ended(url('guide/x'), 100, null)).toBe(true);
    expect(shapes.decide(url('guide/next'), true)).toBe('leave');
  });

  it('what earlier runs found out still holds', () => {
    const seen = [0, 1, 2].map((i) => ({
      url: url(`${i}`),
      rendering: Rendering.rendered,
      text: 10,
      renderedText: 900,
    }));
    expect(RenderShapes.of(seen).decide(url('next'), false)).toBe('render');
    const futile = seen.map((page) => ({ ...page, rendering: Rendering.futile, renderedText: 10 }));
    expect(new RenderShapes(RenderShapes.of(futile).facts).decide(url('next'), false)).toBe('leave');
  });
});
