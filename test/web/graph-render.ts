import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { GraphLink, GraphPage } from './graph-page.js';
import { prose, Random } from './random.js';
import { escapeHtml, type Headers, type WholeAnswer } from './site.js';
import { sameLocation, sameUrl } from './spellings.js';

/** Writes a page of the graph. The same page is always the same bytes: all choices come from its own generator. */
export function renderPage(page: GraphPage, seed: number, spellings: boolean): WholeAnswer {
  const random = new Random(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(page.number + 1, 0x85ebca6b));
  const headers: Headers = { 'content-type': page.contentType };
  if (page.kind === 'binary') {
    return { status: 200, headers, body: Buffer.from(Array.from({ length: 400 }, () => random.between(0, 255))) };
  }
  if (page.kind === 'redirect') {
    const location = spellings ? sameLocation(random, page.location!, page.url) : page.location!;
    return { status: page.status, headers: { location } };
  }
  if (page.kind === 'error') {
    const body = `<!doctype html><title>${page.title}</title><p>Sorry. <a href="/from-error/${page.number}">Try this</a>.`;
    return { status: page.status, headers, body };
  }
  if (page.nofollow === 'header') {
    headers['x-robots-tag'] = 'nofollow';
  }
  const plain = encode(markup(page, random, spellings), page.charset);
  if (page.contentEncoding === null) {
    return { status: 200, headers, body: plain };
  }
  headers['content-encoding'] = page.contentEncoding;
  return { status: 200, headers, body: compress(plain, page.contentEncoding) };
}

function compress(bytes: Buffer, encoding: 'gzip' | 'br'): Buffer {
  return encoding === 'gzip'
    ? gzipSync(bytes)
    : brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

function encode(markup: string, charset: GraphPage['charset']): Buffer {
  if (charset.startsWith('latin1')) {
    return Buffer.from(markup, 'latin1');
  }
  if (charset === 'utf-16le-bom') {
    return Buffer.from(`\ufeff${markup}`, 'utf16le');
  }
  return Buffer.from(charset === 'utf-8-bom' ? `\ufeff${markup}` : markup, 'utf8');
}

const HEAD_KINDS = new Set<string>(['canonical', 'next', 'prev', 'alternate', 'refresh', 'stylesheet']);

function markup(page: GraphPage, random: Random, spellings: boolean): string {
  const parts = ['<!DOCTYPE html>\n<html lang="en">\n<head>\n'];
  if (page.charset === 'latin1-meta') {
    parts.push('<meta charset="windows-1252">\n');
  }
  if (page.base !== null) {
    parts.push(`<base href="${page.base}">\n`);
  }
  parts.push(`<title>${page.title}</title>\n<meta name="description" content="${prose(random, 6)}">\n`);
  if (page.nofollow === 'meta') {
    parts.push(`<meta name="robots" content="${random.pick(['nofollow', 'noindex, NoFollow', 'none'])}">\n`);
  }
  const bodyStart = page.links.findIndex((link) => !HEAD_KINDS.has(link.kind) && link.kind !== 'script');
  for (const [i, link] of page.links.entries()) {
    if (i === bodyStart) {
      parts.push(`</head>\n<body>\n<h1>${page.title}</h1>\n<!-- <a href="/in-a-comment">no</a> -->\n`);
    }
    const href = spellings && link.kind !== 'refresh' ? sameUrl(random, link.to, page.base ?? page.url) : link.to;
    parts.push(element(link, href, random), '\n');
    if (i >= bodyStart && random.chance(0.4)) {
      parts.push(`<p>${prose(random, random.between(8, 30))}\n`);
    }
  }
  parts.push(`<p>${prose(random, 20)}\n<script>var no = '<a href="/in-a-script">no</a>';</script>\n</body>\n</html>\n`);
  return parts.join('');
}

function element(link: GraphLink, href: string, random: Random): string {
  const written = attribute(href, random);
  const rel = link.rel === '' ? '' : ` rel="${link.rel}"`;
  switch (link.kind) {
    case 'canonical':
    case 'next':
    case 'prev':
    case 'stylesheet':
      return `<link${rel} href=${written}>`;
    case 'alternate':
      return `<link${rel} hreflang="fr" href=${written}>`;
    case 'refresh':
      return `<meta http-equiv="refresh" content="30; url=${escapeHtml(href)}">`;
    case 'script':
      return `<script src=${written}></script>`;
    case 'area':
      return `<map name="m"><area${rel} alt="there" href=${written}></map>`;
    case 'iframe':
      return `<iframe src=${written}></iframe>`;
    case 'img':
      return `<img alt="a picture" src=${written}>`;
    case 'srcset':
      return `<img alt="a picture" srcset="${escapeHtml(link.to)} 2x">`;
    case 'form':
      return `<form action=${written}><input name="q"></form>`;
    default:
      return random.chance(0.1)
        ? `<A CLASS=x${rel}\n  HREF=${written}\n>${prose(random, 2)}</A>`
        : `<a${rel} href=${written}>${prose(random, 2)}</a>`;
  }
}

/** An attribute value with quotes of either kind, with none where that is allowed, or with needless character references. */
function attribute(value: string, random: Random): string {
  const lot = random.fraction();
  const escaped = escapeHtml(value);
  if (lot < 0.1 && !/[\s"'=<>`&]/.test(value) && !value.endsWith('/')) {
    return value;
  }
  if (lot < 0.2 && !value.includes("'")) {
    return `'${escaped}'`;
  }
  if (lot < 0.25) {
    return `"${escaped.replaceAll('/', '&#x2F;')}"`;
  }
  return `"${escaped}"`;
}
