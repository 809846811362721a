import { describe, expect, it } from 'vitest';
import { cssUrls } from '../../src/parse/css-urls.js';

const hrefs = (css: string, isAttribute = false) => cssUrls(css, isAttribute).map(({ href }) => href);

describe('the URLs of a stylesheet', () => {
  it.each([
    ['a{b:url(x.png)}', ['x.png']],
    ['a{b:url( x.png )}', ['x.png']],
    ['a{b:url("x y.png")}', ['x y.png']],
    ["a{b:URL('x.png')}", ['x.png']],
    ['a{b:u\\72l(x.png)}', ['x.png']],
    ['a{b:url(a\\29 b.png)}', ['a)b.png']],
    ['a{b:url("a\\\nb.png")}', ['ab.png']],
    ['a{b:url("a\\26 b.png")}', ['a&b.png']],
    ['/* url(no.png) */ a{b:url(yes.png)}', ['yes.png']],
    ['a{b:"url(no.png)"}', []],
    ['a{b:url(no"x.png) c url(yes.png)}', ['yes.png']],
    ['a{b:url(no x.png) c url(yes.png)}', ['yes.png']],
    ['a{b:"bad\n} c{d:url(yes.png)}', ['yes.png']],
    ['a{--x:url(custom.png)}', ['custom.png']],
    ['a{b:url()}', []],
    ['a{b:url(#filter)}', []],
    ['a{b:url(data:image/png;base64,AAAA)}', []],
    ['a{b:src("x.png")}', ['x.png']],
    ['a{b:image-set("1.png" 1x, url(2.png) 2x type("image/png"))}', ['1.png', '2.png']],
    ['a{b:format("woff2") url(f.woff2)}', ['f.woff2']],
    ['a{b:2url(no.png)}', []],
    ['#url(no.png){}', []],
    ['@namespace svg url(http://www.w3.org/2000/svg); @namespace "http://x.test/"; a{b:url(yes.png)}', ['yes.png']],
    ['a{b:url(open.png', ['open.png']],
    ['a{b:"open.png', []],
    ['<!-- a{b:url(x.png)} -->', ['x.png']],
  ])('%s', (css, expected) => {
    expect(hrefs(css)).toEqual(expected);
  });

  it('tells imports from the rest, and where each stands', () => {
    const css =
      '@charset "utf-8";@import "a.css" screen;@import url(b.css) supports(display: grid);\n@import url("c.css");a{b:url(d.png)}';
    expect(cssUrls(css)).toEqual([
      { href: 'a.css', isImport: true, at: css.indexOf('"a.css"') },
      { href: 'b.css', isImport: true, at: css.indexOf('url(b') },
      { href: 'c.css', isImport: true, at: css.indexOf('"c.css"') },
      { href: 'd.png', isImport: false, at: css.indexOf('url(d') },
    ]);
  });

  it('knows no import behind a rule, in a block or in an attribute', () => {
    expect(hrefs('a{} @import "no.css";')).toEqual([]);
    expect(hrefs('@media screen{@import "no.css";}')).toEqual([]);
    expect(hrefs('@import "no.css"', true)).toEqual([]);
    expect(hrefs('background: url(x.png)', true)).toEqual(['x.png']);
  });

  it('takes linear time of hostile texts', () => {
    for (const piece of ['url(', '(', '\\', '/*', '"', '@import ', 'url( ', "url('", '-', '#']) {
      expect(hrefs(piece.repeat(200_000)).length).toBeLessThan(200_001);
    }
  });
});
