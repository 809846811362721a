/**
 * `npm run site`, after `npm run build`: the documentation as a site of static files in dist/site, with a menu, a search and the API reference.
 * It runs nothing of anybody else's in the browser and asks no other server.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiReference } from './api.js';
import { BELOW, SECTIONS } from './contents.js';
import { escapeHtml, plain, renderPage } from './markdown.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const own = fileURLToPath(new URL('.', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const { homepage, version } = JSON.parse(read('package.json'));

/** Words of the glossary that mean what they always do, except on pages that tell how it works. */
const EVERYDAY = /^(?:admit(?:ted)?|commits?|offers?|outstanding|profiles?|rounds?|stock|edges?)$/;

/** @returns the names of the pages that were written */
export function buildSite(folder) {
  rmSync(folder, { recursive: true, force: true });
  const api = apiReference(join(root, 'dist', 'types', 'index.d.ts'));
  const { sources, sections: parts } = pagesOfProject();
  const menu = menuOf(parts, sources);
  const terms = glossaryTerms();
  const sections = [];
  const texts = new Map([...sources.map((path) => [path, read(path)]), ['api', api.markdown]]);
  const titles = new Map();
  for (const [path, text] of texts) {
    titles.set(path, plainHeading(text));
  }
  for (const [path, text] of texts) {
    const url = urlOf(path);
    const linkTo = (link) => resolveLink(link, path, texts);
    const isGlossary = path === 'docs/GLOSSARY.md';
    const isInside = /^docs\/(?:ARCHITECTURE|PROMISES|PERFORMANCE|decisions\/)/.test(path);
    const words = new Map(
      isGlossary || path === 'api' || path === 'CHANGELOG.md'
        ? []
        : [...terms].filter(([term]) => isInside || !EVERYDAY.test(term)),
    );
    const from = new Map([...words].map(([term, id]) => [term, `${relativeUrl(url, 'glossary.html')}#${id}`]));
    const titleOf = (link) => titles.get(pageOf(link, path, texts));
    const page = renderPage(text, { linkTo, titleOf, terms: from });
    const html = path === 'api' ? linkNames(page.html, api.names) : page.html;
    write(join(folder, url), frame({ path, url, html, headings: page.headings, menu, titles }));
    sections.push(...sectionsOf(html, url, titles.get(path)));
  }
  for (const file of filesBesidePages()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, 'docs', file), join(folder, file));
  }
  for (const file of ['style.css', 'search.js']) {
    copyFileSync(join(own, file), join(folder, file));
  }
  const index = `globalThis.SECTIONS = ${JSON.stringify(sections)};\n`;
  write(join(folder, 'search-index.js'), index + readFileSync(join(own, 'search-sections.js'), 'utf8'));
  return [...texts.keys()].map(urlOf);
}

/** Pages that a reader comes to: those of the menu, and those below them. */
function pagesOfProject() {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'));
  const all = [...inDocs, 'examples/README.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'];
  const named = SECTIONS.flatMap(({ pages }) => pages.map(([path]) => path)).filter((path) => path !== 'api');
  const others = all.filter((path) => !named.includes(path)).sort();
  const isBelow = (path) => BELOW.some((pattern) => pattern.test(path));
  const more = others.filter((path) => !isBelow(path)).map((path) => [path]);
  const sections = more.length === 0 ? SECTIONS : [...SECTIONS, { title: 'More', pages: more }];
  return { sources: [...named, ...others], sections };
}

/** Pictures and schemas, beside the pages that name them. */
const filesBesidePages = () =>
  readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(join(root, 'docs').length + 1)
        .replaceAll('\\', '/'),
    );

function urlOf(path) {
  if (path === 'README.md') {
    return 'index.html';
  }
  const name = path
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase();
  return path === 'SECURITY.md' ? 'report-a-vulnerability.html' : `${name.replace(/(^|\/)readme$/, '$1index')}.html`;
}

const relativeUrl = (from, to) => posix.relative(posix.dirname(from), to) || posix.basename(to);

const targetOf = (link, from) =>
  posix.normalize(posix.join(from === 'api' ? '.' : posix.dirname(from), link.split('#')[0])).replace(/\/$/, '');

/** The page that a link leads to, if it leads to one. */
const pageOf = (link, from, texts) =>
  [targetOf(link, from), `${targetOf(link, from)}/README.md`].find((each) => texts.has(each));

/** Where a link of a page leads on the site: to a page, to a file beside the pages, or else to the file in the repository. */
function resolveLink(link, from, texts) {
  if (/^[a-z][a-z0-9+.-]*:|^#/i.test(link)) {
    return link;
  }
  const fragment = link.split('#')[1];
  const target = targetOf(link, from);
  const end = fragment === undefined ? '' : `#${fragment}`;
  const page = pageOf(link, from, texts);
  if (page !== undefined) {
    return relativeUrl(urlOf(from), urlOf(page)) + end;
  }
  if (!existsSync(join(root, target))) {
    throw new Error(`${from} links to ${link}, which is not there`);
  }
  return target.startsWith('docs/') && /\.\w+$/.test(target)
    ? relativeUrl(urlOf(from), target.slice('docs/'.length)) + end
    : `${homepage}/blob/main/${target}${end}`;
}

