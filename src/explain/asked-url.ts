import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { hostnameOf, isHttp, isIpHost, originOf } from '../url/host.js';
import { normaliseUrl } from '../url/identity.js';
import { parseSeedArgument } from '../url/seeds.js';
import type { CrawlRules } from './crawl-rules.js';

/** A number after the colon is the port of a bare domain. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]+:(?!\d+(?:[/?#]|$))/i;
const MOST_ORIGINS = 50;

/**
 * The URLs that a text may mean, in normal form, the likeliest first: without a scheme both are tried, with and without `www.`; a path is
 * one of the seeds' hosts.
 */
export function meantBy(text: string, rules: CrawlRules): string[] {
  if (rules.ownKeys) {
    return [text];
  }
  if (text.startsWith('/') && !text.startsWith('//')) {
    const origins = new Set(rules.seeds.flatMap(({ scopeUrls }) => scopeUrls.map(originOf)));
    return normal(
      [...origins].slice(0, MOST_ORIGINS).map((origin) => origin + text),
      text,
      rules,
    );
  }
  if (OTHER_SCHEME.test(text)) {
    return normal([text], text, rules);
  }
  const argument = parseSeedArgument(text, () => null, rules.identity);
  if (argument.kind !== 'url') {
    throw new UsageError(`${printable(text)} is not a URL`);
  }
  const { url, fallbacks } = argument.seed;
  const seeds = new Set(rules.seeds.flatMap(({ scopeUrls }) => scopeUrls.map(originOf)));
  const spellings = [url, ...fallbacks];
  return spellings.sort((a, b) => Number(seeds.has(originOf(b))) - Number(seeds.has(originOf(a))));
}

function normal(urls: string[], text: string, rules: CrawlRules): string[] {
  const found = urls.flatMap((url) => normaliseUrl(url, rules.identity)?.url ?? []);
  if (found.length === 0) {
    throw new UsageError(`${printable(text)} is not a URL`);
  }
  return found;
}

/** Other URLs that are easily taken for this one. */
export function nearTo(url: string): string[] {
  if (!isHttp(url)) {
    return [];
  }
  const query = url.indexOf('?');
  const page = query < 0 ? url : url.slice(0, query);
  const rest = query < 0 ? '' : url.slice(query);
  const slash = (page.endsWith('/') ? page.slice(0, -1) : `${page}/`) + rest;
  const scheme = url.startsWith('https:') ? `http:${url.slice(6)}` : `https:${url.slice(5)}`;
  const hostname = hostnameOf(url);
  const www = hostname.startsWith('www.') ? hostname.slice(4) : `www.${hostname}`;
  const others = [slash, page, scheme, ...(isIpHost(hostname) ? [] : [url.replace(hostname, www)])];
  return [...new Set(others)].filter((other) => other !== url && originOf(other).length < other.length);
}
