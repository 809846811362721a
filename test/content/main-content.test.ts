import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/content/element.js';
import { mainContent } from '../../src/content/extract/main-content.js';
import { Outline } from '../../src/content/extract/outline.js';
import { Why } from '../../src/content/extract/why.js';
import { parseTree } from '../../src/content/tree-builder.js';

const textFrom = (html: string, url = 'https://site.test/guide/page.html'): string =>
  mainContent(parseTree(html), { url }).nodes.map(textOf).join('\n').replace(/\s+/g, ' ').trim();

const SENTENCES = 'A sentence that is long enough to be one, with a comma in it. And then another one follows it. ';
const paragraphs = (count: number): string => `<p>${SENTENCES}</p>`.repeat(count);
const page = (body: string, head = ''): string =>
  `<html><head><title>T</title>${head}</head><body>${body}</body></html>`;

describe('what a person came to read stays', () => {
  it.each([
    ['code', '<div class="highlight"><pre>x = nav(menu)</pre></div>', 'x = nav(menu)'],
    ['a table', '<table><tr><th>Name</th><td><a href="/a">a</a></td></tr></table>', 'Name'],
    ['an admonition in an aside', '<aside class="admonition note"><p>Mind the gap.</p></aside>', 'Mind the gap.'],
    ['a definition list', '<dl><dt>Share</dt><dd>To give away.</dd></dl>', 'To give away.'],
    ['a caption', '<figure><img src="a.png"><figcaption>Two ducks</figcaption></figure>', 'Two ducks'],
    ['a footnote', '<section class="footnotes"><ol><li id="fn1">Not always.</li></ol></section>', 'Not always.'],
    ['who said it', '<blockquote><p>Less.</p><footer>A designer</footer></blockquote>', 'A designer'],
    [
      'a list of the pages below',
      '<ul><li><a href="a.html">First steps</a></li><li><a href="b.html">More</a></li></ul>',
      'First steps',
    ],
    [
      'a section about comments',
      '<div id="comments"><h2>Comments</h2><p>Lines with a hash are comments.</p></div>',
      'Lines with a hash',
    ],
    [
      'a section named by what it is about',
      '<div id="storage-toast-rows"><h2>TOAST</h2><p>Rows that are long.</p></div>',
      'Rows that are long',
    ],
    [
      'a heading that asks',
      '<h2>Subscribe to events</h2><p>Call subscribe() with a name and a function to get them all.</p>',
      'Subscribe to events',
    ],
  ])('%s', (_, html, text) => {
    expect(textFrom(page(`<main><h1>Title</h1>${paragraphs(4)}${html}${paragraphs(2)}</main>`))).toContain(text);
    expect(textFrom(page(`<div><h1>Title</h1>${paragraphs(4)}${html}${paragraphs(2)}</div>`))).toContain(text);
  });

  it('a form that holds the whole page', () => {
    expect(textFrom(page(`<form id="aspnetForm"><h1>Title</h1>${paragraphs(3)}</form>`))).toContain('A sentence');
  });

  it('a class that speaks of what a wrapper has', () => {
    expect(textFrom(page(`<div class="has-sidebar newsletter-post"><h1>Title</h1>${paragraphs(3)}</div>`))).toContain(
      'Title',
    );
  });

  it('a title that no heading marks, on a page of tables', () => {
    const menu =
      '<td><font size="1"><a href="/a">News</a><br><a href="/b">Guestbook</a><br><a href="/c">Links</a></font></td>';
    const rows = `<tr><td colspan="2"><font size="5"><b>How I built a kite</b></font></td></tr><tr>${menu}<td>${SENTENCES}<br><br>${SENTENCES}</td></tr>`;
    const text = textFrom(`<title>How I built a kite - Tom's page</title><center><table>${rows}</table></center>`);
    expect(text).toMatch(/^How I built a kite/);
    expect(text).not.toContain('Guestbook');
  });

  it('an index, which is links and little else', () => {
    const links = Array.from({ length: 30 }, (_, i) => `<li><a href="p${i}.html">Chapter ${i}</a></li>`).join('');
    const text = textFrom(
      page(`<nav><a href="/">Home</a></nav><h1>Contents</h1><ul>${links}</ul><footer>By us</footer>`),
    );
    expect(text).toContain('Chapter 29');
    expect(text).not.toContain('By us');
  });
});

