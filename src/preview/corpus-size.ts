import type { SizeEstimate } from '../crawl/survey/site-size.js';

/** What a corpus of the site will be. */
export interface CorpusForecast {
  /** Pages as files; null where neither sitemaps nor a sample say how many there are. */
  pages: SizeEstimate | null;
  /** Null without a sample. */
  tokens: SizeEstimate | null;
  /** What the figures for tokens rest on. */
  sampled: { pages: number; tokens: number } | null;
  /** The tokenizer is not installed: tokens of the sample are near, not exact. */
  tokensEstimated: boolean;
}

/** A URL of a sample. */
export interface SampledUrl {
  /** Null if it gives no page of a corpus: a redirect, a picture, an error, noindex. */
  tokens: number | null;
  /** Whether it was drawn at random. The others were requested first, as home pages and indexes are. */
  isDrawn: boolean;
}

/** How many standard errors up and down. Lengths of pages have a long tail: what a sample has not met is rather long than short. */
const BELOW = 2;
const ABOVE = 4;

/**
 * Estimates the size of a corpus. URLs that were not requested are taken to be like those that were drawn at random.
 *
 * @param size how many URLs there are
 * @param most how many of them are asked for at most
 */
export function corpusSize(
  size: SizeEstimate,
  sample: readonly SampledUrl[],
  most = Number.POSITIVE_INFINITY,
): Pick<CorpusForecast, 'pages' | 'tokens' | 'sampled'> {
  const drawn = sample.some(({ isDrawn }) => isDrawn) ? sample.filter(({ isDrawn }) => isDrawn) : sample;
  const known = { pages: sum(sample.map(asPage)), tokens: sum(sample.map(asTokens)) };
  const project = (seen: number, { mean, deviation }: Spread): SizeEstimate => {
    const at = (urls: number, errors: number): number => {
      const left = Math.max(0, Math.min(urls, most) - sample.length);
      const error = deviation * Math.sqrt(left ** 2 / Math.max(1, drawn.length) + left);
      return Math.round(seen + Math.max(0, left * mean + errors * error));
    };
    return {
      low: at(size.low, -BELOW),
      estimate: size.estimate === null ? null : at(size.estimate, 0),
      high: size.high === null ? null : at(size.high, ABOVE),
    };
  };
  const pages = project(known.pages, shareOf(drawn.map(asPage)));
  return {
    pages: { ...pages, high: pages.high === null ? null : Math.min(pages.high, size.high!, most) },
    tokens: project(known.tokens, spreadOf(drawn.map(asTokens))),
    sampled: known,
  };
}

const asPage = ({ tokens }: SampledUrl): number => (tokens === null ? 0 : 1);
const asTokens = ({ tokens }: SampledUrl): number => tokens ?? 0;
const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);

interface Spread {
  mean: number;
  deviation: number;
}

function spreadOf(figures: readonly number[]): Spread {
  const mean = sum(figures) / Math.max(1, figures.length);
  const squares = sum(figures.map((figure) => (figure - mean) ** 2));
  return { mean, deviation: Math.sqrt(squares / Math.max(1, figures.length - 1)) };
}

/** Even if the whole sample are pages, or none are, the next URL may differ (Laplace's rule of succession). */
function shareOf(figures: readonly number[]): Spread {
  const cautious = (sum(figures) + 1) / (figures.length + 2);
  return { mean: spreadOf(figures).mean, deviation: Math.sqrt(cautious * (1 - cautious)) };
}
