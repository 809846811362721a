/** What a link checker ought to say of a link, by the standard that the case names. */
export type Truth =
  | 'fine'
  | 'broken'
  /** Whoever asks cannot know: a wall, a server that says "later", robots.txt forbids. */
  | 'cannot tell'
  /** Nothing that the standard has a reader ask for, so nothing that could be broken. */
  | 'no link';

/** One request as it came in, byte for byte. */
export interface Asked {
  readonly method: string;
  /** What stood in the request line, each byte one character. */
  readonly target: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** How often this path has been asked for, this time included. */
  readonly times: number;
  /** Puts the site's addresses into a text: {main}, {own}, {t} and so on. */
  readonly fill: (text: string) => string;
}

export interface Reply {
  readonly bytes: Buffer;
  /** What happens to the connection after the last byte. */
  readonly after: 'keep' | 'end' | 'reset' | 'hold';
}

export type Answer = (asked: Asked) => Reply;

export interface Case {
  /** Stands in every URL of the case, so that a report can be read by it. */
  readonly name: string;
  readonly group: string;
  readonly truth: Truth;
  /** What says so. */
  readonly standard: string;
  /** The markup with the link. Null where the case has a page of its own making, or none. */
  readonly html: string | null;
  /** The markup needs a page for itself. */
  readonly alone: boolean;
  /** It has an origin of its own: {own}. */
  readonly apart: boolean;
  /** By path; {t} is /t/<name>. */
  readonly routes: Readonly<Record<string, Answer>>;
  /** robots.txt of the case's own origin. */
  readonly robots: Answer | null;
  /** Files of the folder, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Paths that nobody may ask for. */
  readonly never: readonly string[];
}

export type Details = Partial<Pick<Case, 'alone' | 'apart' | 'routes' | 'robots' | 'files' | 'never' | 'html'>>;

/** A group's constructor: a case is its name, the truth, the standard, the markup, and what the server does with {t}. */
export const group =
  (name: string) =>
  (
    rest: string,
    truth: Truth,
    standard: string,
    html: string | null,
    target: Answer | null = null,
    details: Details = {},
  ): Case => ({
    name: `${name}-${rest}`,
    group: name,
    truth,
    standard,
    html,
    alone: false,
    apart: details.robots !== undefined || (html ?? '').includes('{own}'),
    robots: null,
    files: {},
    never: [],
    ...details,
    routes: { ...(target === null ? {} : { '{t}': target }), ...details.routes },
  });

/** A plain link to {t}, on the site itself and on an origin of the case's own. */
export const HERE = '<a href="{t}">a link</a>';
export const APART = '<a href="{own}{t}">a link</a>';
/** The part of a URL or file by which a report's line is known to belong to the case. */
export const belongsTo = (text: string, name: string): boolean => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text);

const HTML = 'text/html; charset=utf-8';

type Headers = Readonly<Record<string, string>>;

/** A whole and proper answer. Headers and a body that is a string may hold {main}, {own}, {t} and so on. */
export const answer =
  (status: number, headers: Headers = {}, body: string | Buffer = ''): Answer =>
  ({ method, fill }) => {
    const content = typeof body === 'string' ? Buffer.from(fill(body)) : body;
    const lines = Object.entries({ ...headers, 'Content-Length': String(content.length) }).map(
      ([name, value]) => `${name}: ${fill(value)}\r\n`,
    );
    const head = Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`);
    return { bytes: method === 'HEAD' ? head : Buffer.concat([head, content]), after: 'keep' };
  };

/** Exactly these bytes, whatever was asked; the connection then ends unless something else is said. */
export const raw =
  (bytes: string | Buffer, after: Reply['after'] = 'end'): Answer =>
  ({ fill }) => ({ bytes: typeof bytes === 'string' ? Buffer.from(fill(bytes)) : bytes, after });

/** As raw, but a HEAD gets only what stands before the empty line. */
export const rawPage =
  (bytes: string | Buffer, after: Reply['after'] = 'end'): Answer =>
  (asked) => {
    const reply = raw(bytes, after)(asked);
    if (asked.method !== 'HEAD') {
      return reply;
    }
    return { bytes: reply.bytes.subarray(0, reply.bytes.indexOf('\r\n\r\n') + 4), after: 'end' };
  };

/** A page of some text, with `markup` on it. */
export const page = (markup = '', headers: Headers = {}): Answer =>
  answer(200, { 'Content-Type': HTML, ...headers }, document(markup));

export const document = (markup: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Of {name}</title></head><body><h1>The page of {name}</h1><p>This page stands here so that somebody may read it, and {name} is what it is about.</p>${markup}</body></html>`;

export const notFound = answer(404, { 'Content-Type': HTML }, '<title>Not found</title><p>There is nothing here.');
export const image = answer(200, { 'Content-Type': 'image/png' }, Buffer.from('89504e470d0a1a0a', 'hex'));
export const to = (location: string, status = 302, headers: Headers = {}): Answer =>
  answer(status, { Location: location, ...headers });
export const sheet = (css: string): Answer => answer(200, { 'Content-Type': 'text/css' }, css);

export const hang: Answer = () => ({ bytes: Buffer.alloc(0), after: 'hold' });
export const reset: Answer = () => ({ bytes: Buffer.alloc(0), after: 'reset' });
export const close: Answer = () => ({ bytes: Buffer.alloc(0), after: 'end' });

/** The first request meets the one, all later ones the other. */
export const once =
  (first: Answer, later: Answer): Answer =>
  (asked) =>
    (asked.times === 1 ? first : later)(asked);

export const headElse =
  (head: Answer, get: Answer): Answer =>
  (asked) =>
    (asked.method === 'HEAD' ? head : get)(asked);

/** A page where the request is the right one, else a 404. */
export const onlyFor =
  (right: (asked: Asked) => boolean, then: Answer = page()): Answer =>
  (asked) =>
    (right(asked) ? then : notFound)(asked);

/** Answers the path only with exactly this query. */
export const onlyQuery = (...queries: string[]): Answer => onlyFor(({ query }) => queries.includes(query));
