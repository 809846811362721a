import { createHash } from 'node:crypto';

const LONGEST_HOST = 100;

/**
 * The part of a file name that stands for an origin: `b.test`, `b.test_8080` with its port, `b.test_http` where its scheme is not
 * the usual one. Two origins never share one: `_` is in no host that is written out, and every other host goes by its hash.
 */
export function fileNamePart(origin: string, usualScheme: string): string {
  const [, scheme = '', host = '', port] = /^([a-z]+):\/\/(.*?)(?::(\d+))?$/.exec(origin) ?? [];
  const name = isPlain(host) ? host : `${host.replace(/[^a-z0-9.-]/g, '-').slice(0, 60)}__${shortHash(host)}`;
  return `${name}${port === undefined ? '' : `_${port}`}${scheme === usualScheme ? '' : `_${scheme}`}`;
}

/** A number alone would be taken for the number of a part. */
const isPlain = (host: string): boolean =>
  host.length <= LONGEST_HOST && /^[a-z0-9.-]+$/.test(host) && !/^\d+$/.test(host);

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
