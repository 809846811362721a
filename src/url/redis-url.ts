interface Place {
  host: string;
  port: number;
}

/** Where Redis is, as `--redis-url` says it. */
export interface RedisAddress {
  /** One server; or who knows where the one is that takes writes; or some of several that share the keys. */
  form: 'single' | 'sentinel' | 'cluster';
  places: Place[];
  /** The server's name in Sentinel. */
  master: string;
  username: string;
  password: string;
  sentinelPassword: string;
  db: number;
  /** Null without encryption. `ca` is the file with the certificates to trust, or null for those that the system trusts. */
  tls: { ca: string | null } | null;
}

const PARAMETERS = ['ca', 'sentinel', 'sentinel-password', 'cluster', 'also'];

/** What is wrong with a `--redis-url`, or null. */
export function redisUrlProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '') {
    return 'a URL that begins with redis:// or rediss://';
  }
  if (!isDecodable(url.username) || !isDecodable(url.password)) {
    return 'a URL in whose user and password % begins two digits';
  }
  const { searchParams: parameters } = url;
  const unknown = [...parameters.keys()].find((key) => !PARAMETERS.includes(key));
  if (unknown !== undefined) {
    return `a URL with no other parameters than ${PARAMETERS.join(', ')}`;
  }
  if (!/^(?:\/\d{0,5})?$/.test(url.pathname)) {
    return 'a URL with nothing but the number of a database for its path';
  }
  if (parameters.has('sentinel') && parameters.has('cluster')) {
    return 'a URL with sentinel=NAME or cluster, not both';
  }
  if (parameters.has('cluster') && databaseOf(url) !== 0) {
    return 'a URL without a database: a Redis Cluster has none but 0';
  }
  if (parameters.get('sentinel') === '') {
    return 'a URL with sentinel=NAME, the name of the server that Sentinel watches';
  }
  if (parameters.has('ca') && url.protocol !== 'rediss:') {
    return 'a URL that begins with rediss://, where ca=FILE is given';
  }
  const bad = others(url).find((each) => placeIn(each, 1) === null);
  return bad === undefined ? null : 'a URL with also=HOST:PORT,HOST:PORT';
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const databaseOf = ({ pathname }: URL): number => Number(pathname.slice(1) || 0);
const others = ({ searchParams }: URL): string[] =>
  searchParams.getAll('also').flatMap((list) => list.split(',').filter((each) => each !== ''));

function placeIn(text: string, usualPort: number): Place | null {
  const url = URL.canParse(`redis://${text}`) ? new URL(`redis://${text}`) : null;
  const isPlace =
    url !== null && url.hostname !== '' && url.username === '' && url.pathname === '' && url.search === '';
  return isPlace ? { host: bare(url.hostname), port: Number(url.port || usualPort) } : null;
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** @param text a valid one */
export function redisAddress(text: string): RedisAddress {
  const url = new URL(text);
  const { searchParams: parameters } = url;
  const form = parameters.has('sentinel') ? 'sentinel' : parameters.has('cluster') ? 'cluster' : 'single';
  const usualPort = form === 'sentinel' ? 26_379 : 6_379;
  const first = { host: bare(url.hostname), port: Number(url.port || usualPort) };
  return {
    form,
    places: [first, ...others(url).map((each) => placeIn(each, usualPort)!)],
    master: parameters.get('sentinel') ?? '',
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    sentinelPassword: parameters.get('sentinel-password') ?? '',
    db: databaseOf(url),
    tls: url.protocol === 'rediss:' ? { ca: parameters.get('ca') } : null,
  };
}

/** A URL as it may be shown: no user, no password, no parameters. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
