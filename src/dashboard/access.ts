import { randomBytes, timingSafeEqual } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type { MiddlewareHandler } from 'hono';

/** Who may ask the dashboard, and what a browser may do with what it says. */

export const TOKEN_HEADER = 'x-gossamer-token';

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

/** Scripts, styles and questions of our own, and nothing else: whatever a page of the crawl says, the browser asks nobody for it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export const newToken = (): string => randomBytes(24).toString('base64url');

export const isLoopback = (host: string): boolean =>
  LOOPBACK.includes(host) || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** As it stands in a URL. */
export const inUrl = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);

export interface Access {
  /** What `--address` says. */
  readonly host: string;
  /** The port that is listened on. */
  port(): number;
  readonly token: string;
}

/**
 * The rules of every request, before anything is looked at.
 *
 * A page of another site can have the browser send requests here. It can make its own name point to this machine, so the name that is asked
 * for must be ours. A request that says it comes from elsewhere is refused. It can send forms, so whatever changes something must come from
 * our own page and bring the token, which other pages do not have. Off loopback other people can ask too, so reading needs the token as well.
 */
export function guard({ host, port, token }: Access): MiddlewareHandler {
  const names = namesOf(host);
  const readsNeedToken = !isLoopback(host);
  return async (context, next) => {
    const { method, path } = context.req;
    for (const [name, value] of Object.entries(HEADERS)) {
      context.header(name, value);
    }
    const asked = context.req.header('host')?.toLowerCase() ?? '';
    if (!names.some((name) => isAt(asked, name, port()))) {
      return context.text('this name is not served here\n', 403);
    }
    if (method !== 'GET' && method !== 'POST') {
      context.header('allow', 'GET, POST');
      return context.text('only GET and POST\n', 405);
    }
    const origin = context.req.header('origin');
    if (origin !== `http://${asked}` && (method === 'POST' || origin !== undefined)) {
      return context.text('only from the dashboard itself\n', 403);
    }
    const isData = path.startsWith('/api/') || path === '/metrics';
    if ((method === 'POST' || (readsNeedToken && isData)) && !isToken(tokenOf(context.req.header()), token)) {
      return context.text('the token is missing or wrong: open the URL that was printed\n', 403);
    }
    return next();
  };
}

const namesOf = (host: string): string[] =>
  EVERYWHERE.has(host)
    ? [...LOOPBACK, ...ownAddresses().map(({ address }) => inUrl(address.toLowerCase()))]
    : [...LOOPBACK, inUrl(host.toLowerCase())];

const ownAddresses = () => Object.values(networkInterfaces()).flatMap((each) => each ?? []);

/** The name to type: where it listens on every address, one that others can reach. */
export const nameToType = (host: string): string =>
  EVERYWHERE.has(host)
    ? inUrl(ownAddresses().find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1')
    : inUrl(host);

/** A browser leaves out the port that its scheme has anyway. */
const isAt = (asked: string, name: string, port: number): boolean =>
  asked === `${name}:${port}` || (port === 80 && asked === name);

/** Of our page, or as those send it who collect metrics. */
const tokenOf = (headers: Record<string, string>): string =>
  headers[TOKEN_HEADER] ?? /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';

/** Whether whoever asks brings the token, and so may tell the run something. */
export const bringsToken = (headers: Record<string, string>, { token }: Access): boolean =>
  isToken(tokenOf(headers), token);

function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