describe('what is around it goes', () => {
  it.each([
    ['navigation', '<nav><a href="/">Gone</a></nav>'],
    ['breadcrumbs', '<ul class="breadcrumbs"><li><a href="/">Gone</a></li></ul>'],
    ['a permalink', '<h2 id="a">Head<a class="headerlink" href="#a">Gone</a></h2>'],
    ['a copy button', '<div class="code"><pre>x</pre><button>Gone</button></div>'],
    ['a share bar', '<div class="post-share"><a href="//x.test">Gone</a></div>'],
    ['a newsletter', '<div class="newsletter"><p>Gone, every Tuesday in your inbox.</p><input type="email"></div>'],
    [
      'a cookie banner',
      '<div class="cookie-banner"><p>Gone: we use cookies, do you agree?</p><button>Yes</button></div>',
    ],
    [
      'a cookie banner without a name',
      '<div><p>Gone: we use cookies, do you agree to that?</p><button>Yes</button></div>',
    ],
    ['comments', '<div class="comments-area"><p>Gone! Great post, I have read it twice and sent it on.</p></div>'],
    ['related posts', '<div><h3>Related posts</h3><ul><li><a href="/a">Gone</a></li></ul></div>'],
    ['related posts that stand in no box', '<h3>You may also like</h3><ul><li><a href="/a">Gone</a></li></ul>'],
    ['an edit link', '<a class="edit-this-page" href="https://git.test/">Gone</a>'],
    [
      'links to the source',
      '<pre>x</pre><a class="link-seesrc" href="/x.nim"> Source </a><a class="t-edit" href="/e">Edit</a>',
    ],
    ['a search box', '<div role="search"><label>Gone</label><input></div>'],
    ['an author box', '<div class="author-box"><p>Gone is a writer who lives with two cats by the sea.</p></div>'],
    ['an advertisement', '<div><span>Advertisement</span></div>'],
    ['what is hidden', '<div hidden>Gone</div><p style="display: none">Gone</p>'],
    ['the footer', '<footer><p>Gone, all rights of it reserved, and it is a long sentence too.</p></footer>'],
  ])('%s', (_, html) => {
    const text = textFrom(page(`<div class="page"><h1>Title</h1>${paragraphs(5)}${html}${paragraphs(3)}</div>`));
    expect(text).not.toMatch(/Gone|Advertisement|Related posts|You may also like|Source|Edit/);
    expect(text.split('A sentence').length).toBe(9);
  });

  it('a table of contents of the same page, but not one of other pages', () => {
    const body = '<h2>One</h2><p>a</p><h2>Two</h2><p>b</p>';
    const toc = (href: string): string =>
      `<div class="toc"><p>Contents here</p><ul><li><a href="${href}one">One</a></li><li><a href="${href}two">Two</a></li></ul></div>`;
    expect(textFrom(page(`<h1>T</h1>${toc('#')}${paragraphs(2)}${body}`))).not.toContain('Contents here');
    expect(textFrom(page(`<h1>T</h1>${toc('page.html#')}${paragraphs(2)}${body}`))).not.toContain('Contents here');
    expect(textFrom(page(`<h1>T</h1>${toc('other.html#')}${paragraphs(2)}${body}`))).toContain('Contents here');
  });

  it('the heading of the site, where the text has one of its own', () => {
    const text = textFrom(
      page(`<div><h1><a href="/">Site name</a></h1></div><div><div><h1>Page</h1>${paragraphs(3)}</div></div>`),
    );
    expect(text).toContain('Page');
    expect(text).not.toContain('Site name');
  });
});

