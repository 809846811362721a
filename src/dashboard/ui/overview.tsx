import type { ComponentChildren } from 'preact';
import type { KeptFigures } from '../../store/watch-rows.js';
import type { ClusterSnapshot, LayerFigures, LiveSnapshot, SlotSnapshot } from '../../watch/live.js';
import { Chart, type Line } from './charts.js';
import { LetTrapIn } from './controls.js';
import { useSeries } from './data.js';
import {
  bytes,
  count,
  counted,
  duration,
  failureName,
  milliseconds,
  rate,
  short,
  shown,
  timeOfDay,
  words,
} from './format.js';

/** Of the last problems and decisions; the tab of pages has all that failed. */
const MOST_EVENTS = 14;

/** Everything at a glance: how fast it goes, what it waits for, what fails. */
export function Overview({
  live,
  hasControls,
  explain,
}: {
  live: LiveSnapshot;
  hasControls: boolean;
  explain(url: string): void;
}) {
  return (
    <>
      <Figures live={live} />
      <Waiting live={live} />
      {live.cluster === null ? null : <Machines cluster={live.cluster} />}
      <Charts />
      <Layers live={live} />
      <div class="columns">
        <Problems live={live} explain={explain} />
        <Decisions live={live} hasControls={hasControls} />
      </div>
    </>
  );
}

function Figure({
  label,
  value,
  unit,
  children,
}: {
  label: string;
  value: string;
  unit?: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="card figure">
      <dt>{label}</dt>
      <dd>
        <span class="value">
          {value}
          {unit === undefined ? null : <small> {unit}</small>}
        </span>
        <span class="note">{children}</span>
      </dd>
    </div>
  );
}

/** Notes of a figure: a line breaks between two of them, never within one. */
function Bits({ of }: { of: readonly string[] }) {
  return (
    <>
      {of.map((bit, place) => (
        <>
          {place === 0 ? '' : ' '}
          <span class="bit">
            {bit}
            {place === of.length - 1 ? '' : ' ·'}
          </span>
        </>
      ))}
    </>
  );
}

function Figures({ live }: { live: LiveSnapshot }) {
  const { urls, hosts, latency } = live;
  const settled = urls.done + urls.failed + urls.skipped + urls.deferred;
  const all = settled + urls.queued + live.inFlight;
  return (
    <>
      <div class="progress" role="img" aria-label={`${count(settled)} of ${count(all)} known URLs are settled`}>
        <Part share={urls.done / all} kind="good" />
        <Part share={urls.failed / all} kind="bad" />
        <Part share={(urls.skipped + urls.deferred) / all} kind="mute" />
      </div>
      <dl class="figures">
        <Figure label="Done" value={count(urls.done)}>
          <Bits of={[`${count(urls.skipped)} skipped`, `${count(urls.deferred)} put off`]} />
        </Figure>
        <Figure label="Failed" value={count(urls.failed)}>
          <Bits of={[share(urls.failed, urls.done + urls.failed), counted(live.retries, 'retry', 'retries')]} />
        </Figure>
        <Figure label="Queued" value={count(urls.queued)}>
          {live.leftMs === null ? 'time left unknown' : `about ${duration(live.leftMs)} left`}
        </Figure>
        <Figure label="Speed" value={rate(live.pagesPerSecond)} unit="pages/s">
          <Bits of={[`${bytes(live.bytesPerSecond)}/s`, `${bytes(live.bytes)} in all`]} />
        </Figure>
        <Figure label="In flight" value={count(live.inFlight)}>
          {counted(live.requests, 'request')} so far
        </Figure>
        <Figure label="First byte" value={latency.p50Ms === null ? '–' : milliseconds(latency.p50Ms)}>
          {latency.p90Ms === null ? 'nothing answered yet' : `90% within ${milliseconds(latency.p90Ms)}`}
        </Figure>
        <Figure label="Hosts" value={count(hosts.known)}>
          <Bits
            of={[
              `${count(hosts.busy)} busy`,
              `${count(hosts.delayed)} delayed`,
              `${count(hosts.backingOff)} backing off`,
            ]}
          />
        </Figure>
        <Figure label="Memory" value={bytes(live.memory.bytes)}>
          <Bits
            of={[
              `of ${bytes(live.memory.limitBytes)}`,
              ...(live.commitMs === null ? [] : [`commit ${milliseconds(live.commitMs)}`]),
            ]}
          />
        </Figure>
      </dl>
      {live.work === null ? null : (
        <p class="work">
          {live.work.name}: <b>{count(live.work.done)}</b>
          {live.work.total === null ? '' : ` of ${count(live.work.total)}`}
        </p>
      )}
    </>
  );
}

