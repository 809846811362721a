import { svgAnchors } from '../parse/anchors.js';
import { cssUrls } from '../parse/css-urls.js';
import { decodeText } from '../parse/encodings.js';
import { LINK_KIND_NUMBER, ScannedLinks } from '../parse/links.js';
import { markdownAnchors, markdownLinks } from '../parse/markdown/markdown-links.js';
import { MdxFile } from '../parse/markdown/mdx-links.js';
import { plainTextLinks, rstLinks, type TextLink } from '../parse/markdown/text-links.js';
import { isCssType, isMarkdownType, isMdxType, isRstType, isSvgType } from '../parse/media-type.js';
import { TextPlaces } from '../parse/scan-position.js';
import { NO_DEFINITION } from './link-targets.js';

/** The links of what is text and no HTML, by its type: Markdown, MDX, reStructuredText, a stylesheet, else plain text. */
export function linksOfText(body: Uint8Array, contentType: string | null): ScannedLinks {
  const { text } = decodeText(body, 'utf-8');
  if (isCssType(contentType)) {
    return linksOfStylesheet(text);
  }
  if (isMarkdownType(contentType)) {
    return givenLinks(
      markdownLinks(text).map(({ kind, ...link }) =>
        kind === 'undefined' ? { ...link, href: `${NO_DEFINITION}[${link.href}]` } : link,
      ),
    );
  }
  return givenLinks(
    isMdxType(contentType) ? new MdxFile(text).links() : isRstType(contentType) ? rstLinks(text) : plainTextLinks(text),
  );
}

/** What fragments can point at in it; null if it is of a type that has no names. */
export function anchorsOfText(body: Uint8Array, contentType: string | null): Iterable<string> | null {
  if (isSvgType(contentType)) {
    return svgAnchors(body);
  }
  if (!isMarkdownType(contentType) && !isMdxType(contentType)) {
    return null;
  }
  const { text } = decodeText(body, 'utf-8');
  return isMarkdownType(contentType) ? markdownAnchors(text) : new MdxFile(text).anchors();
}

/** What a stylesheet loads is checked as if the page had loaded it itself. */
function linksOfStylesheet(text: string): ScannedLinks {
  const links = new ScannedLinks(null);
  const places = new TextPlaces(text);
  const [texts, lines, columns]: [string[], number[], number[]] = [[], [], []];
  for (const { href, isImport, at } of cssUrls(text)) {
    links.addGiven(isImport ? LINK_KIND_NUMBER.stylesheet : LINK_KIND_NUMBER.css, href, '');
    places.moveTo(at);
    texts.push('');
    lines.push(places.line);
    columns.push(places.column);
  }
  Object.assign(links, { texts, lines, columns });
  return links;
}

function givenLinks(found: readonly TextLink[]): ScannedLinks {
  const links = new ScannedLinks(null);
  for (const { element, href } of found) {
    links.addGiven(LINK_KIND_NUMBER[element], href, '');
  }
  links.texts = found.map(({ text }) => text);
  links.lines = found.map(({ line }) => line);
  links.columns = found.map(({ column }) => column);
  links.ignored = found.map(({ ignored }) => ignored);
  return links;
}