describe('a page is judged block by block', () => {
  const kept = (html: string): number => mainContent(parseTree(html)).kept;

  it('what leads elsewhere goes from the midst of a text, and the text around it stays', () => {
    const links = Array.from({ length: 6 }, (_, i) => `<li><a href="/n${i}">Another story ${i}</a></li>`).join('');
    const text = textFrom(
      page(`<div><h1>Title</h1>${paragraphs(4)}<h3>Read also</h3><ul>${links}</ul>${paragraphs(4)}</div>`),
    );
    expect(text).not.toMatch(/Read also|Another story/);
    expect(text.split('A sentence').length).toBe(9);
  });

  it('a word that leads to a source stays where nothing else says that it is one', () => {
    expect(
      textFrom(page(`<main><h1>Title</h1>${paragraphs(2)}<p>See the <a href="/s">source</a> of it.</p></main>`)),
    ).toContain('source');
  });

  it('says the same of a page whether it has to tell why or not', () => {
    const html = page(
      `<nav><a href="/">Home</a></nav><div><h1>Title</h1>${paragraphs(4)}<h3>Read also</h3><ul><li><a href="/a">Another story</a></li></ul></div><footer>${paragraphs(1)}</footer>`,
    );
    const kept = (why?: Why): string =>
      mainContent(parseTree(html), why === undefined ? {} : { why })
        .nodes.map(textOf)
        .join();
    expect(kept()).toBe(kept(new Why()));
  });

  it('words that stand directly in a box can go without the boxes in it', () => {
    const outline = new Outline(parseTree('<body><div>own <b>bold</b><p>kept</p> tail</div>'));
    const box = outline.elements.findIndex(({ name }) => name === 'div');
    outline.mute(box);
    expect(outline.text(box)).toBe('kept'.length);
    expect(outline.beginning(box, 100)).toBe('kept');
  });

  it('says which share of the text it kept', () => {
    expect(kept(page(`<main><h1>Title</h1>${paragraphs(6)}</main>`))).toBe(1);
    const most = kept(page(`<main><h1>Title</h1>${paragraphs(6)}</main><footer>${paragraphs(6)}</footer>`));
    expect(most).toBeGreaterThan(0.4);
    expect(most).toBeLessThan(0.6);
    expect(kept(page(''))).toBe(1);
  });
});

describe('rules for documentation systems', () => {
  it('say what is content, whatever it is called', () => {
    const html = page(
      `<nav>Gone</nav><main><article><div class="theme-doc-markdown markdown"><h1>T</h1><div class="related">Kept</div></div><p>Gone</p></article></main>`,
      '<meta name="generator" content="Docusaurus v3.8.1">',
    );
    const { system, nodes } = mainContent(parseTree(html));
    expect(system).toBe('Docusaurus');
    expect(nodes.map(textOf).join('')).toBe('TKept');
  });

  it('give way where the page is not as they expect', () => {
    const html = page(`<nav>Gone</nav><h1>T</h1>${paragraphs(3)}`, '<meta name="generator" content="Docusaurus v9">');
    expect(textFrom(html)).toMatch(/^TA sentence/);
  });
});

describe('the title', () => {
  const titleOf = (html: string): string => mainContent(parseTree(html)).title;

  it('is the first heading', () => {
    expect(titleOf(page(`<h1>The <b>title</b><a class="headerlink" href="#t">¶</a></h1>${paragraphs(2)}`))).toBe(
      'The title',
    );
  });

  it('is what the head says where there is none, without the name of the site where that can be told', () => {
    expect(titleOf(page(paragraphs(2)))).toBe('T');
    const head = '<title>Joins | Database</title><meta property="og:title" content="Joins">';
    expect(titleOf(`<head>${head}</head><body>${paragraphs(2)}</body>`)).toBe('Joins');
  });
});

describe('hostile pages', () => {
  it.each([
    ['100,000 nested tags', `${'<div>'.repeat(100_000)}deep`],
    ['100,000 nested tags with names of furniture', `<h1>T</h1>${'<div class="toc sidebar">'.repeat(100_000)}deep`],
    ['300,000 elements side by side', `<h1>T</h1>deep${'<p class="share">x</p>'.repeat(300_000)}`],
    [
      '100,000 boxes 390 deep',
      `<h1>T</h1>deep${'<div>'.repeat(390)}${'<div><a href="#x">Related</a><li>x</li></div>'.repeat(100_000)}`,
    ],
    [
      'a megabyte in one attribute',
      `<div class="${'share '.repeat(200_000)}" id="${'x'.repeat(1_000_000)}">deep</div><p>deep</p>`,
    ],
    ['a megabyte in one word', `<p>deep</p><p>${'x'.repeat(1_000_000)}</p>`],
    ['100,000 headings that lead elsewhere', `<h1>deep</h1>${'<h2>Related</h2><a href="/">x</a>'.repeat(100_000)}`],
  ])('%s', (_, html) => {
    expect(textFrom(html)).toContain('deep');
  });

  it('a page without anything gives nothing', () => {
    expect(textFrom('')).toBe('');
    expect(mainContent(parseTree('<nav>only</nav>')).title).toBe('');
  });
});
