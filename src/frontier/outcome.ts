import type { Lease, Outcome } from './frontier.js';

/** An outcome in which nothing came back. */
export function failure(
  lease: Pick<Lease, 'id'>,
  endedAt: number,
  errorClass: Outcome['errorClass'],
  message: string | null,
): Outcome {
  return {
    id: lease.id,
    status: null,
    errorClass,
    message,
    unsent: null,
    headersAt: null,
    endedAt,
    ttfbMs: null,
    retryAfterMs: null,
    address: null,
    heldBytes: 0,
    parseMs: 0,
    page: null,
    askAgain: null,
    ...nothingRead(),
    robots: null,
    scopeVersion: 0,
  };
}

/** What reading a page fills in, before anything was found. */
export function nothingRead() {
  return {
    redirect: null,
    redirectUrl: null,
    edges: null,
    rels: [],
    texts: null,
    targets: null,
    offers: [],
    found: [],
    skippedLinks: 0,
    textHash: null,
  } satisfies Partial<Outcome>;
}

/** So many characters of outcomes go into one message or one commit. A single one may be heavier, but no page is without bounds. */
const LIGHT = 16 << 20;
const OFFER_WEIGHT = 256;

/** Takes outcomes from the beginning of the list: one at least, and no more than a message can carry. */
export function takeLight(outcomes: Outcome[]): Outcome[] {
  let weight = 0;
  let count = 0;
  while (count < outcomes.length && (count === 0 || weight < LIGHT)) {
    weight += weightOf(outcomes[count++]!);
  }
  return outcomes.splice(0, count);
}

function weightOf({ page, texts, targets, rels, offers }: Outcome): number {
  let weight = (page?.text.length ?? 0) + offers.length * OFFER_WEIGHT;
  for (const list of [texts, rels, targets?.urls]) {
    for (const text of list ?? []) {
      weight += text.length;
    }
  }
  for (const { url } of offers) {
    weight += url.length;
  }
  return weight;
}
