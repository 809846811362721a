import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { explain } from '../explain/explain.js';
import type { Attempt, Explanation, FirstOf, LinkFrom, PathStep, RobotsSays } from '../explain/explanation.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import { counted, formatCount, formatDuration } from './terminal.js';

/** gossamer explain <dir> <url> */
export async function runExplain(input: CommandInput): Promise<number> {
  const ready = prepare('explain', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const [directory, url, ...rest] = input.positionals;
  if (directory === undefined || url === undefined || rest.length > 0) {
    throw new UsageError('`gossamer explain` takes a directory and a URL');
  }
  const explanation = explain(directory, url);
  if (ready.resolved.options.json) {
    writeJson(explanation);
  } else {
    process.stdout.write(explanationText(explanation));
  }
  return EXIT.ok;
}

const LABEL_WIDTH = 13;
const MOST_LINKS = 20;
const MOST_URLS = 5;
const MOST_STEPS = 20;
/** Long enough for whole URLs: one that is cut cannot be used. */
const LONGEST_LINE = 4_200;

/** What happened first, then why, then how the crawl found the URL; one fact a line. */
export function explanationText(explanation: Explanation): string {
  const { url, what, state, reason, rule, remedy, robots, depth, path, waiting } = explanation;
  const lines = [
    url,
    what,
    ...row('state', [reason === null ? state : `${state}, ${reason}`]),
    ...row('rule', [rule.text]),
    ...row('robots.txt', rule.by === 'robots' || robots === null ? [] : [robotsSays(robots)]),
    ...trapRows(explanation.trap, remedy),
    ...row('to fetch it', remedy === null ? [] : [remedy]),
    ...row('note', noteLines(explanation.note)),
    ...row('depth', depth === null ? [] : [String(depth)]),
    ...row('path', pathLines(path ?? [])),
    ...row('redirects to', explanation.redirects),
    ...(state === 'unseen' ? [] : linkRows(explanation.linkedFrom)),
    ...row('same body', some(explanation.duplicates)),
    ...row('robots meta', robotsMetaLines(explanation.robotsMeta)),
    ...row('canonical', explanation.canonical === null ? [] : [explanation.canonical]),
    ...row('canonical of', some(explanation.canonicalOf)),
    ...row('attempts', explanation.attempts.map(attempt)),
    ...row(waiting?.queued == null ? 'waited' : 'waits', waiting === null ? [] : waitingLines(waiting)),
    ...row(
      'host',
      explanation.hosts.map(({ value, name }) => `${value} by ${name}`),
    ),
    ...row('sitemaps', sitemapLines(explanation)),
    ...row('known are', explanation.near),
  ];
  return lines.map((line) => `${printable(line, LONGEST_LINE)}\n`).join('');
}

/** Where no line forbids the URL, robots.txt could not be read. */
const robotsSays = ({ allowed, line, why }: RobotsSays): string =>
  allowed ? `allows it: ${why}` : line === null ? why : `forbids it: ${why}`;

const row = (label: string, values: readonly string[]): string[] =>
  values.map((value, place) => `  ${(place === 0 ? label : '').padEnd(LABEL_WIDTH)} ${value}`);

/** Of a long path only its ends are shown. */
function pathLines(path: readonly PathStep[]): string[] {
  const left = path.length - MOST_STEPS;
  const lines = path.map(step);
  return left <= 0
    ? lines
    : [...lines.slice(0, MOST_STEPS / 2), `and ${formatCount(left)} more`, ...lines.slice(-MOST_STEPS / 2)];
}

function step({ url, by, kind }: PathStep): string {
  return `${url} (${by === 'link' ? kind : by})`;
}

/** The rule already names pattern and cause. How to allow the trap is shown here unless the remedy says it. */
function trapRows(trap: Explanation['trap'], remedy: string | null): string[] {
  if (trap === null) {
    return [];
  }
  const { count, examples, allow } = trap;
  return row('trap', [
    `${formatCount(count)} ${count === 1 ? 'URL was' : 'URLs were'} cut under this pattern`,
    ...examples.map((url) => `such as ${url}`),
    ...(remedy === null ? [`${allow} lets them through`] : []),
  ]);
}

/** For a URL that was never seen, and for a sitemap, it matters which sitemaps were not read. */
function sitemapLines({ sitemaps, kind, state }: Explanation): string[] {
  if (sitemaps === null || !(kind === 'sitemap' || state === 'unseen')) {
    return [];
  }
  const { host, read, notRead } = sitemaps;
  const left = Object.entries(notRead).map(([cause, files]) => `${formatCount(files)} ${cause}`);
  const sum = `${formatCount(read)} ${read === 1 ? 'file' : 'files'} of ${host} read`;
  return read + left.length === 0 ? [] : [left.length === 0 ? sum : `${sum}, not read: ${left.join(', ')}`];
}

function linkRows({ total, pages, nofollow, first }: Explanation['linkedFrom']): string[] {
  const marked = nofollow > 0 ? `, ${formatCount(nofollow)} of them nofollow` : '';
  const sum = `${formatCount(total)} ${total === 1 ? 'link' : 'links'} on ${formatCount(pages)} ${pages === 1 ? 'page' : 'pages'}${marked}`;
  const named = [...byPage(first).values()].slice(0, MOST_LINKS);
  const more = total - named.reduce((links, each) => links + each.length, 0);
  return row('linked from', [
    sum,
    ...named.map(linkFrom),
    ...(more > 0 ? [`and ${formatCount(more)} more${total > MOST_LINKS ? ' (--json names a thousand)' : ''}`] : []),
  ]);
}

/** Several links of one page are one line. */
function byPage(links: readonly LinkFrom[]): Map<string, LinkFrom[]> {
  const pages = new Map<string, LinkFrom[]>();
  for (const link of links) {
    pages.set(link.url, [...(pages.get(link.url) ?? []), link]);
  }
  return pages;
}

function linkFrom(links: readonly LinkFrom[]): string {
  const { url, text } = links[0]!;
  const facts = new Set(
    links.flatMap(({ kind, rel, nofollow, skip }) => [
      kind,
      ...(rel === '' ? [] : [`rel="${rel}"`]),
      ...(nofollow === 'page' ? ['its page says nofollow'] : []),
      ...(nofollow === 'hook' ? [`skipped by the hook link${skip === null ? '' : `: ${skip}`}`] : []),
    ]),
  );
  const times = links.length === 1 ? '' : ` ×${formatCount(links.length)}`;
  return `${url} (${[...facts].join(', ')})${times}${text === null || text === '' ? '' : ` "${text}"`}`;
}

const NOTES: Readonly<Record<string, string>> = {
  wrong_charset: 'it is not in the encoding that its server names',
  undecodable_bytes: 'not all of its bytes mean something in its encoding',
  too_many_links: 'it has more links than are kept',
};

const noteLines = (note: string | null): string[] =>
  (note ?? '')
    .split(/,\s*/)
    .flatMap((name) => (name === '' ? [] : [NOTES[name] === undefined ? name : `${name}: ${NOTES[name]}`]));

function robotsMetaLines(robotsMeta: string | null): string[] {
  if (robotsMeta === null || robotsMeta === '') {
    return [];
  }
  return [`${robotsMeta}${/\bnoindex\b/.test(robotsMeta) ? ': it is left out of the sitemap' : ''}`];
}

function some({ total, first }: FirstOf<string>): string[] {
  const more = total - Math.min(first.length, MOST_URLS);
  return [...first.slice(0, MOST_URLS), ...(more > 0 ? [`and ${formatCount(more)} more`] : [])];
}

function attempt({ attempt: number, at, status, reason, message }: Attempt): string {
  const time = at === null ? 'time unknown' : new Date(at).toISOString();
  const facts = [status === null ? null : `HTTP ${status}`, reason, message].filter((fact) => fact !== null);
  return `${number}: ${time} ${facts.join(', ')}`;
}

function waitingLines({ layer, name, why, until, queued, waitedMs }: NonNullable<Explanation['waiting']>): string[] {
  const parts = [
    waitedMs === null ? null : `${formatDuration(waitedMs)} from its discovery to its answer`,
    layer === null ? why : `layer ${layer}, ${name}: ${why}`,
    queued === null
      ? null
      : `${counted(queued.all, 'URL')} of its host ${queued.all === 1 ? 'waits' : 'wait'}, ${formatCount(queued.before)} before it`,
    until === null ? null : `not before ${new Date(until).toISOString()}`,
  ];
  return [parts.filter((part) => part !== null).join('; ')];
}