/** Each term of the glossary with the id of its entry, which is a heading; further forms stand in brackets behind it. */
function glossaryTerms() {
  const terms = new Map();
  for (const [, heading] of read('docs/GLOSSARY.md').matchAll(/^### (.+)$/gm)) {
    const [, term, forms] = /^(.+?)(?: \((.+)\))?$/.exec(heading);
    const id = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    for (const form of [term, ...(forms?.split(', ') ?? [])]) {
      terms.set(form.toLowerCase(), id);
    }
  }
  return terms;
}

function menuOf(sections, sources) {
  return sections.map(({ title, pages }) => ({
    title,
    pages: pages.map(([path, name]) => ({
      path,
      name: name ?? plainHeading(sources.includes(path) ? read(path) : ''),
    })),
  }));
}

const plainHeading = (markdown) => (/^# (.+)$/m.exec(markdown)?.[1] ?? '').replaceAll('`', '');

/** Names of the API are links to what they are. */
function linkNames(html, names) {
  const known = new Set(names);
  return html.replace(/<pre[^>]*><code[^>]*>[\s\S]*?<\/code><\/pre>/g, (block) =>
    block.replace(/(?<![\w$&/-])[A-Z]\w+(?![\w$])/g, (name) =>
      known.has(name) ? `<a href="#${name.toLowerCase()}">${name}</a>` : name,
    ),
  );
}

/** What the search looks through: each heading with the text below it. */
function sectionsOf(html, url, page) {
  const parts = html.split(/(?=<h[1-4] id=")/).filter((part) => part.startsWith('<h'));
  return parts.map((part) => {
    const [, id, inner] = /^<h[1-4] id="([^"]*)">([\s\S]*?)<\/h[1-4]>/.exec(part);
    const heading = plain(inner.replace(/ <a class="anchor"[\s\S]*$/, ''));
    const text = plain(part.slice(part.indexOf('</h') + 5))
      .replace(/\s+/g, ' ')
      .trim();
    return { url: heading === page ? url : `${url}#${id}`, page, heading, text };
  });
}

function frame({ path, url, html, headings, menu, titles }) {
  const here = (to) => relativeUrl(url, to);
  const title = titles.get(path);
  const links = menu.map(
    (section) =>
      `<h2>${escapeHtml(section.title)}</h2><ul>${section.pages
        .map((page) => {
          const current = page.path === path ? ' aria-current="page"' : '';
          return `<li><a href="${here(urlOf(page.path))}"${current}>${escapeHtml(page.name || titles.get(page.path))}</a></li>`;
        })
        .join('')}</ul>`,
  );
  const inside = headings.filter(({ level }) => level === 2 || (level === 3 && headings.length < 25));
  const onPage =
    inside.length < 2
      ? ''
      : `<h2>On this page</h2><ul>${inside
          .map(({ id, html: text }) => `<li><a href="#${id}">${escapeHtml(plain(text))}</a></li>`)
          .join('')}</ul>`;
  const source = path === 'api' ? 'src/index.ts' : path;
  const depth = url.split('/').length - 1;
  return `<!doctype html>
<html lang="en" data-root="${'../'.repeat(depth)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title === 'Gossamer' ? 'Gossamer' : `${title} – Gossamer`)}</title>
<meta name="description" content="${escapeHtml(firstSentence(html))}">
<link rel="stylesheet" href="${here('style.css')}">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="name" href="${here('index.html')}">Gossamer ${version}</a>
<div class="search" role="search"><input id="search" type="search" placeholder="Search  ( / )" aria-label="Search the documentation" autocomplete="off"><ul id="found" hidden></ul></div>
</header>
<div class="frame">
<nav class="menu" aria-label="Pages"><details open><summary>Pages</summary>${links.join('')}</details></nav>
<main id="content">
${html}
<footer><span>Gossamer ${version}, MIT licence</span><a href="${homepage}/blob/main/${source}">Source of this page</a></footer>
</main>
<aside aria-label="On this page">${onPage}</aside>
</div>
<script>if (matchMedia('(max-width: 50rem)').matches) document.querySelector('nav details').open = false;</script>
<script src="${here('search.js')}"></script>
</body>
</html>
`;
}

const firstSentence = (html) =>
  plain(/<p>([\s\S]*?)<\/p>/.exec(html)?.[1] ?? '')
    .replace(/\s+/g, ' ')
    .slice(0, 160);

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

// Node names the module without links, and the argument as it was given.
if (process.argv[1] !== undefined && import.meta.filename === realpathSync(process.argv[1])) {
  const pages = buildSite(join(root, 'dist', 'site'));
  console.log(`${pages.length} pages in dist/site`);
}
