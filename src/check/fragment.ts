import { unescaped } from '../url/identity.js';

/** Line numbers of a source viewer, such as `L10-L20`: a program on the page makes them. */
const LINES = /^L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?$/;

/** A part of a picture or a sound and no name: `svgView(…)` of SVG, and the times and areas of Media Fragments. */
const PART = /^(?:svgView\(|(?:t=(?:[a-z][a-z\d-]*:)?[\d.:,]|xywh=(?:pixel:|percent:)?\d))/;
/** SVG 2: a name may be followed by such a part. */
const PART_AFTER_NAME = /&(?:t|xywh)=.*$/s;

/**
 * The name that the fragment of an href points at, or null where there is nothing to look for: the top of the page, a piece of its text
 * (`#:~:text=`), the route of an application (`#/…`, `#!…`), a part of a picture or a sound (`#t=10`).
 */
export function fragmentOf(written: string): string | null {
  // As every parser of URLs does.
  const href = written.replace(/[\t\n\r]/g, '');
  const hash = href.indexOf('#');
  if (hash < 0 || href.endsWith('…')) {
    return null;
  }
  const directive = href.indexOf(':~:', hash);
  const fragment = href.slice(hash + 1, directive < 0 ? undefined : directive).trim();
  const first = fragment[0];
  if (first === undefined || first === '/' || first === '!' || LINES.test(fragment) || PART.test(fragment)) {
    return null;
  }
  return fragment.toLowerCase() === 'top' ? null : fragment;
}

/** The names under which a page may have it: as written, unescaped, without the part of it that is wanted, and as code hosts prefix what their users write. */
export function* namesOf(fragment: string): IterableIterator<string> {
  const plain = unescaped(fragment);
  for (const name of new Set([fragment, plain, plain.replace(PART_AFTER_NAME, '')])) {
    yield name;
    yield `user-content-${name}`;
  }
}
