import { IN_SITEMAP, OWN } from './audit-tables.js';
import { UrlFlag, UrlState } from './url-state.js';

/** What a user may set. */
export interface AuditThresholds {
  titleLength: number;
  descriptionLength: number;
  depth: number;
  slowMs: number;
  heavyBytes: number;
  thinWords: number;
  nearDuplicate: number;
  redirectHops: number;
}

/** Pages that a search engine takes: what they look like in its results matters. */
const TAKEN = "FROM temp.audited AS audited WHERE indexable = 'yes'";

const page = (where: string, detail = 'NULL', order = 'id'): string =>
  `SELECT id AS page, NULL AS target, ${detail} AS detail, 1 AS times ${TAKEN} AND ${where} ORDER BY ${order}`;

/** Pages that share a text, those with the same one after the other. */
const sharing = (column: string, isText: string): string =>
  `SELECT id AS page, NULL AS target, ${column} AS detail, 1 AS times ${TAKEN} AND ${isText}
     AND ${column} IN (SELECT ${column} ${TAKEN} AND ${isText} GROUP BY ${column} HAVING count(*) > 1) ORDER BY ${column}, id`;

/** Pages whose canonical URL is another, and what is known of that. */
const CANONICAL = `FROM temp.audited AS audited JOIN temp.named ON named.url = audited.canonical
  LEFT JOIN urls ON urls.id = named.id LEFT JOIN pages ON pages.id = named.id WHERE audited.canonical <> audited.url`;
const canonical = (where: string, detail: string): string =>
  `SELECT audited.id AS page, named.id AS target, ${detail} AS detail, 1 AS times ${CANONICAL} AND ${where} ORDER BY audited.id`;

/** URLs of the site that a sitemap names. */
const LISTED = `FROM urls LEFT JOIN pages ON pages.id = urls.id WHERE ${OWN} AND ${IN_SITEMAP}`;
const listed = (where: string, detail: string): string =>
  `SELECT urls.id AS page, pages.redirect_to AS target, ${detail} AS detail, 1 AS times ${LISTED} AND ${where} ORDER BY urls.id`;
/** Not HTML alone: a sitemap may name anything. */
const NOT_OK = `(urls.state = ${UrlState.failed} OR pages.redirect_to IS NOT NULL)`;

/** What a URL met with, in a word: its status, or the class of its error. */
export const FATE = `CASE WHEN pages.status IS NOT NULL AND coalesce(urls.reason, '') NOT IN ('malformed_html', 'redirect_loop') THEN pages.status ELSE coalesce(urls.reason, '') END`;

/** A header that all HTML pages of an origin should have; the first page that lacks it stands for all of that origin. */
const header = (lacks: string): string =>
  `SELECT min(id) AS page, NULL AS target, NULL AS detail, count(*) AS times FROM temp.audited AS audited
   WHERE h1_count IS NOT NULL AND ${lacks} GROUP BY origin ORDER BY origin`;
const value = (name: string): string => `coalesce(json_extract(headers, '$."${name}"'), '')`;

