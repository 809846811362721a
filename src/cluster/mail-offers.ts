import { keyOf, type Offer, sitemapOffer } from '../frontier/outcome.js';
import type { CrawlScope } from '../lane/crawl-scope.js';
import type { MailedOffer } from '../store/outbox.js';
import { fateOf, JUDGED_FLAGS } from '../store/standing.js';
import { UrlFlag, UrlKind } from '../store/url-state.js';

/** A URL that came by mail, as one that a page of this machine's own leads to: it is judged by the scope of this machine. */
export function offerOf(mail: MailedOffer, scope: CrawlScope, sitemapsAreBeyond: boolean): Offer {
  const { url, kind, standing, depth, class: place, hops, flags, data } = mail;
  if (kind === UrlKind.sitemap) {
    const isGuess = (flags & UrlFlag.candidate) !== 0;
    return { ...sitemapOffer(url, depth, { isBeyond: sitemapsAreBeyond, isGuess }), hops };
  }
  const where = scope.place(url);
  const isWanted = (flags & (UrlFlag.seed | UrlFlag.added)) !== 0;
  const fate = fateOf({ standing, depth }, where, isWanted, scope);
  const isTrap = fate.reason === 'trap' || (fate.flags & UrlFlag.trap) !== 0;
  return {
    ...{ url, key: keyOf(url), kind, depth, class: place, hops },
    seed: (flags & UrlFlag.seed) !== 0 ? mail.seed : Math.max(0, where.seed),
    flags: (flags & ~JUDGED_FLAGS) | fate.flags,
    state: fate.state,
    reason: fate.reason,
    pattern: isTrap ? where.trap : null,
    ...(data === undefined ? {} : { data }),
  };
}
