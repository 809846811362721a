import { type Case, group, image, page, sheet } from './case.js';

const element = group('element');
/** A resource that is not there. */
const gone = (rest: string, standard: string, html: string, alone = false): Case =>
  element(rest, 'broken', standard, html, null, { alone });
/** Text that looks like a link and is none: nobody has to ask for it. */
const none = (rest: string, standard: string, html: string, alone = false): Case =>
  element(rest, 'no link', standard, html, null, { alone, never: ['{t}'] });
/** In a stylesheet that the page names. */
const inSheet = (rest: string, truth: 'broken' | 'no link', standard: string, css: string): Case =>
  element(rest, truth, standard, '<link rel="stylesheet" href="/css/of-{name}.css">', null, {
    alone: true,
    routes: { '/css/of-{name}.css': sheet(css) },
    never: truth === 'no link' ? ['{t}'] : [],
  });
const LINK = 'HTML 4.6.7, link types';
const URLS = 'CSS Values 4, 4.5';
const IMPORT = 'CSS Cascade 4, 2';

export const ELEMENT_CASES: readonly Case[] = [
  gone('a', 'HTML 4.5.1', '<a href="{t}">a link</a>'),
  gone('area', 'HTML 4.8.13', '<map name="m"><area href="{t}" alt="area"></map>'),
  gone('img', 'HTML 4.8.3', '<img src="{t}" alt="">'),
  element('img-fine', 'fine', 'HTML 4.8.3', '<img src="{t}" alt="">', image),
  gone('image-is-img', 'HTML 13.2.6.4.7, a start tag "image"', '<image src="{t}">'),
  gone('srcset', 'HTML 4.8.4', '<img src="/ok.png" srcset="/ok.png 1x, {t} 2x" alt="">'),
  element(
    'srcset-comma-in-url',
    'fine',
    'HTML 4.8.4.3.1',
    '<img src="/ok.png" srcset="{t}/a,b.png 1x, /ok.png 2x" alt="">',
    null,
    { routes: { '{t}/a,b.png': image } },
  ),
  gone('picture-source', 'HTML 4.8.2', '<picture><source srcset="{t} 480w"><img src="/ok.png" alt=""></picture>'),
  gone('video', 'HTML 4.8.8', '<video src="{t}"></video>'),
  gone('video-poster', 'HTML 4.8.8', '<video poster="{t}"></video>'),
  gone('audio-source', 'HTML 4.8.2', '<audio><source src="{t}"></audio>'),
  gone('track', 'HTML 4.8.10', '<video><track src="{t}"></video>'),
  gone('iframe', 'HTML 4.8.5', '<iframe src="{t}"></iframe>'),
  gone('iframe-srcdoc', 'HTML 4.8.5', `<iframe srcdoc="&lt;a href='{t}'>a link&lt;/a>"></iframe>`),
  gone('frame', 'HTML 16.3.3', '<frameset cols="*"><frame src="{t}"></frameset>', true),
  gone('embed', 'HTML 4.8.6', '<embed src="{t}">'),
  gone('object', 'HTML 4.8.7', '<object data="{t}"></object>'),
  gone('script', 'HTML 4.12.1', '<script src="{t}"></script>'),
  gone('stylesheet', LINK, '<link rel="stylesheet" href="{t}">'),
  gone('alternate-stylesheet', LINK, '<link rel="alternate stylesheet" title="x" href="{t}">'),
  gone('icon', LINK, '<link rel="shortcut icon" href="{t}">'),
  gone('preload', LINK, '<link rel="preload" as="image" href="{t}">'),
  gone('preload-imagesrcset', LINK, '<link rel="preload" as="image" imagesrcset="{t} 1x">'),
  gone('modulepreload', LINK, '<link rel="modulepreload" href="{t}">'),
  gone('manifest', LINK, '<link rel="manifest" href="{t}">'),
  gone('alternate', LINK, '<link rel="alternate" hreflang="de" href="{t}">'),
  gone('next', LINK, '<link rel="next" href="{t}">'),
  gone('license', LINK, '<link rel="license" href="{t}">'),
  none('preconnect', LINK, '<link rel="preconnect" href="{main}{t}">'),
  none('dns-prefetch', LINK, '<link rel="dns-prefetch" href="{main}{t}">'),
  none('link-without-rel', 'HTML 4.2.4', '<link href="{t}">'),
  none('base-itself', 'HTML 4.2.3', '<base href="{t}">', true),
  none('ping', 'HTML 4.6.6: a POST, and only on a click', '<a href="/" ping="{t}">a link</a>'),
  none(
    'form-post',
    'HTML 4.10.18: a POST, and only on submission',
    '<form method="post" action="{t}"><button>Go</button></form>',
  ),
  gone('input-image', 'HTML 4.10.5.1.19', '<form><input type="image" src="{t}" alt="Go"></form>'),
  none('input-text-src', 'HTML 4.10.5: src is of type=image alone', '<input type="text" src="{t}">'),
  gone('body-background', 'HTML 15.3.3', '<body background="{t}">', true),
  gone('meta-refresh', 'HTML 4.2.5.3', '<meta http-equiv="refresh" content="5; url={t}">', true),
  gone('meta-refresh-quoted', 'HTML 4.2.5.3', `<meta http-equiv="Refresh" content="5;URL='{t}'">`, true),
  gone('svg-a', 'SVG 2 16.2', '<svg><a href="{t}"><text>a link</text></a></svg>'),
  gone('svg-a-xlink', 'SVG 2 16.1.4', '<svg><a xlink:href="{t}"><text>a link</text></a></svg>'),
  gone('svg-image', 'SVG 2 12.3', '<svg><image href="{t}"/></svg>'),
  gone('svg-image-xlink', 'SVG 2 16.1.4', '<svg><image xlink:href="{t}"/></svg>'),
  gone('svg-use', 'SVG 2 5.5', '<svg><use href="{t}#shape"/></svg>'),
  gone('noscript', 'HTML 4.12.2: for who runs no scripts', '<noscript><img src="{t}" alt=""></noscript>'),
  none('comment', 'HTML 13.1.6', '<!-- <a href="{t}">a link</a> -->'),
  none('template', 'HTML 4.12.3', '<template><img src="{t}" alt=""></template>'),
  none('data-attribute', 'HTML 3.2.6.6', '<p data-href="{t}" data-src="{t}">text</p>'),
  none('href-of-p', 'HTML 4.4.1', '<p href="{t}" src="{t}">text</p>'),
  none('in-script', 'HTML 4.12.1', `<script>var markup = '<a href="{t}">';</script>`),
  none('in-json', 'HTML 4.12.1', '<script type="application/json">{"href": "{t}"}</script>'),
  none('in-textarea', 'HTML 13.2.5.2', '<textarea><a href="{t}">a link</a></textarea>'),
  none('in-text', 'HTML 13.2.5.1', '<p>href="{t}"</p>'),
  gone('style-element', URLS, '<style>p { background: url({t}) }</style>'),
  gone('style-attribute', URLS, `<p style="background: url('{t}')">text</p>`),
  gone('style-import', IMPORT, '<style>@import "{t}";</style>', true),
  none('style-comment', 'CSS Syntax 3, 4.3.2', '<style>/* p { background: url({t}) } */</style>'),
  inSheet('sheet-url', 'broken', URLS, 'p { background: url( "{t}" ) no-repeat }'),
  inSheet('sheet-font', 'broken', 'CSS Fonts 4, 4.3', '@font-face { font-family: x; src: URL({t}) format("woff2") }'),
  inSheet('sheet-import', 'broken', IMPORT, '@charset "utf-8"; @import url({t}) screen;'),
  inSheet('sheet-escape', 'broken', 'CSS Syntax 3, 4.3.7', 'p { background: url("\\2f t/{name}") }'),
  inSheet('sheet-string', 'no link', 'CSS Syntax 3, 4.3.5', 'p::before { content: "url({t})" }'),
  inSheet('sheet-namespace', 'no link', 'CSS Namespaces 3, 2', '@namespace url({t}); p { color: red }'),
  inSheet(
    'sheet-late-import',
    'no link',
    `${IMPORT}: after other rules it is invalid`,
    'p { color: red } @import "{t}";',
  ),
  element(
    'sheet-relative',
    'fine',
    `${URLS}: relative to the sheet`,
    '<link rel="stylesheet" href="/css/{name}/main.css">',
    null,
    {
      alone: true,
      routes: {
        '/css/{name}/main.css': sheet('p { background: url(img/{name}.png) }'),
        '/css/{name}/img/{name}.png': image,
      },
    },
  ),
  element('sheet-of-sheet', 'broken', IMPORT, '<link rel="stylesheet" href="/css/of-{name}/a.css">', null, {
    alone: true,
    routes: {
      '/css/of-{name}/a.css': sheet('@import "b/b.css";'),
      '/css/of-{name}/b/b.css': sheet('p { background: url({name}.png) }'),
      '/css/of-{name}/{name}.png': image,
    },
  }),
  element('nested-in-table', 'fine', 'HTML 13.2.6.4.9', '<table><a href="{t}">a link</a><tr><td>x</table>', page()),
];