const share = (part: number, all: number): string =>
  all === 0 ? 'none asked yet' : `${((100 * part) / all).toFixed(1)}% of answers`;

/** Widths are set by script: the policy allows no style in markup. */
function Part({ share: part, kind }: { share: number; kind: string }) {
  return <span class={`part ${kind}`} style={{ width: `${Number.isFinite(part) ? 100 * part : 0}%` }} />;
}

function Waiting({ live: { tightest, waitingFor, layers, state } }: { live: LiveSnapshot }) {
  const layer = layers.find(({ name, title }) => name === tightest || title === tightest);
  if (state !== 'running' || (layer === undefined && waitingFor === null)) {
    return null;
  }
  return (
    <p class="remark">
      {layer === undefined ? null : (
        <>
          <b>Held back by {layer.title}</b> (<code>{layer.option}</code>).{' '}
        </>
      )}
      {waitingFor === null ? null : `${waitingFor[0]!.toUpperCase()}${shown(waitingFor.slice(1))}.`}
    </p>
  );
}

const THROUGHPUT: readonly Line[] = [{ column: 'pages', label: 'pages/s', color: 'link' }];
const LATENCY: readonly Line[] = [
  { column: 'p50Ms', label: 'median', color: 'link' },
  { column: 'p90Ms', label: '90%', color: 'violet', dash: [6, 3] },
];
const STATUS: readonly Line[] = [
  { column: '2xx', label: '2xx', color: 'good' },
  { column: '3xx', label: '3xx', color: 'link', dash: [8, 3] },
  { column: '4xx', label: '4xx', color: 'warn', dash: [4, 3] },
  { column: '5xx', label: '5xx', color: 'bad', dash: [2, 2] },
  { column: 'none', label: 'none', color: 'violet', dash: [1, 3] },
];
const FLIGHT: readonly Line[] = [{ column: 'inFlight', label: 'requests', color: 'teal' }];

function Charts() {
  const points = useSeries(true);
  return (
    <div class="charts">
      <Chart title="Pages a second" lines={THROUGHPUT} points={points} figure={rate} tick={short} />
      <Chart
        title="Time to first byte"
        lines={LATENCY}
        points={points}
        figure={milliseconds}
        tick={(ms) => `${short(ms)} ms`}
      />
      <Chart title="Answers a second" lines={STATUS} points={points} isStacked figure={rate} tick={short} />
      <Chart title="Requests in flight" lines={FLIGHT} points={points} figure={count} tick={short} />
    </div>
  );
}

