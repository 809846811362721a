import { useCallback, useEffect, useState } from 'preact/hooks';
import { PAGE_STATES, type PageAnswer, type PageRow } from '../../store/watch-rows.js';
import { get } from './data.js';
import { bytes, milliseconds, shown, words } from './format.js';
import { type Column, List, useIsPhone } from './list.js';
import { BADGES } from './overview.js';
import { Search } from './parts.js';

const MARKS: Readonly<Record<string, string>> = {
  done: '✓',
  failed: '✕',
  skipped: '–',
  deferred: '■',
  queued: '○',
  leased: '●',
};

/** Why a URL failed, was skipped or was put off. */
const CLASSES = [
  ...[
    'timeout',
    'dns',
    'connection_refused',
    'connection_reset',
    'tls',
    'auth_required',
    'http_4xx',
    'http_5xx',
    'rate_limited',
  ],
  ...[
    'redirect_loop',
    'redirect_limit',
    'malformed_html',
    'too_large',
    'too_slow',
    'blocked_address',
    'invalid_url',
    'hook',
    'internal',
  ],
  ...[
    'robots',
    'nofollow',
    'link_hook',
    'depth',
    'trap',
    'limit',
    'backoff',
    'retry_after',
    'quarantine',
    'held',
    'robots_unreachable',
    'crawl_delay',
  ],
];

const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'none', '200', '301', '302', '403', '404', '410', '429', '500', '503'];

interface PagesProps {
  readonly crawl: number;
  readonly isLive: boolean;
  /** A host that was chosen elsewhere. */
  readonly host: string;
  explain(url: string): void;
}

export function Pages({ crawl, isLive, host: chosen, explain }: PagesProps) {
  const [filter, setFilter] = useState({
    state: '',
    class: '',
    status: '',
    depth: '',
    host: chosen,
    q: '',
    order: 'oldest',
  });
  useEffect(() => setFilter((before) => ({ ...before, host: chosen })), [chosen]);
  const isPhone = useIsPhone();
  const [areShown, setAreShown] = useState(false);
  const inUse = [filter.state, filter.class, filter.status, filter.depth, filter.host].filter(
    (each) => each !== '',
  ).length;
  const set = (name: keyof typeof filter) => (value: string) => setFilter((before) => ({ ...before, [name]: value }));
  const ask = useCallback(
    (after: number | null) => get<PageAnswer>('pages', { crawl, ...filter, after, limit: after === null ? 100 : 500 }),
    [crawl, filter],
  );
  const columns: Column<PageRow>[] = [
    {
      name: 'url',
      head: 'URL',
      kind: 'wide',
      cell: ({ url, title }) => (
        <button type="button" class="plain two" onClick={() => explain(url)} title="Explain this URL">
          <span class="url">{shown(url)}</span>
          {title === null || title === '' ? null : <span class="title">{shown(title)}</span>}
        </button>
      ),
    },
    {
      name: 'state',
      head: 'State',
      kind: 'state',
      cell: ({ state, reason, status }) => (
        <>
          <span class={`badge ${BADGES[state]}`}>
            <span aria-hidden="true">{MARKS[state]} </span>
            {state}
          </span>
          <span class="aside">
            {reason === null || (status !== null && /^http_[45]xx$/.test(reason)) ? '' : ` ${words(reason)}`}
          </span>
        </>
      ),
    },
    { name: 'status', head: 'Status', kind: 'number', cell: ({ status }) => status ?? '–' },
    { name: 'depth', head: 'Depth', kind: 'number', cell: ({ depth }) => depth },
    { name: 'bytes', head: 'Size', kind: 'number extra', cell: (row) => (row.bytes === null ? '–' : bytes(row.bytes)) },
    {
      name: 'ttfb',
      head: 'First byte',
      kind: 'number extra',
      cell: ({ ttfbMs }) => (ttfbMs === null || ttfbMs === 0 ? '–' : milliseconds(ttfbMs)),
    },
  ];
  return (
    <div class="pane pages">
      <div class="tools">
        <Search label="Search URLs and titles" value={filter.q} onChange={set('q')} />
        {isPhone ? (
          <button type="button" aria-expanded={areShown} onClick={() => setAreShown(!areShown)}>
            Filters{inUse === 0 ? '' : ` (${inUse})`}
          </button>
        ) : null}
      </div>
      {isPhone && !areShown ? null : (
        <div class="tools filters">
          <Choice label="State" value={filter.state} onChange={set('state')} values={PAGE_STATES} />
          <Choice label="Class" value={filter.class} onChange={set('class')} values={CLASSES} />
          <Choice label="Status" value={filter.status} onChange={set('status')} values={STATUSES} />
          <label>
            Depth{' '}
            <input
              type="number"
              min="0"
              class="narrow"
              value={filter.depth}
              onInput={({ currentTarget }) => set('depth')(currentTarget.value)}
            />
          </label>
          <label>
            Order{' '}
            <select value={filter.order} onChange={({ currentTarget }) => set('order')(currentTarget.value)}>
              <option value="oldest">first found first</option>
              <option value="newest">last found first</option>
            </select>
          </label>
          <div class="of-host">
            <Search label="Host (whole name)" value={filter.host} onChange={set('host')} />
          </div>
        </div>
      )}
      <List<PageRow, number>
        label="Pages"
        noun="page"
        columns={columns}
        ask={ask}
        keyOf={({ id }) => id}
        isLive={isLive}
        rowClass="page-row"
        phoneRow={92}
      />
    </div>
  );
}

function Choice({
  label,
  value,
  values,
  onChange,
}: {
  label: string;
  value: string;
  values: readonly string[];
  onChange(value: string): void;
}) {
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">any</option>
        {values.map((each) => (
          <option key={each} value={each}>
            {words(each)}
          </option>
        ))}
      </select>
    </label>
  );
}
