import { escapeHtml, html, redirect, type Site, type SiteAnswer, type SiteRequest, text, urlset, xml } from './site.js';

/** Crumb & Co., a made-up bakery: a small site with one of everything that a crawl report talks about. */
interface DemoPage {
  title: string;
  body: string;
  lang?: 'en' | 'fr';
  /** The same page in the other language. */
  translation?: string;
}

const BREADS: Record<string, [title: string, about: string]> = {
  'country-loaf': ['Country loaf', 'Wheat and a little rye, two days of patience, a crust that sings when it cools.'],
  'rye-and-caraway': ['Rye and caraway', 'Dark, moist, and at its best on the third day.'],
  baguette: ['Baguette', 'Flour, water, salt, yeast, and nothing to hide behind.'],
  focaccia: ['Focaccia', 'Olive oil above and below, rosemary from the back yard.'],
  'cinnamon-knots': ['Cinnamon knots', 'Only on Saturdays. The queue starts at seven.'],
  'lemon-tart': ['Lemon tart', 'Short pastry, sharp curd, no decoration.'],
};

const ARTICLES: Record<string, [title: string, about: string, next: string | null]> = {
  'keeping-a-starter': [
    'Keeping a starter alive',
    'Feed it, forgive it, and write the date on the jar. A starter that smells of nail varnish is hungry, not dead.',
    'why-steam',
  ],
  'why-steam': [
    'Why bakers want steam',
    'A wet surface stretches; a dry one tears. That is the whole secret of the shine.',
    'flour',
  ],
  flour: [
    'What the number on the flour means',
    'Ash, not fineness: what is left when a sample is burned.',
    'stale-bread',
  ],
  'stale-bread': ['Five lives of a stale loaf', 'Crumbs, soup, pudding, croutons, and the birds.', 'night-shift'],
  'night-shift': ['Notes from the night shift', 'At four in the morning the street belongs to us and the fox.', null],
};

const link = (href: string, label: string, rel = ''): string =>
  `<a href="${escapeHtml(href)}"${rel && ` rel="${rel}"`}>${escapeHtml(label)}</a>`;
const list = (items: string[]): string => `<ul>\n${items.map((item) => `<li>${item}</li>\n`).join('')}</ul>`;

const PAGES: Record<string, DemoPage> = {
  '/': {
    title: 'Crumb & Co., bakers',
    translation: '/fr/',
    body: `<img src="/images/loaf.svg" alt="A loaf" width="120">
<p>Bread from one oven, since the day before yesterday.</p>
${list([link('/menu/', 'What we bake'), link('/articles/', 'What we write'), link('/visit', 'Where we are'), link('/old-shop', 'Our old address')])}`,
  },
  '/menu/': {
    title: 'Menu',
    translation: '/fr/menu',
    body: list(Object.entries(BREADS).map(([name, [title]]) => link(`/menu/${name}`, title))),
  },
  '/articles/': {
    title: 'Articles',
    body: `${list(Object.entries(ARTICLES).map(([name, [title]]) => link(name, title)))}
<p>${link('/articles/the-lost-recipe', 'The lost recipe')} (it is really lost)</p>`,
  },
  '/visit': {
    title: 'Visit us',
    translation: '/fr/visite',
    body: `<p>3 Mill Lane. Tuesday to Saturday, from seven until we are sold out.</p>
<p>${link('https://www.openstreetmap.org/', 'Map')} · ${link('mailto:hello@bakery.example', 'Write to us')}</p>`,
  },
  '/about': {
    title: 'About us',
    body: `<p>Two bakers, one oven, and Gustav, who is a sourdough.</p>
${list([link('/about/team', 'The team'), link('/about/suppliers', 'Where our flour comes from'), link('/jobs', 'Work with us')])}`,
  },
  '/about/team': { title: 'The team', body: '<p>Ines kneads, Tom shapes, Gustav rises.</p>' },
  '/about/suppliers': {
    title: 'Our suppliers',
    body: `<p>Flour from the ${link('https://mill.example/', 'mill up the river', 'nofollow')}.</p>`,
  },
  '/jobs': { title: 'Work with us', body: '<p>We look for somebody who likes the night.</p>' },
  '/fr/': {
    title: 'Crumb & Co., boulangers',
    lang: 'fr',
    translation: '/',
    body: `<p>Du pain d’un seul four, depuis avant-hier.</p>
${list([link('/fr/menu', 'Nos pains'), link('/fr/visite', 'Où nous trouver')])}`,
  },
  '/fr/menu': {
    title: 'Nos pains',
    lang: 'fr',
    translation: '/menu/',
    body: '<p>Pain de campagne, seigle, baguette.</p>',
  },
  '/fr/visite': {
    title: 'Nous rendre visite',
    lang: 'fr',
    translation: '/visit',
    body: '<p>3 Mill Lane, du mardi au samedi.</p>',
  },
  '/christmas': { title: 'Christmas orders', body: '<p>Not linked from anywhere yet: only the sitemap knows.</p>' },
  '/baker-only/rota': { title: 'Rota', body: '<p>Not for crawlers.</p>' },
};
for (const [name, [title, about]] of Object.entries(BREADS)) {
  PAGES[`/menu/${name}`] = { title, body: `<p>${about}</p><p>${link('./', 'Back to the menu')}</p>` };
}
for (const [name, [title, about, next]] of Object.entries(ARTICLES)) {
  const onward = next === null ? '' : `<p>Next: ${link(next, ARTICLES[next]![0], 'next')}</p>`;
  PAGES[`/articles/${name}`] = { title, body: `<article><p>${about}</p></article>${onward}` };
}

