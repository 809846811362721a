/** A crawl: iterate it, listen to it, stop it, go on with one that was kept. */

export type { AuditOptions, SiteAudit } from './audit/library.js';
/** A kept crawl as the owner of the site would look at it. */
export { audit } from './audit/library.js';
export type { AuditFinding, AuditGap, AuditPlace, AuditSummary } from './audit/report/result.js';
export type { ErrorClass } from './base/errors.js';
/** What is thrown on purpose, each with a stable code, and the classes of failed pages. */
export { ERROR_CLASSES, FetchError, GossamerError, SeedError, StateError, UsageError } from './base/errors.js';
export type { CheckLibraryOptions, LinkCheck } from './check/library.js';
/** Dead links of sites, folders and Markdown, with the reasons. */
export { checkLinks, recheckLinks, resumeCheck } from './check/library.js';
export type { CheckedLink, CheckSummary, Evidence, LinkSource, Look, Verdict } from './check/report/result.js';
export type { UncheckedCause, UncheckedCounts } from './check/report/unchecked.js';
export type { OutputStream } from './config/arguments.js';
export type { AuditConfig, AuditThresholdConfig } from './config/audit-config.js';
export type { CheckConfig, CheckRule } from './config/check-config.js';
/** A config file: gossamer.config.ts exports what this returns. */
export { defineConfig } from './config/config-file.js';
export type { HostEntry } from './config/config-value.js';
export type { GossamerConfig } from './config/gossamer-config.js';
export type { HostRule } from './config/host-entries.js';
export type {
  AuditFormat,
  CheckFormat,
  DiffAspect,
  DiffPart,
  ExportFormat,
  GraphFormat,
  GraphLevel,
  ReportTarget,
} from './config/option-spec.js';
/** What a crawl is given: options, seeds, and functions in place of the net and of URLs. */
export type { CrawlOptions } from './config/options.js';
export { VERSION } from './config/version.js';
export type { CorpusReport } from './corpus/corpus-options.js';
export type { ChangeCounts, IndexEntry } from './corpus/index-entry.js';
export type { CorpusStatus } from './corpus/list-corpora.js';
export type { SearchHit, SearchOptions } from './corpus/search.js';
/** URLs that are added to a crawl while it runs, or to one that is kept. */
export type { AddOptions } from './crawl/added-urls.js';
export type { CrawlResult, CrawlRun, CrawlStats, RunEvents } from './crawl/crawl-run.js';
export type { EndReason } from './crawl/ending.js';
export type { GovernorDecision } from './crawl/governor.js';
export type { AddedToCrawl } from './crawl/kept-additions.js';
export { addToCrawl } from './crawl/kept-additions.js';
export type { KeptCrawl, KeptEdge } from './crawl/kept-crawl.js';
/** Crawls that are kept in a directory: read them, make outputs of them, see how they are, delete them. */
export { crawlStatus, deleteCrawl, exportCrawl, listCrawls, readCrawl } from './crawl/kept-crawl.js';
export { crawl, resumeCrawl } from './crawl/library.js';
export type { EdgeFacts, LibraryOptions, OnEdge, OnPage, SeedSpec } from './crawl/library-options.js';
export type { WatchingOptions } from './crawl/library-watching.js';
export type { RobotsAnswer, RobotsQuestion } from './crawl/robots-question.js';
/** What robots.txt allows, with or without fetching it. */
export { matchRobots, robotsVerdict } from './crawl/robots-question.js';
export type { Forecast } from './crawl/survey/duration.js';
export type { ForbiddingRule } from './crawl/survey/robots-judge.js';
export type { SizeEstimate } from './crawl/survey/site-size.js';
export type { Duration, PreviewHost } from './crawl/survey/survey.js';
export type { DiffOptions } from './diff/diff.js';
/** What differs between two kept crawls. */
export { diff } from './diff/diff.js';
export type {
  BeforeAfter,
  ComparedCrawl,
  CrawlDiff,
  DiffCounts,
  FindingChange,
  LinkChange,
  PageChange,
  PageDifferences,
} from './diff/result.js';
export type { CorpusPage, McpOptions } from './docs/kept-corpus.js';
/** Corpora on disk: search them, read their pages, let assistants do both, delete them. */
export {
  corpusStatus,
  correctQuery,
  deleteCorpus,
  listCorpora,
  listCorpus,
  readDocument,
  searchCorpus,
  serveMcp,
} from './docs/kept-corpus.js';
export type { DocsLibraryOptions, DocsResult } from './docs/library.js';
/** Documentation sites as Markdown, kept in step with them. */
export { makeDocs, resumeDocs } from './docs/library.js';
export type { LeftOut, VersionsLeftOut } from './docs/page-choice.js';
export type { MarkdownPage, PageQuestion } from './docs/page-markdown.js';
/** One page as Markdown. */
export { pageAsMarkdown } from './docs/page-markdown.js';
/** What a crawl or a corpus would ask for and how long it would take, from robots.txt and sitemaps, or from a sample. */
export { preview } from './docs/preview.js';
export type { CrawlHit } from './docs/search-crawl.js';
export { searchCrawl } from './docs/search-crawl.js';
export type { SavedCorpus, SavedImages, SitemapLack } from './docs/write-corpora.js';
/** Why a URL was or was not fetched. */
export { explain } from './explain/explain.js';
export type { DecidingRule, Explanation } from './explain/explanation.js';
export type { NewLink } from './frontier/options.js';
export type { SeedFate } from './frontier/seed-book.js';
export type { GraphEdge, GraphNodeResult, GraphOptions, KeptGraph } from './graph/kept-graph.js';
/** How the pages of a kept crawl link to each other, with measures; as files and as a picture. */
export { graph } from './graph/kept-graph.js';
export type { GraphSummary } from './graph/summary.js';
/** Functions of yours inside a crawl: the module that `hooks` names exports what this returns. */
export type {
  HookAddOptions,
  HookContext,
  HookCookies,
  HookFetchOptions,
  HookLink,
  HookPage,
  HookRequest,
  HookResponse,
  Hooks,
  LinkAnswer,
  PageAnswer,
  PageContext,
  RequestAnswer,
  StartContext,
} from './hooks/contract.js';
export { defineHooks } from './hooks/contract.js';
export type { PageContent, PageElement } from './hooks/page-content.js';
export type { CustomAnswer, CustomFetch, CustomPage } from './lane/custom-source.js';
export type { LinkKind } from './parse/links.js';
export type { CorpusForecast } from './preview/corpus-size.js';
export type { Preview, PreviewOptions } from './preview/preview.js';
export type { OutputNotes } from './report/output.js';
export type { LayerFacts, Summary } from './report/summary.js';
export type { MergedCrawl, MergeOptions } from './split/merge.js';
/** One crawl on several machines: dealt out to them, and put together again. */
export { mergeCrawls } from './split/merge.js';
export type { SplitCrawl, SplitOptions } from './split/split.js';
export { splitCrawl } from './split/split.js';
export type { CrawlStatus } from './store/directory.js';
export type { HostResult } from './store/host-reader.js';
export type { CrawledPage, PageResult } from './store/page-types.js';
export type { HostPolicy } from './url/host-policies.js';
export type { ScopeKind } from './url/scope.js';
/** What is seen of a run while it runs, and what it may be told. */
export type { EventCode, EventLevel, RunEvent } from './watch/events.js';
export type { LatencyFigures, LayerFigures, LiveSnapshot, Problem, RunControls, RunState } from './watch/live.js';

declare global {
  /** Of Node's types or of those of browsers, whichever a program has: ours need neither. */
  interface AbortSignal {}
}
