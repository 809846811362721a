/**
 * Parts of a URL that is in normal form (see identity.ts): lower-case scheme and host, no credentials, no default port,
 * never an empty path. That is what lets these read by position and do without a URL parser. Anything but http(s), such as a
 * key of a custom fetcher, is all path: its origin and host are ''.
 */

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const LOOPBACK_IPV4 = /^127\.\d+\.\d+\.\d+$/;
/** Loopback addresses mapped into IPv6, in the one spelling that URLs have for them. */
const LOOPBACK_MAPPED = /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/;

export function isHttp(url: string): boolean {
  return url.startsWith('http://') || url.startsWith('https://');
}

/** Where the host begins: after `http://` or `https://`, or 0 if there is none. */
function hostStart(url: string): number {
  return url.startsWith('https://') ? 8 : url.startsWith('http://') ? 7 : 0;
}

/** Where the path begins. */
function pathStart(url: string): number {
  const start = hostStart(url);
  if (start === 0) {
    return 0;
  }
  const slash = url.indexOf('/', start);
  return slash < 0 ? url.length : slash;
}

/** Scheme, host and port: what robots.txt and credentials belong to. */
export function originOf(url: string): string {
  return url.slice(0, pathStart(url));
}

/** Path and query: what a request asks for. */
export function pathOf(url: string): string {
  return url.slice(pathStart(url));
}

/** Path without the query. */
export function barePathOf(url: string): string {
  const start = pathStart(url);
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

/** The URL up to the last slash of its path: relative hrefs are resolved against it. */
export function folderOf(url: string): string {
  const query = url.indexOf('?');
  return url.slice(0, url.lastIndexOf('/', query < 0 ? url.length : query) + 1);
}

/** Where the host ends: at the port or the path. The colons inside `[…]` are no ports. */
function hostEnd(url: string, start: number, end: number): number {
  const from = url.charCodeAt(start) === 0x5b ? url.indexOf(']', start) : start;
  const colon = url.indexOf(':', from);
  return colon < 0 || colon > end ? end : colon;
}

/** The host without the port; IPv6 addresses keep their brackets. */
export function hostnameOf(url: string): string {
  const start = hostStart(url);
  return url.slice(start, hostEnd(url, start, pathStart(url)));
}

export function isIpHost(hostname: string): boolean {
  return hostname.startsWith('[') || IPV4.test(hostname);
}

/** 127.0.0.0/8, also mapped into IPv6, ::1 (with or without brackets), `localhost` and every name below it. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (name.endsWith('localhost')) {
    return name.length === 9 || name.charCodeAt(name.length - 10) === 0x2e;
  }
  return name === '[::1]' || name === '::1' || LOOPBACK_IPV4.test(name) || LOOPBACK_MAPPED.test(name);
}

/**
 * The name that pacing, backoff and caps go by: the host whatever its scheme or port, since those are one machine to its
 * owner. On loopback every port is a server of its own, so there the effective port counts. The dot that may end a full
 * name is left out, or one host could be asked at twice its rate.
 */
export function hostKeyOf(url: string): string {
  const start = hostStart(url);
  const path = pathStart(url);
  const end = hostEnd(url, start, path);
  const name = url.slice(start, url.charCodeAt(end - 1) === 0x2e ? end - 1 : end);
  if (!isLoopbackHost(name)) {
    return name;
  }
  const port = end < path ? url.slice(end + 1, path) : start === 7 ? '80' : '443';
  return `${name}:${port}`;
}

/** The host that such a key stands for; a key has a port only on loopback. */
export const hostnameOfKey = (hostKey: string): string => hostKey.replace(/:\d+$/, '');

// Only formats that are binary throughout. Text such as .css, .js, .json or .svg stays out: code browsers show it under the
// same ending as HTML, and a GET that turns out to be something else costs no more than its headers.
const BINARY_EXTENSIONS = new Set(
  [
    'jpg jpeg jpe jfif png gif webp avif apng bmp ico tif tiff heic heif jxl psd raw eps ai',
    'zip gz tgz bz2 tbz2 xz txz zst 7z rar tar lz lzma cab jar war ear whl gem crate nupkg',
    'mp3 m4a aac ogg oga opus wav flac wma mid midi aiff',
    'mp4 m4v mkv webm avi mov wmv flv mpg mpeg ogv 3gp swf',
    'woff woff2 ttf otf eot',
    'pdf ps djvu epub mobi azw3',
    'doc docx dot dotx xls xlsx xlsm xlsb ppt pptx pps ppsx odt ods odp odg rtf vsd vsdx',
    'exe msi msix dll so dylib bin dmg pkg iso img apk aab ipa deb rpm appimage snap wasm pyc',
    'sqlite sqlite3 mdb accdb parquet avro pickle npy npz onnx safetensors gguf',
  ]
    .join(' ')
    .split(' '),
);
const LONGEST_EXTENSION = 12;

/** The extension of the last path segment in lower case, or ''. */
export function extensionOf(url: string): string {
  const start = pathStart(url);
  const query = url.indexOf('?', start);
  const end = query < 0 ? url.length : query;
  const dot = url.lastIndexOf('.', end - 1);
  if (dot <= start || end - dot - 1 > LONGEST_EXTENSION || url.lastIndexOf('/', end - 1) > dot) {
    return '';
  }
  return url.slice(dot + 1, end).toLowerCase();
}

/** Whether the URL names a file that can hold no links to follow, so that HEAD is enough. */
export function hasBinaryExtension(url: string): boolean {
  if (!BINARY_EXTENSIONS.has(extensionOf(url))) {
    return false;
  }
  // `File:Map.png` and its like are wiki pages about a file.
  const path = barePathOf(url);
  return path.indexOf(':', path.lastIndexOf('/')) < 0;
}

/** The one origin, and host, of keys that are not URLs (a library user's own identity): there is no network behind it. */
const NOWHERE = 'local:';

/** The origin that a URL, or a key that stands for one, is queued under. */
export const queueOriginOf = (url: string): string => (isHttp(url) ? originOf(url) : NOWHERE);

/** The host that paces the requests of an origin. */
export const hostOfOrigin = (origin: string): string => (origin === NOWHERE ? NOWHERE : hostKeyOf(`${origin}/`));

/** Whether there is a server behind a host or origin: then it has a robots.txt and can fail. */
export const isServer = (hostOrOrigin: string): boolean => hostOrOrigin !== NOWHERE;

/** Whether the path, with or without a query, is the base or below it, by whole segments. */
export function isPathBelow(path: string, basePath: string): boolean {
  if (path.startsWith(basePath)) {
    return true;
  }
  const folder = basePath.slice(0, -1);
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '?');
}

/**
 * Swaps the origin of URLs below `from.path`; the path is the same on both sides, so a relative link or Location means the
 * same there and here. Null for a URL that is not below it.
 */
export function swapOrigin(url: string, from: { origin: string; path: string }, to: string): string | null {
  return originOf(url) === from.origin && isPathBelow(pathOf(url), from.path) ? to + pathOf(url) : null;
}

/** An IPv6 address as sockets want it; any other host as it is. */
export const withoutBrackets = (hostname: string): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;

/** The same address as URLs want it. */
export const withBrackets = (host: string): string => (host.includes(':') ? `[${host}]` : host);
