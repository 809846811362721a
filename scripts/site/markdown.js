import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/**
 * Makes a page of Markdown, as GitHub shows it, into HTML: headings have the ids that links of our docs count on, links between pages lead to
 * pages under their titles, other links into the project lead to its files, and the first time that a page says a word of the glossary, the word links there.
 */
export function renderPage(markdown, { linkTo, titleOf, terms }) {
  const html = micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const { text, headings } = nameHeadings(html);
  const linked = text
    .replace(/<a href="([^"]*)">([^<]*)<\/a>/g, (whole, url, name) => {
      if (url === name && !URL.canParse(plain(url))) {
        // GitHub links whatever looks like a URL, placeholders too.
        return name;
      }
      const title = /^(?:[\w-]+\/)*[\w-]+\.md$/.test(name) ? titleOf(url) : undefined;
      return title === undefined ? whole : `<a href="${url}">${escapeHtml(title)}</a>`;
    })
    .replace(/(<(?:a|img) [^>]*?(?:href|src)=")([^"]*)"/g, (_, before, url) => `${before}${linkTo(url)}"`);
  return { html: linkTerms(widenTables(linked), terms), headings, title: plain(headings[0]?.html ?? '') };
}

/** Without tags and entities: what one reads. */
export const plain = (html) =>
  html
    .replace(/<[^>]+>/g, '')
    .replace(
      /&(?:lt|gt|quot|amp|#39);/g,
      (entity) => ({ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&', '&#39;': "'" })[entity],
    );

export const escapeHtml = (text) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]);

/** The id that GitHub gives to a heading. */
export const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

function nameHeadings(html) {
  const headings = [];
  const seen = new Map();
  const text = html.replace(/<h([1-6])>([\s\S]*?)<\/h\1>/g, (_, level, inner) => {
    const slug = slugOf(plain(inner));
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    const id = count === 0 ? slug : `${slug}-${count}`;
    headings.push({ level: Number(level), id, html: inner });
    const mark = level === '1' ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
    return `<h${level} id="${id}">${inner}${mark}</h${level}>`;
  });
  return { text, headings };
}

/** A wide table and a long line move by themselves, also with the keyboard, and the page stays as wide as the screen. */
const widenTables = (html) =>
  html
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');

/** Elements in which a word is not linked. */
const UNLINKED = /^(?:a|code|pre|h[1-6])$/;

/** @param terms words of the glossary in lower case, each with the URL of its entry */
function linkTerms(html, terms) {
  if (terms.size === 0) {
    return html;
  }
  const left = new Map(terms);
  const names = [...terms.keys()].sort((a, b) => b.length - a.length).map((term) => term.replaceAll(' ', '\\s'));
  const word = new RegExp(`(?<![\\w/-])(?:${names.join('|')})(?![\\w-])`, 'gi');
  const open = [];
  return html
    .split(/(<[^>]+>)/)
    .map((piece) => {
      const tag = /^<(\/?)([a-z][a-z0-9]*)/.exec(piece);
      if (tag !== null) {
        if (UNLINKED.test(tag[2])) {
          tag[1] === '' ? open.push(tag[2]) : open.pop();
        }
        return piece;
      }
      return open.length > 0
        ? piece
        : piece.replace(word, (found) => {
            const term = found.toLowerCase().replace(/\s/g, ' ');
            const url = left.get(term);
            for (const [form, place] of left) {
              if (place === url) {
                left.delete(form);
              }
            }
            return url === undefined ? found : `<a class="term" href="${url}">${found}</a>`;
          });
    })
    .join('');
}