const LOAF =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40"><path d="M5 35q-4-28 25-28t25 28z" fill="#c98b4b"/><path d="M18 14l6 14m4-16l6 16m4-14l6 12" stroke="#fff3df" fill="none"/></svg>';

const FORBIDDEN = '/baker-only/';

export function demoSite(): Site {
  return { handle: answer };
}

function answer(request: SiteRequest): SiteAnswer {
  const page = PAGES[request.path];
  if (page) {
    return html(render(request, page));
  }
  switch (request.path) {
    case '/robots.txt':
      return text(`User-agent: *\nDisallow: ${FORBIDDEN}\n\nSitemap: ${request.origin}/sitemap.xml\n`);
    case '/sitemap.xml': {
      const paths = Object.keys(PAGES).filter((path) => !path.startsWith(FORBIDDEN));
      return xml(urlset(paths.map((path) => request.origin + path)));
    }
    case '/old-shop':
      return redirect('/visit');
    case '/images/loaf.svg':
      return { headers: { 'content-type': 'image/svg+xml' }, body: LOAF };
    case '/style.css':
      return {
        headers: { 'content-type': 'text/css' },
        body: 'body { max-width: 40em; margin: auto; font-family: serif; }\n',
      };
    default:
      return html('<!doctype html><html lang="en"><title>Sold out</title><p>This page is sold out.', 404);
  }
}

function render({ origin, path }: SiteRequest, page: DemoPage): string {
  const lang = page.lang ?? 'en';
  const other = lang === 'en' ? 'fr' : 'en';
  const alternates = page.translation
    ? `<link rel="alternate" hreflang="${lang}" href="${origin}${path}">
<link rel="alternate" hreflang="${other}" href="${origin}${page.translation}">\n`
    : '';
  const menu = [
    link('/', 'Home'),
    link('/menu/', 'Menu'),
    link('/articles/', 'Articles'),
    link('/about', 'About'),
    link('/baker-only/rota', 'Staff'),
  ];
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(page.title)}</title>
<meta name="description" content="${escapeHtml(page.title)} at Crumb &amp; Co.">
<link rel="canonical" href="${origin}${path}">
${alternates}<link rel="stylesheet" href="/style.css">
</head>
<body>
<nav>${menu.join(' · ')}</nav>
<main>
<h1>${escapeHtml(page.title)}</h1>
${page.body}
</main>
</body>
</html>
`;
}
