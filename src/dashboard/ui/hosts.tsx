import { useCallback, useState } from 'preact/hooks';
import type { HostAnswer, HostRow, HostSort, HostState } from '../../store/watch-rows.js';
import { get, tell, usePolling } from './data.js';
import { count, duration, milliseconds, shown, words } from './format.js';
import { type Column, List } from './list.js';
import { Drawer, Fact, Search } from './parts.js';

/** Shapes beside colours: a state can be told apart without seeing either. */
const MARKS: Readonly<Record<HostState, { mark: string; kind: string }>> = {
  busy: { mark: '●', kind: 'good' },
  ready: { mark: '○', kind: 'note' },
  delayed: { mark: '◷', kind: 'note' },
  'backing off': { mark: '▲', kind: 'warn' },
  'put off': { mark: '■', kind: 'bad' },
  idle: { mark: '–', kind: 'mute' },
};

interface HostsProps {
  readonly crawl: number;
  readonly isLive: boolean;
  readonly hasControls: boolean;
  showPages(host: string): void;
}

export function Hosts({ crawl, isLive, hasControls, showPages }: HostsProps) {
  const [sort, setSort] = useState<HostSort>('name');
  const [text, setText] = useState('');
  const [open, setOpen] = useState<HostRow | null>(null);
  const ask = useCallback(
    (after: string | null) =>
      get<HostAnswer>('hosts', { crawl, sort, q: text, after, limit: after === null ? 100 : 500 }),
    [crawl, sort, text],
  );
  return (
    <div class="pane">
      <div class="tools">
        <Search label="Search hosts" value={text} onChange={setText} />
        <label>
          Sort by{' '}
          <select value={sort} onChange={({ currentTarget }) => setSort(currentTarget.value as HostSort)}>
            <option value="name">name</option>
            <option value="state">state</option>
            <option value="queue">longest queue</option>
            <option value="requests">most requests</option>
            <option value="failures">most failures</option>
            <option value="delay">longest delay</option>
          </select>
        </label>
      </div>
      <List<HostRow, string>
        label="Hosts"
        noun="host"
        columns={columnsOf(sort, setSort, setOpen)}
        ask={ask}
        keyOf={({ id }) => id}
        isLive={isLive}
        rowClass="host-row"
      />
      {open === null ? null : (
        <HostDrawer
          key={open.id}
          crawl={crawl}
          first={open}
          isLive={isLive}
          hasControls={hasControls}
          close={() => setOpen(null)}
          showPages={showPages}
        />
      )}
    </div>
  );
}

function columnsOf(sort: HostSort, setSort: (sort: HostSort) => void, open: (row: HostRow) => void): Column<HostRow>[] {
  const head = (name: HostSort, label: string) => (
    <button type="button" class="plain sorter" onClick={() => setSort(name)}>
      {label}
      <span aria-hidden="true">{sort === name ? (name === 'name' || name === 'state' ? ' ▲' : ' ▼') : ''}</span>
    </button>
  );
  const order = (name: HostSort, way: 'ascending' | 'descending') => ({
    sort: sort === name ? way : ('none' as const),
  });
  return [
    {
      name: 'name',
      head: head('name', 'Host'),
      kind: 'wide',
      ...order('name', 'ascending'),
      cell: (row) => (
        <button type="button" class="plain" onClick={() => open(row)}>
          {shown(row.name)}
        </button>
      ),
    },
    {
      name: 'state',
      head: head('state', 'State'),
      kind: 'state',
      ...order('state', 'ascending'),
      cell: (row) => <StateOf row={row} />,
    },
    {
      name: 'queue',
      head: head('queue', 'Queue'),
      kind: 'number',
      ...order('queue', 'descending'),
      cell: ({ queue, isQueueLonger }) => `${count(queue)}${isQueueLonger ? '+' : ''}`,
    },
    {
      name: 'requests',
      head: head('requests', 'Asked'),
      kind: 'number',
      ...order('requests', 'descending'),
      cell: ({ requests }) => count(requests),
    },
    { name: 'delay', head: head('delay', 'Delay'), kind: 'number', ...order('delay', 'descending'), cell: delayOf },
    {
      name: 'tuned',
      head: 'At once',
      kind: 'number extra',
      cell: ({ tunedLimit }) => (tunedLimit === null ? '–' : Math.floor(tunedLimit)),
    },
    { name: 'robots', head: 'robots.txt', kind: 'extra apart', cell: ({ robots }) => robots ?? '–' },
    {
      name: 'failures',
      head: head('failures', 'Failures'),
      kind: 'number extra',
      ...order('failures', 'descending'),
      cell: ({ failures }) => count(failures),
    },
  ];
}