/** In SQL, what rules ask that need no more than one look at the tables. Each gives page, target, detail, times. */
export const AUDIT_QUERIES = {
  titleMissing: () => page("coalesce(title, '') = ''"),
  titleDuplicate: () => sharing('title', "title <> ''"),
  titleLong: ({ titleLength }) =>
    page(
      `length(title) > ${titleLength}`,
      "printf('%,d characters: ', length(title)) || title",
      'length(title) DESC, id',
    ),
  descriptionMissing: () => page("coalesce(description, '') = ''"),
  descriptionDuplicate: () => sharing('description', "description <> ''"),
  descriptionLong: ({ descriptionLength }) =>
    page(
      `length(description) > ${descriptionLength}`,
      "printf('%,d characters: ', length(description)) || description",
      'length(description) DESC, id',
    ),
  h1Missing: () => page('h1_count = 0'),
  h1Multiple: () => page('h1_count > 1', "printf('%,d h1 elements', h1_count)", 'h1_count DESC, id'),
  canonicalElsewhere: () =>
    canonical(
      `audited.canonical LIKE 'http%' AND coalesce(urls.state, -1) <> ${UrlState.failed} AND pages.redirect_to IS NULL`,
      "'names ' || audited.canonical",
    ),
  canonicalBroken: () =>
    canonical(
      `(urls.state = ${UrlState.failed} OR audited.canonical NOT LIKE 'http%')`,
      `'names ' || audited.canonical || CASE WHEN audited.canonical LIKE 'http%' THEN ', which answers ' || ${FATE} ELSE ', which is no address of the web' END`,
    ),
  canonicalRedirect: () =>
    canonical('pages.redirect_to IS NOT NULL', "'names ' || audited.canonical || ', which redirects'"),
  canonicalChain: () =>
    canonical(
      `pages.canonical <> urls.url AND urls.state = ${UrlState.done} AND pages.redirect_to IS NULL`,
      "'names ' || audited.canonical || ', which names ' || pages.canonical",
    ),
  noindexInSitemap: () =>
    `SELECT audited.id AS page, NULL AS target, NULL AS detail, 1 AS times FROM temp.audited AS audited JOIN urls ON urls.id = audited.id
     WHERE audited.indexable = 'noindex' AND ${IN_SITEMAP} ORDER BY audited.id`,
  canonicalInSitemap: () =>
    `SELECT audited.id AS page, named.id AS target, 'names ' || audited.canonical AS detail, 1 AS times FROM temp.audited AS audited
     JOIN urls ON urls.id = audited.id LEFT JOIN temp.named ON named.url = audited.canonical
     WHERE audited.indexable = 'canonical' AND ${IN_SITEMAP} ORDER BY audited.id`,
  blockedInSitemap: () => listed(`urls.state = ${UrlState.skipped} AND urls.reason = 'robots'`, 'NULL'),
  brokenInSitemap: () => listed(NOT_OK, `CASE WHEN pages.redirect_to IS NULL THEN ${FATE} ELSE 'redirects' END`),
  hreflangNoReturn: () =>
    `SELECT languages.page AS page, named.id AS target, languages.code AS detail, 1 AS times FROM temp.languages AS languages
       JOIN temp.audited AS audited ON audited.id = languages.page AND audited.indexable = 'yes'
       JOIN temp.named ON named.url = languages.url JOIN temp.audited AS others ON others.id = named.id AND others.h1_count IS NOT NULL
     WHERE languages.url <> audited.url
       AND NOT EXISTS (SELECT 1 FROM temp.languages AS back WHERE back.page = named.id AND back.url = audited.url)
     ORDER BY languages.page`,
  hreflangBroken: () =>
    `SELECT languages.page AS page, named.id AS target,
       languages.code || ': ' || CASE WHEN pages.redirect_to IS NULL THEN 'answers ' || ${FATE} ELSE 'redirects' END AS detail, 1 AS times
     FROM temp.languages AS languages JOIN temp.named ON named.url = languages.url JOIN urls ON urls.id = named.id
       LEFT JOIN pages ON pages.id = named.id WHERE ${NOT_OK} ORDER BY languages.page`,
  slow: ({ slowMs }) =>
    `SELECT id AS page, NULL AS target, round(total_ms) || ' ms' AS detail, 1 AS times FROM temp.audited AS audited
     WHERE total_ms > ${slowMs} ORDER BY total_ms DESC, id`,
  heavy: ({ heavyBytes }) =>
    `SELECT id AS page, NULL AS target, printf('%,d bytes', bytes) AS detail, 1 AS times FROM temp.audited AS audited
     WHERE bytes > ${heavyBytes} ORDER BY bytes DESC, id`,
  thin: ({ thinWords }) =>
    page(
      `word_count < ${thinWords}`,
      "word_count || CASE word_count WHEN 1 THEN ' word' ELSE ' words' END",
      'word_count, id',
    ),
  duplicateExact: () => sharing('text_hash', `text_hash IS NOT NULL AND word_count >= ${20}`),
  urlParameters: () => page("instr(url, '?') > 0"),
  imagesWithoutAlt: () =>
    `SELECT id AS page, NULL AS target, NULL AS detail, images_without_alt AS times FROM temp.audited AS audited
     WHERE images_without_alt > 0 ORDER BY images_without_alt DESC, id`,
  noHsts: () => header(`url LIKE 'https:%' AND ${value('strict-transport-security')} = ''`),
  noCsp: () => header(`${value('content-security-policy')} = ''`),
  noNosniff: () => header(`lower(${value('x-content-type-options')}) NOT LIKE 'nosniff%'`),
  noFrameOptions: () =>
    header(`${value('x-frame-options')} = '' AND ${value('content-security-policy')} NOT LIKE '%frame-ancestors%'`),
  noReferrerPolicy: () => header(`${value('referrer-policy')} = ''`),
} as const satisfies Record<string, (thresholds: AuditThresholds) => string>;
export type AuditQuery = keyof typeof AUDIT_QUERIES;

/** In SQL: pages that a sitemap names, that a search engine takes, and that are no seeds. Whether a page links to them is for `inlinks` to say. */
export const LISTED_PAGES = `SELECT audited.id AS id FROM temp.audited AS audited JOIN urls ON urls.id = audited.id
  WHERE audited.indexable = 'yes' AND ${IN_SITEMAP} AND (urls.flags & ${UrlFlag.seed}) = 0 ORDER BY audited.id`;
