import { StateError } from '../base/errors.js';
import { formatCount } from '../base/figures.js';
import type { Reader } from '../store/reader.js';
import { pictureOf } from './picture.js';
import { PAGE_BOUNDS, type Picture } from './picture-shape.js';
import { graphOf } from './write-graph.js';

/** The picture of a crawl for the dashboard. A crawl with more than `mostLinks` is refused before anything of it is read. */
export function drawnGraph(reader: Reader, mostLinks: number): Picture {
  const links = reader.graph.linkCount();
  if (links > mostLinks) {
    throw new StateError(
      'too_large',
      `this crawl has ${formatCount(links)} links, and the dashboard draws up to ${formatCount(mostLinks)}: \`gossamer graph\` with -o site.html draws any number`,
    );
  }
  return pictureOf(graphOf(reader, 'page', false), PAGE_BOUNDS);
}
