import { fileNamePart } from '../report/sitemap-names.js';
import { cut, folderName, mark, safeName } from './safe-name.js';

/** Characters of a whole path in UTF-8; Windows allows 260 for all of it, the folder of the corpus included. */
const LONGEST_PATH = 180;
const DEEPEST = 16;

const HTML_EXTENSION = /\.(?:html?|xhtml|md|markdown)$/i;
const INDEX = 'index';

/**
 * Where a page would stand in the tree if it were alone: `/a/b.html` at `a/b.md`, `/a/` at `a/index.md`, `/a/b?x=1` at `a/b@x=1.md`. Pages
 * of another origin than the corpus's own stand in a folder of that name. Only the URL decides; `PathBook` settles what two pages want.
 *
 * Files end in `.md` and folders never do, so that a page and a folder do not meet.
 */
export function pagePath(url: string, origin: string): string {
  const { folders, name } = placeOf(new URL(url), origin);
  const path = [...folders, name].join('/');
  if (folders.length <= DEEPEST && Buffer.byteLength(path) <= LONGEST_PATH) return `${path}.md`;
  return `${shortened(folders, name, mark(url))}.md`;
}

function placeOf(url: URL, origin: string): { folders: string[]; name: string } {
  const segments = url.pathname.replace(/^\//, '').split('/');
  const last = segments.pop() ?? '';
  const folders = segments.map(folderName);
  if (url.origin !== origin) folders.unshift(folderName(`@${fileNamePart(url.origin, 'https')}`));
  const stem = last === '' ? INDEX : safeName(last.replace(HTML_EXTENSION, '') || last);
  return {
    folders,
    name: url.search.length > 1 ? `${stem}@${safeName(url.search.slice(1).replaceAll('&', ','))}` : stem,
  };
}

/** As many folders as there is room for, then the beginning of the name; the hash stands for the rest. */
function shortened(folders: readonly string[], name: string, hash: string): string {
  const kept: string[] = [];
  let room = LONGEST_PATH / 2;
  for (const folder of folders.slice(0, DEEPEST)) {
    room -= Buffer.byteLength(folder) + 1;
    if (room < 0) break;
    kept.push(folder);
  }
  // A name that is cut may end in what no name may end in; the hash behind it mends that.
  return [...kept, `${cut(name, LONGEST_PATH / 2 - hash.length - 1)}${hash}`].join('/');
}

/** The path with a hash of its URL behind the name. */
export const markedPath = (path: string, url: string): string => path.replace(/\.md$/, `${mark(url)}.md`);
