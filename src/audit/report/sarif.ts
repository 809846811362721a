import { createHash } from 'node:crypto';
import { counted } from '../../base/figures.js';
import { VERSION } from '../../config/version.js';
import { jsonLine } from '../../report/output.js';
import type { AuditFinding, AuditPlace, AuditReport } from './result.js';
import { AUDIT_RULES, type AuditRule, type Severity } from './rules.js';
import { placeWords } from './writer.js';

/** GitHub refuses a file with more. */
const MOST_RESULTS = 25_000;
const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const PROJECT_PAGE = 'https://github.com/gossamer-crawler/gossamer';
const LEVELS = { error: 'error', warning: 'warning', notice: 'note' } as const satisfies Record<Severity, string>;

/** SARIF 2.1.0: a result a place. The worst come first, so that the limit cuts off the rest, and a note says so. */
export function* sarifAudit(report: AuditReport): Iterable<string> {
  yield `{"version":"2.1.0","$schema":"${SCHEMA}","runs":[{"tool":{"driver":${json(driver())}},"results":[\n`;
  let count = 0;
  for (const finding of report.findings) {
    for (const place of report.places(finding.rule, 0, MOST_RESULTS - count)) {
      yield `${count === 0 ? '' : ',\n'}${json(resultOf(finding, place))}`;
      count++;
    }
  }
  const leftOut = report.findings.reduce((sum, finding) => sum + finding.count, 0) - count;
  const notes = [
    ...report.summary.remarks,
    ...report.gaps.map(({ rule, reason }) => `${rule} is not answered: ${reason}`),
    ...(leftOut > 0
      ? [`${counted(leftOut, 'result is', 'results are')} not in this file: it holds ${MOST_RESULTS} at most`]
      : []),
  ];
  const notifications = notes.map((text) => ({ level: 'note', message: { text: quiet(text) } }));
  yield `\n],"invocations":[${json({ executionSuccessful: true, toolExecutionNotifications: notifications })}]}]}\n`;
}

const json = (value: unknown): string => jsonLine(value).trimEnd();

function driver(): object {
  return {
    name: 'Gossamer',
    version: VERSION,
    semanticVersion: VERSION,
    informationUri: PROJECT_PAGE,
    rules: (AUDIT_RULES as readonly AuditRule[]).map(({ id, title, why, advice, severity }) => ({
      id,
      name: id.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      shortDescription: { text: title },
      fullDescription: { text: `${why} ${advice}` },
      help: { text: `${why} ${advice}`, markdown: `${why}\n\n**What to do:** ${advice}` },
      helpUri: `${PROJECT_PAGE}/blob/main/docs/AUDIT.md#rules`,
      defaultConfiguration: { level: LEVELS[severity] },
      properties: { tags: ['audit'] },
    })),
  };
}

function resultOf({ rule, severity, title }: AuditFinding, place: AuditPlace): object {
  const more = placeWords(place);
  const { url, target, detail, text, times } = place;
  return {
    ruleId: rule,
    ruleIndex: AUDIT_RULES.findIndex(({ id }) => id === rule),
    level: LEVELS[severity],
    message: { text: quiet(`${title}${more === '' ? '' : `: ${more}`}`) },
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(url) } } }],
    partialFingerprints: { 'gossamerAudit/v1': hashOf(rule, url, target) },
    properties: { url, target, detail, text, times },
  };
}

const hashOf = (...parts: readonly (string | null)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/** In a message `{0}` is a placeholder and `[text](URL)` a link: braces are doubled, as the standard has it, and the link is parted. */
const quiet = (text: string): string => text.replace(/[{}]/g, '$&$&').replaceAll('](', '] (');

const uriOf = (url: string): string =>
  url.replace(/[^\w\-.~!*'();:@&=+$,/?#[\]%]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
