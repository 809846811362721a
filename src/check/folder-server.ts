import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { isPathBelow, originOf, pathOf, swapOrigin } from '../url/host.js';
import { type BaseUrl, parseBaseUrl } from './base-url.js';
import { FolderFiles, type Lists } from './folder-files.js';

const OPEN_FILES = 64;
const ADDRESS = '127.0.0.1';
const NOT_FOUND_PAGE = '404.html';

export interface FolderServer {
  /** Where it listens, `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Where a crawl of the folder begins: the base URL, or the server itself where there is none. */
  readonly seed: string;
  /** The URL to ask instead of one below the base URL; null for any other, which is to be asked as it is. */
  toLocal(url: string): string | null;
  /** The public name of a URL of this server; null for any other URL. */
  toPublic(url: string): string | null;
  /** The path of the file that answers a URL (public or local), from the folder, with `/`; null if none does. */
  fileOf(url: string): Promise<string | null>;
  close(): Promise<void>;
}

interface FolderOptions {
  baseUrl?: string;
  lists?: Lists;
  /** A request has to send it in SECRET_HEADER: other users of the machine can reach loopback too. */
  secret?: string;
}

export const SECRET_HEADER = 'x-gossamer-folder';

/**
 * Serves a folder on loopback as static hosts serve it, so that a site can be checked before it is published. With a base URL
 * the folder stands under its path, and the paths on both sides are the same.
 */
export async function serveFolder(folder: string, options: FolderOptions = {}): Promise<FolderServer> {
  const root = await realFolder(folder);
  const base = options.baseUrl === undefined ? null : parseBaseUrl(options.baseUrl);
  const site = new FolderSite(root, base, options);
  const server = createServer((request, response) => void site.answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, ADDRESS, resolve);
  });
  const host = `${ADDRESS}:${(server.address() as AddressInfo).port}`;
  site.hosts.add(host);
  const origin = `http://${host}`;
  const local = { origin, path: site.basePath };
  const toPublic = (url: string) => (base === null ? null : swapOrigin(url, local, base.origin));
  const toLocal = (url: string) => (base === null ? null : swapOrigin(url, base, origin));
  return {
    origin,
    seed: base?.url ?? `${origin}/`,
    toLocal,
    toPublic,
    async fileOf(url) {
      const asked = toLocal(url) ?? url;
      const file = originOf(asked) === origin ? await site.fileAt(pathOf(asked)) : null;
      return file === null ? null : relative(root, file).split(sep).join('/');
    },
    close: () => closeServer(server),
  };
}

/** Answers the requests. */
class FolderSite {
  readonly basePath: string;
  /** A request for any other host is refused: a page in a browser may be trying to reach this server. */
  readonly hosts = new Set<string>();
  readonly #files: FolderFiles;
  readonly #reads = new Turnstile(OPEN_FILES);
  readonly #secret: string | null;

  constructor(root: string, base: BaseUrl | null, { lists = 'never', secret }: FolderOptions) {
    this.#files = new FolderFiles(root, lists);
    this.#secret = secret ?? null;
    this.basePath = base?.path ?? '/';
    if (base !== null) {
      this.hosts.add(base.host);
    }
  }

  /** @param path path and query */
  async fileAt(path: string): Promise<string | null> {
    const found = await this.#find(path);
    return found?.kind === 'file' ? found.file : null;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch {
      // The file or the client has gone while the body was sent. A body that ends early tells the client that it is incomplete.
      response.destroy();
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = normalPath(request.url ?? '');
    const found = path === null ? null : await this.#reads.run(() => this.#find(path));
    if (!this.hosts.has(request.headers.host?.toLowerCase() ?? '')) {
      refuse(response, 421);
    } else if (this.#secret !== null && request.headers[SECRET_HEADER] !== this.#secret) {
      refuse(response, 403);
    } else if (path === null) {
      refuse(response, 400);
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, 405, { allow: 'GET, HEAD' });
    } else if (found?.kind === 'folder') {
      refuse(response, 301, { location: path.replace(/(?=\?|$)/, '/') });
    } else if (found === null) {
      await this.#missing(request, response);
    } else if (found.kind === 'listing') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end();
    } else {
      await this.#send(request, response, found, 200);
    }
  }

  async #find(path: string) {
    const bare = path.replace(/\?.*$/s, '');
    if (!isPathBelow(bare, this.basePath)) {
      return null;
    }
    return bare.length < this.basePath.length
      ? { kind: 'folder' as const }
      : this.#files.find(bare.slice(this.basePath.length));
  }

  async #missing(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const page = await this.#reads.run(() => this.#files.find(NOT_FOUND_PAGE));
    if (page?.kind === 'file') {
      await this.#send(request, response, page, 404);
    } else {
      refuse(response, 404);
    }
  }

  async #send(
    request: IncomingMessage,
    response: ServerResponse,
    { file, bytes }: { file: string; bytes: number },
    status: 200 | 404,
  ): Promise<void> {
    const range = status === 200 ? readRange(request.headers.range, bytes) : null;
    response.setHeader('content-type', contentTypeOf(file));
    response.setHeader('accept-ranges', 'bytes');
    if (range === 'unsatisfiable') {
      refuse(response, 416, { 'content-range': `bytes */${bytes}` });
      return;
    }
    const { start, end } = range ?? { start: 0, end: bytes - 1 };
    if (range !== null) {
      response.setHeader('content-range', `bytes ${start}-${end}/${bytes}`);
    }
    response.setHeader('content-length', end - start + 1);
    response.statusCode = range === null ? status : 206;
    if (request.method === 'HEAD' || end < start) {
      response.end();
      return;
    }
    await this.#reads.run(() => pipeline(createReadStream(file, { start, end }), response));
  }
}

/** Path and query of a request target with dot segments worked out, or null if it has no path. */
function normalPath(target: string): string | null {
  if (!target.startsWith('/')) {
    return null;
  }
  try {
    // The host is put in front and not used as a base: `//host/` must not be taken for another host.
    const { pathname, search } = new URL(`http://${ADDRESS}${target}`);
    // A Location that begins with two slashes would lead to another host.
    return pathname.startsWith('//') ? null : pathname + search;
  } catch {
    return null;
  }
}

/** One range from a start, which is what a ranged look at a file asks for; null where all of it is to be sent. */
function readRange(header: string | undefined, bytes: number): { start: number; end: number } | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined) {
    return null;
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(bytes - 1, Number(last));
  if (last !== '' && Number(last) < start) {
    return null;
  }
  return start < bytes ? { start, end } : 'unsatisfiable';
}

function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end();
}

async function realFolder(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    if ((await stat(root)).isDirectory()) {
      return root;
    }
  } catch (error) {
    throw new UsageError(
      `${printable(folder)}: this folder cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
  throw new UsageError(`${printable(folder)}: this is not a folder`);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Content types by extension. None names a charset: what the page says of itself counts, as it does for a file in a browser. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  xml: 'application/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  txt: 'text/plain',
  md: 'text/markdown',
  markdown: 'text/markdown',
  mdx: 'text/mdx',
  rst: 'text/x-rst',
  csv: 'text/csv',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  wasm: 'application/wasm',
};

function contentTypeOf(path: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined) ?? 'application/octet-stream';
}

/** Lets at most so many work at a time; the others wait in line. */
class Turnstile {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) {
      this.#free--;
    } else {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) {
        this.#free++;
      } else {
        next();
      }
    }
  }
}