/** All machines of the crawl: what each is at, and what waits for those that are missing. */
function Machines({ cluster: { slots, own, phase, crawlId } }: { cluster: ClusterSnapshot }) {
  return (
    <section aria-labelledby="machines">
      <h2 id="machines">
        Machines of {crawlId} {phase === 'running' ? null : <span class="badge warn">{phase}</span>}
      </h2>
      <div class="machines card">
        <table>
          <thead>
            <tr>
              <th>Slot</th>
              <th>State</th>
              <th>Machine</th>
              <th>Pages/s</th>
              <th>Done</th>
              <th>Waiting</th>
              <th>Mail out</th>
              <th>Mail in</th>
              <th>Lease</th>
            </tr>
          </thead>
          <tbody>
            {slots.map((slot) => (
              <Machine key={slot.slot} slot={slot} isOwn={slot.slot === own} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Machine({ slot, isOwn }: { slot: SlotSnapshot; isOwn: boolean }) {
  const { state, host, pid, pagesPerSecond, done, outstanding, mailFrom, mailTo, leaseLeftMs, missingForMs } = slot;
  const isAway = state === 'missing' || state === 'free';
  return (
    <tr>
      <td>{slot.slot}</td>
      <td>{isAway ? <span class="badge warn">{state}</span> : state}</td>
      <td>
        {host === '' ? '–' : shown(host)}
        {host === '' ? null : <span class="mute"> {isOwn ? 'here' : `process ${pid}`}</span>}
      </td>
      <td>{isAway ? '–' : rate(pagesPerSecond)}</td>
      <td>{count(done)}</td>
      <td>{count(outstanding)}</td>
      <td>{count(mailFrom)}</td>
      <td>{count(mailTo)}</td>
      <td>
        {state === 'missing' ? `over for ${duration(missingForMs)}` : leaseLeftMs > 0 ? duration(leaseLeftMs) : '–'}
      </td>
    </tr>
  );
}

function Layers({ live: { layers, tightest } }: { live: LiveSnapshot }) {
  return (
    <section aria-labelledby="layers">
      <h2 id="layers">Layers of concurrency</h2>
      <ul class="layers">
        {layers.map((layer) => (
          <Layer key={layer.name} layer={layer} isTightest={layer.name === tightest || layer.title === tightest} />
        ))}
      </ul>
    </section>
  );
}

function Layer({
  layer: { title, option, unit, use, limit, waiting },
  isTightest,
}: {
  layer: LayerFigures;
  isTightest: boolean;
}) {
  const figure = unit === 'bytes' ? bytes : count;
  const part = limit === null || limit === 0 ? 0 : Math.min(1, use / limit);
  // What is full while nobody waits for it holds nothing back.
  const kind = waiting === 0 ? 'low' : part >= 1 ? 'full' : part >= 0.8 ? 'high' : 'low';
  const said = `${figure(use)} ${limit === null ? 'in use, no limit' : `of ${figure(limit)} in use`}, ${count(waiting)} waiting`;
  return (
    <li class={`card layer ${isTightest ? 'tightest' : ''}`}>
      <div class="layer-head">
        <span class="name">{title}</span>
        {isTightest ? <span class="badge warn">tightest</span> : null}
      </div>
      <div
        class={`gauge ${kind}`}
        role="meter"
        aria-label={title}
        aria-valuenow={use}
        aria-valuemin={0}
        aria-valuemax={limit ?? Math.max(use, 1)}
        aria-valuetext={said}
      >
        <span style={{ width: `${part * 100}%` }} />
      </div>
      <div class="layer-foot">
        <span>
          <b>{figure(use)}</b>
          {limit === null ? ', no limit' : ` of ${figure(limit)}`}
        </span>
        <span class={waiting > 0 ? 'waiting' : ''}>{waiting === 0 ? 'none wait' : `${short(waiting)} wait`}</span>
      </div>
      <code>{option}</code>
    </li>
  );
}

function Problems({ live: { problems, failures }, explain }: { live: LiveSnapshot; explain(url: string): void }) {
  const kinds = Object.entries(failures).sort(([, a], [, b]) => b - a);
  return (
    <section class="card" aria-labelledby="problems">
      <h2 id="problems">Problems</h2>
      {kinds.length === 0 ? null : (
        <p class="chips">
          {kinds.map(([reason, times]) => (
            <span key={reason} class="chip">
              {words(reason)} <b>{count(times)}</b>
            </span>
          ))}
        </p>
      )}
      {problems.length === 0 ? (
        <p class="empty">Nothing has failed.</p>
      ) : (
        <ul class="events">
          {problems.slice(0, MOST_EVENTS).map(({ at, url, reason, status, message }) => (
            <li key={`${at} ${url}`}>
              <time>{timeOfDay(at)}</time>
              <span class="badge bad">{failureName(reason, status)}</span>
              <button type="button" class="plain" onClick={() => explain(url)} title="Explain this URL">
                {shown(url)}
              </button>
              {message === null ? null : <span class="message">{shown(message)}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Decisions({ live: { decisions, notices }, hasControls }: { live: LiveSnapshot; hasControls: boolean }) {
  return (
    <div class="stack">
      <section class="card" aria-labelledby="decisions">
        <h2 id="decisions">Governor</h2>
        {decisions.length === 0 ? (
          <p class="empty">It has not changed the number of requests yet.</p>
        ) : (
          <ul class="events">
            {decisions.slice(0, MOST_EVENTS).map(({ at, limit, cause }, place) => {
              const before = decisions[place + 1]?.limit ?? limit;
              return (
                <li key={`${at} ${place}`}>
                  <time>{timeOfDay(at)}</time>
                  <span class="limit">
                    {limit > before ? '▲' : limit < before ? '▼' : '＝'} {count(limit)}
                  </span>
                  <span class="message">{shown(words(cause))}</span>
                </li>
              );
            })}
          </ul>
        )}
      </section>
      {notices.length === 0 ? null : (
        <section class="card" aria-labelledby="notices">
          <h2 id="notices">Notices</h2>
          <ul class="events">
            {notices.slice(0, MOST_EVENTS).map(({ at, text, trap }) => (
              <li key={`${at} ${text}`}>
                <time>{timeOfDay(at)}</time>
                <span class="message">{shown(text)}</span>
                {trap === null || !hasControls ? null : <LetTrapIn pattern={trap} />}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** A crawl that does not run here: what the store says of it. */
export function KeptOverview({ kept }: { kept: KeptFigures }) {
  const { counts, tallies } = kept;
  const most = Math.max(1, ...tallies.map(({ pages }) => pages));
  return (
    <>
      <dl class="figures seven">
        {['done', 'failed', 'skipped', 'deferred', 'queued'].map((name) => (
          <Figure
            key={name}
            label={name === 'deferred' ? 'Put off' : `${name[0]!.toUpperCase()}${name.slice(1)}`}
            value={count(counts[name] ?? 0)}
          >
            {name === 'deferred' ? 'URLs of hosts left alone' : 'URLs'}
          </Figure>
        ))}
        <Figure label="Read" value={bytes(kept.bytes)}>
          bodies of pages
        </Figure>
        <Figure label="Hosts" value={count(kept.hosts)}>
          known
        </Figure>
      </dl>
      {kept.truncated === null ? null : (
        <p class="remark">
          Cut by <code>--{kept.truncated.replaceAll('_', '-')}</code>.
        </p>
      )}
      <div class="columns">
        <section class="card" aria-labelledby="tallies">
          <h2 id="tallies">What became of the pages</h2>
          <ul class="bars">
            {tallies.slice(0, 20).map(({ state, reason, status, pages }) => (
              <li key={`${state} ${reason} ${status}`}>
                <span class="what">
                  <span class={`badge ${BADGES[state] ?? 'mute'}`}>{state}</span>{' '}
                  {reason === null ? (status ?? '') : failureName(reason, status)}
                </span>
                <span class="measure" role="presentation">
                  <span class={BADGES[state] ?? 'mute'} style={{ width: `${(100 * pages) / most}%` }} />
                </span>
                <b>{count(pages)}</b>
              </li>
            ))}
          </ul>
        </section>
        <section class="card" aria-labelledby="seeds">
          <h2 id="seeds">Seeds</h2>
          <ul class="events">
            {kept.seeds.map((seed) => (
              <li key={seed}>
                <span class="message">{shown(seed)}</span>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}

export const BADGES: Readonly<Record<string, string>> = {
  done: 'good',
  failed: 'bad',
  skipped: 'mute',
  deferred: 'warn',
  queued: 'note',
  leased: 'note',
};
