import { answer, type Case, group, image, notFound, page } from './case.js';

const fragment = group('fragment');
const SELECT = 'HTML 7.4.6.4, the indicated part of the document';
const MEDIA = 'RFC 3986 3.5: the media type says what it means';
const DIRECTIVE = 'URL Fragment Text Directives 3.3';
const a = (at: string): string => `<a href="{t}${at}">a link</a>`;
const WORDS = '<p>Many words stand between the beginning of this page and its end.</p>';
const FILLER = WORDS.repeat(6000);

const there = (rest: string, at: string, markup: string, standard = SELECT): Case =>
  fragment(rest, 'fine', standard, a(at), page(markup));
const missing = (rest: string, at: string, markup: string, standard = SELECT): Case =>
  fragment(rest, 'broken', standard, a(at), page(markup));
/** Nothing but a root that a script fills. */
const drawn = (rest: string, at: string): Case =>
  fragment(
    rest,
    'cannot tell',
    'HTML 8.1: what a script adds is not in the bytes',
    a(at),
    answer(
      200,
      { 'Content-Type': 'text/html' },
      '<!doctype html><title>App</title><div id="root"></div><script type="module" src="/app.js"></script>',
    ),
  );

export const FRAGMENT_CASES: readonly Case[] = [
  there('id', '#place', '<p id="place">A place</p>'),
  missing('id-missing', '#nowhere', '<p id="place">A place</p>'),
  there('name', '#place', '<a name="place">A place</a>'),
  missing('name-of-other-element', '#place', '<p name="place">A place</p><input name="place">'),
  there('empty', '#', ''),
  there('top', '#top', ''),
  there('top-upper-case', '#TOP', ''),
  there('percent-encoded', '#caf%C3%A9', '<p id="café">A place</p>'),
  there('utf-8', '#café', '<p id="café">A place</p>'),
  missing('other-normal-form', '#caf%C3%A9', '<p id="cafe\u0301">A place</p>'),
  there('id-with-percent', '#a%20b', '<p id="a%20b">A place</p>'),
  there('id-with-space', '#a b', '<p id="a b">A place</p>'),
  there('id-with-plus', '#a%2Bb', '<p id="a+b">A place</p>'),
  missing('plus-is-no-space', '#a+b', '<p id="a b">A place</p>'),
  missing('case', '#Place', '<p id="place">A place</p>'),
  missing('in-template', '#place', '<template><p id="place">A place</p></template>', 'HTML 4.12.3'),
  missing('in-comment', '#place', '<!-- <p id="place">A place</p> -->', 'HTML 13.1.6'),
  missing('in-script', '#place', `${WORDS.repeat(10)}<script>var markup = '<p id="place">';</script>`, 'HTML 13.2.5.4'),
  missing('in-textarea', '#place', '<textarea><p id="place">A place</p></textarea>', 'HTML 13.2.5.2'),
  missing('in-srcdoc', '#place', `<iframe srcdoc="<p id='place'>A place</p>"></iframe>`, 'HTML 4.8.5'),
  missing('in-text', '#place', '<p>id="place" is written so</p>'),
  missing('in-other-attribute', '#place', `<p data-id="place" title='id="place"'>A place</p>`),
  there('twice', '#place', '<p id="place">One</p><p id="place">Two</p>'),
  there('entity', '#a&amp;b', '<p id="a&amp;b">A place</p>'),
  there('unquoted', '#place', '<P ID=place>A place'),
  there('in-svg', '#place', '<svg><g id="place"></g></svg>'),
  there('in-hidden', '#place', '<div hidden><p id="place">A place</p></div>'),
  there('far-below', '#place', `${FILLER}<p id="place">A place</p>`),
  missing('far-below-missing', '#nowhere', `${FILLER}<p id="place">A place</p>`),
  there('newline-in-href', '#pla\nce', '<p id="place">A place</p>', 'WHATWG URL 4.4'),
  there('text', '#:~:text=somebody%20may', '', DIRECTIVE),
  there('id-and-text', '#place:~:text=somebody', '<p id="place">A place</p>', DIRECTIVE),
  missing('id-missing-and-text', '#nowhere:~:text=somebody', '', DIRECTIVE),
  fragment('same-page', 'fine', SELECT, null, null, {
    routes: { '/page/self/{name}.html': page('<a href="#{name}">a link</a><p id="{name}">A place</p>') },
  }),
  fragment('same-page-missing', 'broken', SELECT, null, null, {
    routes: { '/page/of-{name}.html': page('<a href="#{name}">a link</a>') },
  }),
  fragment('of-missing-page', 'broken', 'RFC 9110 15.5.5', a('#place'), notFound),
  fragment('elsewhere', 'fine', SELECT, '<a href="{own}{t}#place">a link</a>', page('<p id="place">A place</p>')),
  fragment(
    'elsewhere-missing',
    'broken',
    SELECT,
    '<a href="{own}{t}#nowhere">a link</a>',
    page('<p id="place">A place</p>'),
  ),
  fragment('of-image', 'fine', MEDIA, a('.png#xywh=0,0,1,1'), null, { routes: { '{t}.png': image } }),
  fragment('of-pdf', 'fine', 'RFC 8118 3', a('.pdf#page=2'), null, {
    routes: { '{t}.pdf': answer(200, { 'Content-Type': 'application/pdf' }, '%PDF-1.4') },
  }),
  fragment('of-text', 'fine', 'RFC 5147', a('.txt#line=1'), null, {
    routes: { '{t}.txt': answer(200, { 'Content-Type': 'text/plain' }, 'One line\nTwo lines\n') },
  }),
  fragment('of-svg', 'fine', 'SVG 2 16.1', a('.svg#place'), null, {
    routes: {
      '{t}.svg': answer(
        200,
        { 'Content-Type': 'image/svg+xml' },
        '<svg xmlns="http://www.w3.org/2000/svg"><g id="place"/></svg>',
      ),
    },
  }),
  fragment('of-svg-view', 'fine', 'SVG 2 16.1.3', a('.svg#svgView(viewBox(0,0,1,1))'), null, {
    routes: {
      '{t}.svg': answer(200, { 'Content-Type': 'image/svg+xml' }, '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    },
  }),
  drawn('drawn-by-script', '#place'),
];
