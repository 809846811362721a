import { useCallback, useEffect, useState } from 'preact/hooks';
import type { AuditFinding, AuditPlace } from '../../audit/report/result.js';
import type { AuditAnswer, AuditPlaces } from '../api.js';
import { get } from './data.js';
import { count, counted, shown } from './format.js';

const AT_ONCE = 50;
const KINDS = { error: 'bad', warning: 'warn', notice: 'note' } as const;
const MARKS = { error: '✗', warning: '!', notice: '·' } as const;
const SEVERITIES = ['error', 'warning', 'notice'] as const;

interface AuditProps {
  readonly crawl: number;
  explain(url: string): void;
}

/** What is to be mended on the site, as `gossamer audit` finds it. Places are asked for when a finding is opened. */
export function Audit({ crawl, explain }: AuditProps) {
  const [answer, setAnswer] = useState<AuditAnswer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [times, setTimes] = useState(0);
  useEffect(() => {
    setAnswer(null);
    get<AuditAnswer>('audit', { crawl }).then(setAnswer, (error: Error) => setProblem(error.message));
  }, [crawl, times]);
  if (answer === null) {
    return (
      <p class="empty" role="status">
        {problem ?? 'Looking at all pages and links…'}
      </p>
    );
  }
  const { summary, findings, gaps, passed } = answer;
  return (
    <div class="pane audit">
      <ul class="audit-tiles">
        {SEVERITIES.map((severity) => (
          <li key={severity} class={`card is-${KINDS[severity]}`}>
            <b>{count(summary.places[severity])}</b>
            <span>{summary.places[severity] === 1 ? severity : `${severity}s`}</span>
          </li>
        ))}
        <li class="card">
          <b>{count(summary.pages)}</b>
          <span>pages, {count(summary.indexable)} for search engines</span>
        </li>
      </ul>
      {summary.remarks.map((remark) => (
        <p class="remark" key={remark}>
          {shown(remark)}
        </p>
      ))}
      <p class="aside">
        {findings.length === 0 ? 'No rule has found anything. ' : `${counted(findings.length, 'kind')} of findings. `}
        <button type="button" class="plain" onClick={() => setTimes(times + 1)}>
          Look again
        </button>
      </p>
      <ol class="audit-list card">
        {findings.map((finding) => (
          <li key={`${times} ${finding.rule}`}>
            <Finding crawl={crawl} finding={finding} explain={explain} />
          </li>
        ))}
      </ol>
      {gaps.length === 0 ? null : (
        <section>
          <h2>Not answered</h2>
          <ul>
            {gaps.map(({ rule, title, reason }) => (
              <li key={rule}>
                {title}: {shown(reason)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {passed.length === 0 ? null : (
        <section>
          <h2>Nothing found</h2>
          <p class="aside">{passed.join(' · ')}</p>
        </section>
      )}
    </div>
  );
}

function Finding({ crawl, finding, explain }: AuditProps & { finding: AuditFinding }) {
  const { rule, title, why, advice, severity, counted: words } = finding;
  const [rows, setRows] = useState<readonly AuditPlace[] | null>(null);
  const [next, setNext] = useState<number | null>(0);
  const [problem, setProblem] = useState<string | null>(null);
  const more = useCallback(() => {
    get<AuditPlaces>('audit/places', { crawl, rule, from: next, limit: AT_ONCE }).then(
      (places) => {
        setRows((before) => [...(before ?? []), ...places.rows]);
        setNext(places.next);
      },
      (error: Error) => setProblem(error.message),
    );
  }, [crawl, rule, next]);
  const open = (isOpen: boolean): void => {
    if (isOpen && rows === null) {
      more();
    }
  };
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>
        <span class={`badge ${KINDS[severity]}`}>
          <span aria-hidden="true">{MARKS[severity]} </span>
          {severity}
        </span>
        <b>{title}</b>
        <span class="aside">{words}</span>
      </summary>
      <p>{why}</p>
      <p class="aside">
        {advice} <code>{rule}</code>
      </p>
      {problem === null ? null : <p role="alert">{shown(problem)}</p>}
      <ul class="audit-places">
        {(rows ?? []).map((place, at) => (
          <Place key={at} place={place} explain={explain} />
        ))}
      </ul>
      {next === null || rows === null ? null : (
        <button type="button" onClick={more}>
          Show more
        </button>
      )}
    </details>
  );
}

function Place({
  place: { url, target, detail, text, times },
  explain,
}: {
  place: AuditPlace;
  explain(url: string): void;
}) {
  const isSaid = target === null || (detail?.includes(target) ?? false);
  return (
    <li>
      <button type="button" class="plain" onClick={() => explain(url)}>
        {shown(url)}
      </button>
      {isSaid ? null : <span> → {shown(target)}</span>}
      {detail === null ? null : <span class="aside"> {shown(detail)}</span>}
      {text === null ? null : <span class="aside"> “{shown(text)}”</span>}
      {times > 1 ? <span class="aside"> {count(times)} times</span> : null}
    </li>
  );
}
