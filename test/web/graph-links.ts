import type { LinkKind } from '../../src/parse/links.js';
import type { GraphLink, GraphPage, Ingredients } from './graph-page.js';
import { externalUrl, type GraphPlan } from './graph-plan.js';
import type { Random } from './random.js';

const NOFOLLOW_RELS = ['nofollow', 'noopener NoFollow', 'ugc  nofollow'];
const HARMLESS_RELS = ['', '', '', '', 'noopener', 'ugc', 'Sponsored'];

/**
 * Joins the planned pages: redirects get their targets, every linkable page is linked from an earlier one (so that nearly all
 * can be reached, at many depths), and every page gets the navigation of its host and links at random.
 */
export function linkGraph(random: Random, plan: GraphPlan, on: Ingredients): void {
  aimRedirects(random, plan, on);
  const sources = new Sources(random);
  const navigation = navigationOfHosts(plan);
  const bodies = new Map<GraphPage, GraphLink[]>();
  const give = (from: GraphPage, to: GraphPage, rel: string, kind: LinkKind = 'a'): void => {
    const links = bodies.get(from);
    if (links) {
      links.push({ to: to.url, kind, rel });
    } else {
      bodies.set(from, [{ to: to.url, kind, rel }]);
    }
  };

  for (const page of plan.linkable) {
    if (page.number > 0) {
      give(sources.parentOf(page), page, random.pick(HARMLESS_RELS));
    }
    if (page.kind === 'html' && !page.disallowed && page.nofollow === null) {
      sources.add(page);
    }
  }
  for (const page of plan.nofollowOnly) {
    for (let i = random.between(1, 2); i > 0; i--) {
      give(sources.any(), page, random.pick(NOFOLLOW_RELS));
    }
  }
  for (const page of plan.pages) {
    if (page.kind !== 'html') {
      continue;
    }
    for (let i = random.between(3, 15); i > 0; i--) {
      const kind = bodyKind(random, page);
      const rel = on.nofollow && random.chance(0.04) ? random.pick(NOFOLLOW_RELS) : random.pick(HARMLESS_RELS);
      give(page, random.pick(plan.linkable), kind === 'iframe' ? '' : rel, kind);
    }
    page.links.push(...headLinks(random, plan, page, on));
    for (const to of navigation.get(page.host) ?? []) {
      page.links.push({ to, kind: 'a', rel: '' });
    }
    page.links.push(...bodies.get(page)!, ...tailLinks(random, page, on));
  }
}

/** Pages that a parent can be taken from, by host and in order, so that picking one costs nothing. */
class Sources {
  readonly #random: Random;
  readonly #all: GraphPage[] = [];
  readonly #byHost = new Map<string, GraphPage[]>();

  constructor(random: Random) {
    this.#random = random;
  }

  add(page: GraphPage): void {
    this.#all.push(page);
    const ofHost = this.#byHost.get(page.host);
    if (ofHost) {
      ofHost.push(page);
    } else {
      this.#byHost.set(page.host, [page]);
    }
  }

  any(): GraphPage {
    return this.#random.pick(this.#all);
  }

  /** Mostly of the same host; every other time one of the latest, which makes long paths. */
  parentOf(page: GraphPage): GraphPage {
    const ofHost = this.#byHost.get(page.host);
    const candidates = ofHost && this.#random.chance(0.7) ? ofHost : this.#all;
    if (this.#random.chance(0.5)) {
      return this.#random.pick(candidates);
    }
    return candidates[this.#random.between(Math.max(0, candidates.length - 30), candidates.length - 1)]!;
  }
}

function aimRedirects(random: Random, plan: GraphPlan, on: Ingredients): void {
  const redirects = plan.pages.filter((page) => page.kind === 'redirect');
  for (const page of redirects) {
    if (page.location !== null) {
      continue;
    }
    const lot = random.fraction();
    if (on.external && lot < 0.08) {
      page.location = externalUrl(random);
    }
    // Chains; those that run into a loop, or close one, are meant.
    else if (lot < 0.4) {
      page.location = random.pick(redirects).url;
    } else {
      page.location = random.pick(plan.linkable).url;
    }
  }
}

function navigationOfHosts(plan: GraphPlan): Map<string, string[]> {
  const navigation = new Map<string, string[]>();
  for (const page of plan.linkable) {
    const urls = navigation.get(page.host) ?? [];
    if (page.kind === 'html' && !page.disallowed && urls.length < 4) {
      urls.push(page.url);
    }
    navigation.set(page.host, urls);
  }
  return navigation;
}

function bodyKind(random: Random, page: GraphPage): LinkKind {
  if (page.nofollow !== null || random.chance(0.94)) {
    return 'a';
  }
  return random.pick(['area', 'iframe'] as const);
}

function headLinks(random: Random, plan: GraphPlan, page: GraphPage, on: Ingredients): GraphLink[] {
  const links: GraphLink[] = [];
  if (page.nofollow !== null) {
    return links;
  }
  const target = (): string => random.pick(plan.linkable).url;
  if (random.chance(0.3)) {
    links.push({ to: page.url, kind: 'canonical', rel: 'canonical' });
  }
  if (random.chance(0.05)) {
    links.push({ to: target(), kind: 'next', rel: 'next' });
  }
  if (random.chance(0.05)) {
    links.push({ to: target(), kind: 'prev', rel: 'Prev' });
  }
  if (random.chance(0.05)) {
    links.push({ to: target(), kind: 'alternate', rel: 'alternate' });
  }
  if (random.chance(0.02)) {
    links.push({ to: target(), kind: 'refresh', rel: '' });
  }
  if (on.assets) {
    const origin = `http://${page.host}`;
    links.push({ to: `${origin}/assets/site.css`, kind: 'stylesheet', rel: 'stylesheet' });
    links.push({ to: `${origin}/assets/site.js`, kind: 'script', rel: '' });
  }
  return links;
}

function tailLinks(random: Random, page: GraphPage, on: Ingredients): GraphLink[] {
  const links: GraphLink[] = [];
  if (on.external && random.chance(0.3)) {
    links.push({ to: externalUrl(random), kind: 'a', rel: '' });
  }
  if (!on.assets || page.nofollow !== null) {
    return links;
  }
  const origin = `http://${page.host}`;
  for (let i = random.between(0, 3); i > 0; i--) {
    links.push({ to: `${origin}/assets/picture${random.between(1, 50)}.png`, kind: 'img', rel: '' });
  }
  if (random.chance(0.1)) {
    links.push({ to: `${origin}/assets/large${page.number}.webp`, kind: 'srcset', rel: '' });
  }
  if (random.chance(0.1)) {
    links.push({ to: `${origin}/search`, kind: 'form', rel: '' });
  }
  return links;
}
