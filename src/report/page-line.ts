import type { PageResult } from '../store/reader.js';
import { jsonLine } from './json-line.js';

/** A page as the outputs show it: the facts that identify it first. */
export function pageRecord(page: PageResult) {
  return {
    url: page.url,
    state: page.state,
    reason: page.reason,
    status: page.status,
    finalUrl: page.finalUrl,
    depth: page.depth,
    parent: page.parent,
    title: page.title,
    contentType: page.contentType,
    bytes: page.bytes,
    links: page.links,
    hash: page.hash,
    attempts: page.attempts,
    description: page.description,
    canonical: page.canonical,
    lang: page.lang,
    robotsMeta: page.robotsMeta,
    lastModified: page.lastModified,
    fetchedAt: page.fetchedAt === null ? null : new Date(page.fetchedAt).toISOString(),
    ttfbMs: page.ttfbMs,
    totalMs: page.totalMs,
    malformed: page.malformed,
    message: page.message,
    ...(page.note === null ? {} : { note: page.note }),
    ...(page.linksCut === 0 ? {} : { linksCut: page.linksCut }),
    ...(page.external ? { external: true } : {}),
  };
}

/** One line of pages.jsonl. */
export const pageLine = (page: PageResult): string => jsonLine(pageRecord(page));
