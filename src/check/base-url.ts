import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { originOf, pathOf } from '../url/host.js';
import { normaliseUrl } from '../url/identity.js';

/** Where a folder will stand once it is published. */
export interface BaseUrl {
  /** In normal form, with the slash that ends a folder. */
  readonly url: string;
  readonly origin: string;
  /** Host and port, as a Host header has them. */
  readonly host: string;
  /** From the first slash to the last; `/` for a whole site. */
  readonly path: string;
}

/** Reads --base-url. */
export function parseBaseUrl(text: string): BaseUrl {
  const normal = /^https?:\/\//i.test(text) ? normaliseUrl(text) : null;
  if (normal === null) {
    throw new UsageError(`--base-url must be a URL with http:// or https://, got ${printable(text, 100)}`);
  }
  if (normal.credentials !== null) {
    throw new UsageError('--base-url must not hold a name or a password');
  }
  if (/[?#]/.test(text)) {
    throw new UsageError(`--base-url must end with its path, without ? and #, got ${printable(text, 100)}`);
  }
  const url = normal.url.endsWith('/') ? normal.url : `${normal.url}/`;
  const origin = originOf(url);
  return { url, origin, host: origin.slice(origin.indexOf('//') + 2), path: pathOf(url) };
}
