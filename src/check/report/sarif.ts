import { createHash } from 'node:crypto';
import { counted } from '../../base/figures.js';
import { VERSION } from '../../config/version.js';
import { PROJECT_PAGE } from '../../crawl/settings.js';
import { jsonLine } from '../../report/output.js';
import { type CheckedLink, type CheckReport, type LinkSource, VERDICTS, type Verdict } from './result.js';
import { isOnlyCounted } from './unchecked.js';
import { VERDICT_HELP } from './verdict-help.js';
import {
  isCopy,
  isUrl,
  notLookedAt,
  plainText,
  reasonOf,
  remarks,
  TEXT_LENGTH,
  targetOf,
  URL_LENGTH,
} from './words.js';

/** GitHub refuses a file with more. */
const MOST_RESULTS = 25_000;

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** SARIF 2.1.0: a rule a verdict, a result a place. What fails comes first, so that a limit cuts off the rest. */
export function* sarifReport(report: CheckReport): Iterable<string> {
  yield `{"version":"2.1.0","$schema":"${SCHEMA}","runs":[{"tool":{"driver":${json(DRIVER)}},"columnKind":"utf16CodeUnits","results":[\n`;
  let count = 0;
  for (const result of results(report)) {
    if (count < MOST_RESULTS) {
      yield `${count === 0 ? '' : ',\n'}${json(result())}`;
    }
    count++;
  }
  const leftOut = count - MOST_RESULTS;
  const notes = [notLookedAt(report.summary) ?? [], remarks(report.summary)].flat();
  if (leftOut > 0) {
    notes.push(`${counted(leftOut, 'result is', 'results are')} not in this file: it holds ${MOST_RESULTS} at most`);
  }
  yield `\n],"invocations":[${json(invocation(report, notes))}]}]}\n`;
}

const json = (value: unknown): string => jsonLine(value).trimEnd();

const DRIVER = {
  name: 'Gossamer',
  version: VERSION,
  semanticVersion: VERSION,
  informationUri: PROJECT_PAGE,
  rules: VERDICTS.map((verdict) => {
    const { meaning, advice, fails, weight } = VERDICT_HELP[verdict];
    return {
      id: verdict,
      name: verdict.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      shortDescription: { text: meaning },
      fullDescription: { text: `${meaning} ${advice}` },
      help: { text: `${meaning} ${advice}`, markdown: `${meaning}\n\n**What to do:** ${advice}` },
      helpUri: `${PROJECT_PAGE}/blob/main/docs/CHECK.md#verdicts`,
      defaultConfiguration: { level: fails === 'no' ? (weight === 'attention' ? 'warning' : 'note') : 'error' },
      properties: { tags: ['links'] },
    };
  }),
};

/** Made only when they are written. */
function* results(report: CheckReport): Iterable<() => object> {
  for (const failing of [true, false]) {
    for (const link of report.links()) {
      if (link.fails === failing && (failing || isWorthAResult(link))) {
        const seen = new Map<string, number>();
        for (const source of link.sources.length === 0 ? [null] : link.sources) {
          const page = source?.page ?? '';
          const turn = (seen.get(page) ?? 0) + 1;
          seen.set(page, turn);
          yield () => resultOf(link, source, turn);
        }
      }
    }
  }
}

const isWorthAResult = ({ verdict, unchecked }: CheckedLink): boolean =>
  VERDICT_HELP[verdict].weight !== 'fine' && !isOnlyCounted(unchecked);

function resultOf(link: CheckedLink, source: LinkSource | null, turn: number): object {
  const { url, fragment, status, finalUrl, suggestion, remappedFrom, verdict } = link;
  const fingerprint = `${hashOf(verdict, url, fragment, source?.page)}:${turn}`;
  return {
    ruleId: verdict,
    ruleIndex: VERDICTS.indexOf(verdict),
    level: levelOf(link),
    message: { text: messageText(link, source) },
    ...(source === null ? {} : { locations: [{ physicalLocation: physicalLocation(source) }] }),
    // GitHub knows an alert again by the second. Lines are not in it: they move.
    partialFingerprints: { 'gossamerLink/v1': fingerprint, primaryLocationLineHash: fingerprint },
    properties: {
      url,
      fragment,
      status,
      finalUrl,
      suggestion,
      remappedFrom,
      href: source?.href ?? null,
      selector: source?.selector ?? null,
    },
  };
}

function levelOf({ fails, verdict }: CheckedLink): 'error' | 'warning' | 'note' {
  if (fails) {
    return 'error';
  }
  return VERDICT_HELP[verdict].weight === 'attention' ? 'warning' : 'note';
}

const hashOf = (verdict: Verdict, ...parts: readonly (string | null | undefined)[]): string =>
  createHash('sha256')
    .update(JSON.stringify([verdict, ...parts]))
    .digest('hex')
    .slice(0, 32);

function messageText(link: CheckedLink, source: LinkSource | null): string {
  const said = [
    `${link.verdict}: ${plainText(targetOf(link), URL_LENGTH)} (${reasonOf(link)})`,
    source === null || source.text === '' ? '' : `in “${plainText(source.text, TEXT_LENGTH)}”`,
    link.suggestion === null
      ? ''
      : `${isCopy(link) ? 'archived copy:' : 'write'} ${plainText(link.suggestion, URL_LENGTH)}`,
  ];
  return quiet(said.filter((part) => part !== '').join('; '));
}

/** In a message `{0}` is a placeholder and `[text](URL)` a link: braces are doubled, as the standard has it, and the link is parted. */
const quiet = (text: string): string => text.replace(/[{}]/g, '$&$&').replaceAll('](', '] (');

function physicalLocation({ page, line, column }: LinkSource): object {
  return {
    artifactLocation: { uri: uriOf(page) },
    ...(line === null ? {} : { region: { startLine: line, ...(column === null ? {} : { startColumn: column }) } }),
  };
}

/** A path becomes a reference relative to the checkout, or a file: URL. */
function uriOf(page: string): string {
  if (isUrl(page)) {
    return percentEncoded(page, /[^\w\-.~!*'();:@&=+$,/?#[\]%]/gu);
  }
  // Of Windows: another drive than that of the checkout.
  const [, drive = '', rest = page] = /^([a-z]:)(\/.*)$/i.exec(page) ?? [];
  const path = percentEncoded(rest.replace(/^(?:\.\/+)+/, ''), /[^\w\-.~!*'()@&=+$,/]/gu);
  return drive === '' ? (path.startsWith('/') ? `file://${path}` : path) : `file:///${drive}${path}`;
}

const percentEncoded = (text: string, unwanted: RegExp): string =>
  text.replace(unwanted, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

function invocation({ startedAt, summary }: CheckReport, notes: readonly string[]): object {
  return {
    executionSuccessful: true,
    exitCode: summary.exitCode,
    startTimeUtc: startedAt,
    toolExecutionNotifications: notes.map((text) => ({ level: 'warning', message: { text: quiet(text) } })),
  };
}