function StateOf({ row: { state, reason, until } }: { row: HostRow }) {
  const { mark, kind } = MARKS[state];
  const left = until === null ? 0 : until - Date.now();
  return (
    <>
      <span class={`badge ${kind}`}>
        <span aria-hidden="true">{mark} </span>
        {state}
      </span>
      <span class="aside">
        {reason === null || reason === 'backoff' ? '' : ` ${reason === 'held' ? 'in quarantine' : words(reason)}`}
        {left > 1_000 ? ` ${duration(left)}` : ''}
      </span>
    </>
  );
}

const delayOf = ({ delayMs }: HostRow): string => (delayMs === 0 ? 'none' : milliseconds(delayMs));

const DELAY_FROM: Readonly<Record<HostRow['delayFrom'], string>> = {
  user: 'set by you',
  option: '--delay',
  'robots.txt': 'Crawl-delay of robots.txt',
  refusals: 'learnt from its refusals',
};

/** How long after an answer the host is looked at again. */
const LOOK_MS = 1_500;

interface DrawerProps {
  readonly crawl: number;
  /** As the list has it; the sheet goes on from there by itself, because the row may be scrolled away. */
  readonly first: HostRow;
  readonly isLive: boolean;
  readonly hasControls: boolean;
  close(): void;
  showPages(host: string): void;
}

function HostDrawer({ crawl, first, isLive, hasControls, close, showPages }: DrawerProps) {
  const [host, setHost] = useState(first);
  const lookNow = usePolling(
    async (signal) => {
      try {
        const { rows } = await get<HostAnswer>('hosts', { crawl, name: first.name }, signal);
        setHost((before) => rows[0] ?? before);
      } catch {
        // The banner says so, and the next look tries again.
      }
      return isLive ? LOOK_MS : null;
    },
    [crawl, first.name, isLive],
  );
  const isHeld = host.state === 'put off' && host.reason === 'held';
  const [said, setSaid] = useState<string | null>(null);
  const [delay, setDelay] = useState('');
  const order = (what: string, values: object, done: string): void => {
    tell(what, values).then(
      () => {
        setSaid(done);
        lookNow();
      },
      (error: Error) => setSaid(error.message),
    );
  };
  return (
    <Drawer title={host.name} close={close}>
      <p>
        <StateOf row={host} />
      </p>
      <dl class="facts">
        <Fact label="Waiting URLs">{`${count(host.queue)}${host.isQueueLonger ? ' and more' : ''}`}</Fact>
        <Fact label="Asked for">{count(host.requests)}</Fact>
        <Fact label="Next request">
          {isHeld
            ? 'when it is released'
            : host.until === null
              ? 'as soon as it is its turn'
              : new Date(host.until).toLocaleString('en-GB')}
        </Fact>
        <Fact label="robots.txt">{host.robots}</Fact>
        <Fact label="Delay">
          {host.delayMs === 0 ? 'none' : `${milliseconds(host.delayMs)} (${DELAY_FROM[host.delayFrom]})`}
        </Fact>
        <Fact label="Crawl-delay">{host.crawlDelayMs === null ? null : milliseconds(host.crawlDelayMs)}</Fact>
        <Fact label="Learned delay">{host.learnedDelayMs === 0 ? null : milliseconds(host.learnedDelayMs)}</Fact>
        <Fact label="At once, tuned">{host.tunedLimit === null ? null : String(Math.floor(host.tunedLimit))}</Fact>
        <Fact label="Failures in a row">{count(host.failures)}</Fact>
        <Fact label="Address">{host.address}</Fact>
      </dl>
      <div class="actions">
        <button
          type="button"
          onClick={() => {
            close();
            showPages(host.name);
          }}
        >
          Show its pages
        </button>
        {hasControls ? (
          isHeld ? (
            <button type="button" onClick={() => order('release', { host: host.name }, 'It may be asked again.')}>
              Release
            </button>
          ) : (
            <button
              type="button"
              onClick={() => order('quarantine', { host: host.name }, 'It is asked for nothing more.')}
            >
              Quarantine
            </button>
          )
        ) : null}
      </div>
      {hasControls ? (
        <form
          class="actions"
          onSubmit={(event) => {
            event.preventDefault();
            order(
              'delay',
              { host: host.name, delayMs: Math.round(Number(delay)) },
              'The delay holds from the next request on.',
            );
          }}
        >
          <label>
            Delay in ms{' '}
            <input
              type="number"
              min="0"
              max="86400000"
              required
              value={delay}
              onInput={({ currentTarget }) => setDelay(currentTarget.value)}
            />
          </label>
          <button type="submit">Set</button>
        </form>
      ) : null}
      <p role="status">{said}</p>
    </Drawer>
  );
}
