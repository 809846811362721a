import { unescaped } from '../url/identity.js';

/** Line numbers of a source viewer, such as `L10-L20`: a program on the page makes them. */
const LINES = /^L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?$/;

/**
 * The name that the fragment of an href points at, or null where there is nothing to look for: the top of the page, a piece of its text
 * (`#:~:text=`), the route of an application (`#/…`, `#!…`).
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
  if (first === undefined || first === '/' || first === '!' || LINES.test(fragment)) {
    return null;
  }
  return fragment.toLowerCase() === 'top' ? null : fragment;
}

/** The names under which a page may have it: as written, unescaped, and as code hosts prefix what their users write. */
export function* namesOf(fragment: string): IterableIterator<string> {
  const plain = unescaped(fragment);
  for (const name of plain === fragment ? [fragment] : [fragment, plain]) {
    yield name;
    yield `user-content-${name}`;
  }
}
