import * as gossamer from 'gossamer';
import { expect, expectTypeOf, it } from 'vitest';

it('the public surface is exactly this list', () => {
  expect(Object.keys(gossamer).sort()).toEqual([
    'ERROR_CLASSES',
    'FetchError',
    'GossamerError',
    'StateError',
    'UsageError',
    'VERSION',
    'crawl',
    'crawlStatus',
    'defineConfig',
    'deleteCrawl',
    'explain',
    'exportCrawl',
    'listCrawls',
    'matchRobots',
    'preview',
    'readCrawl',
    'resumeCrawl',
    'robotsVerdict',
  ]);
});

/** A type that is taken away fails to compile here. */
type Surface = [
  gossamer.CrawlOptions,
  gossamer.CrawlResult,
  gossamer.CrawlRun,
  gossamer.CrawlStats,
  gossamer.CrawlStatus,
  gossamer.CrawledPage,
  gossamer.CustomAnswer,
  gossamer.CustomFetch,
  gossamer.CustomPage,
  gossamer.DecidingRule,
  gossamer.Duration,
  gossamer.EdgeFacts,
  gossamer.EndReason,
  gossamer.ErrorClass,
  gossamer.Explanation,
  gossamer.ExportFormat,
  gossamer.ForbiddingRule,
  gossamer.Forecast,
  gossamer.GossamerConfig,
  gossamer.GovernorDecision,
  gossamer.HostResult,
  gossamer.KeptCrawl,
  gossamer.KeptEdge,
  gossamer.LayerFacts,
  gossamer.LibraryOptions,
  gossamer.LinkKind,
  gossamer.OnEdge,
  gossamer.OutputNotes,
  gossamer.PageResult,
  gossamer.Preview,
  gossamer.PreviewHost,
  gossamer.PreviewOptions,
  gossamer.ReportTarget,
  gossamer.RobotsAnswer,
  gossamer.RobotsQuestion,
  gossamer.RunEvents,
  gossamer.ScopeKind,
  gossamer.SeedFate,
  gossamer.SeedSpec,
  gossamer.SizeEstimate,
  gossamer.Summary,
];

it('the public types are there', () => {
  expectTypeOf<Surface>().not.toBeAny();
});
