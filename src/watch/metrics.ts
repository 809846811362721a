import type { LiveSnapshot, SlotSnapshot } from './live.js';

/** A moment of a run as Prometheus reads it: names and units by its conventions. */

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** Of the parts of a histogram. */
  readonly metricName?: string;
}

interface Metric {
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(live: LiveSnapshot): readonly Sample[];
}

const one = (value: number): Sample[] => [{ value }];
const maybe = (value: number | null): Sample[] => (value === null ? [] : [{ value }]);
const by = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));
const gauge = (help: string, samples: Metric['samples']): Metric => ({ help, type: 'gauge', samples });
const counter = (help: string, samples: Metric['samples']): Metric => ({ help, type: 'counter', samples });
const ofLayers =
  (value: (layer: LiveSnapshot['layers'][number]) => number | null): Metric['samples'] =>
  ({ layers }) =>
    layers.flatMap((layer) => maybe(value(layer)).map((sample) => ({ ...sample, labels: { layer: layer.name } })));

/** Of each machine, by its slot. */
const ofSlots =
  (value: (slot: SlotSnapshot) => number | null): Metric['samples'] =>
  ({ cluster }) =>
    (cluster?.slots ?? []).flatMap((slot) =>
      maybe(value(slot)).map((sample) => ({ ...sample, labels: { slot: String(slot.slot) } })),
    );
const SLOT_STATES: readonly SlotSnapshot['state'][] = ['free', 'active', 'idle', 'ended', 'missing'];

const STATES: readonly LiveSnapshot['state'][] = ['running', 'paused', 'stopping', 'ended'];
const SECOND_MS = 1000;

/** Every metric by its name. Counters are of this run; they go on over its rounds. */
export const METRICS: Readonly<Record<string, Metric>> = {
  gossamer_run_info: gauge('The run: always 1.', ({ command }) => [{ labels: { command }, value: 1 }]),
  gossamer_state: gauge('1 for the state that the run is in.', ({ state }) =>
    STATES.map((name) => ({ labels: { state: name }, value: name === state ? 1 : 0 })),
  ),
  gossamer_elapsed_seconds: gauge('Since the run began.', ({ elapsedMs }) => one(elapsedMs / SECOND_MS)),
  gossamer_left_seconds: gauge(
    'About how long it takes to fetch what is queued now; absent where nobody can know.',
    (live) => maybe(live.leftMs === null ? null : live.leftMs / SECOND_MS),
  ),
  gossamer_urls: gauge('URLs of all runs on the same store, by state.', ({ urls }) => {
    const { done, failed, skipped, deferred, queued } = urls;
    return by('state', { done, failed, skipped, deferred, queued });
  }),
  gossamer_queued_urls_on_disk: gauge('Queued URLs that are on disk alone.', ({ urls }) => one(urls.queuedOnDisk)),
  gossamer_requests_total: counter('Requests, robots.txt and sitemaps included.', ({ requests }) => one(requests)),
  gossamer_cached_total: counter(
    'Answers without a request: of the HTTP cache, or pages that are carried over.',
    ({ cached }) => one(cached),
  ),
  gossamer_requests_in_flight: gauge('Requests under way.', ({ inFlight }) => one(inFlight)),
  gossamer_retries_total: counter('Requests for pages that had failed before.', ({ retries }) => one(retries)),
  gossamer_refetched_total: counter('Requests for what an earlier run had under way when it was cut off.', (live) =>
    one(live.refetched),
  ),
  gossamer_responses_total: counter('Answers by the first digit of their status; none: no answer came.', (live) =>
    by('class', live.statusClasses),
  ),
  gossamer_failures_total: counter('Pages that failed for good, by error class.', ({ failures }) =>
    by('reason', failures),
  ),
  gossamer_response_seconds: {
    help: 'Time to the first byte of an answer.',
    type: 'histogram',
    samples: ({ latency }) => histogramOf('gossamer_response_seconds', latency),
  },
  gossamer_received_bytes_total: counter('Bytes of the bodies of pages.', ({ bytes }) => one(bytes)),
  gossamer_pages_per_second: gauge('Pages a second, over the last half minute.', (live) => one(live.pagesPerSecond)),
  gossamer_hosts: gauge('Hosts, by what they are at; one may be in several states or in none.', ({ hosts }) => {
    const { busy, delayed, backingOff, deferred } = hosts;
    return by('state', { busy, delayed, backing_off: backingOff, deferred });
  }),
  gossamer_known_hosts: gauge('Hosts that the store knows.', ({ hosts }) => one(hosts.known)),
  gossamer_layer_in_use: gauge(
    'How much of a layer of concurrency is used.',
    ofLayers(({ use }) => use),
  ),
  gossamer_layer_limit: gauge(
    'How much of a layer there is; absent where it has no end.',
    ofLayers(({ limit }) => limit),
  ),
  gossamer_layer_waiting: gauge(
    'How many wait for a layer.',
    ofLayers(({ waiting }) => waiting),
  ),
  gossamer_layer_tightest: gauge('1 for the layer that holds the run back most.', (live) =>
    live.layers.map(({ name }) => ({ labels: { layer: name }, value: name === live.tightest ? 1 : 0 })),
  ),
  gossamer_memory_bytes: gauge('Memory of the process.', ({ memory }) => one(memory.bytes)),
  gossamer_memory_peak_bytes: gauge('The most memory of the process so far.', ({ memory }) => one(memory.peakBytes)),
  gossamer_memory_limit_bytes: gauge('--memory-limit.', ({ memory }) => one(memory.limitBytes)),
  gossamer_commit_seconds: gauge('Mean time of the last commits; absent where there was none.', ({ commitMs }) =>
    maybe(commitMs === null ? null : commitMs / SECOND_MS),
  ),
  gossamer_work_done: gauge("How far the command's own work is, such as pages that became Markdown.", ({ work }) =>
    work === null ? [] : [{ labels: { work: work.name }, value: work.done }],
  ),
  gossamer_work_expected: gauge("How much of the command's own work there is.", ({ work }) =>
    work === null || work.total === null ? [] : [{ labels: { work: work.name }, value: work.total }],
  ),
  gossamer_cluster_own_slot: gauge(
    'The slot of this machine, in a crawl on several; all that follow are of those.',
    (live) => maybe(live.cluster?.own ?? null),
  ),
  gossamer_cluster_slot_state: gauge('1 for the state that a slot is in.', ({ cluster }) =>
    (cluster?.slots ?? []).flatMap(({ slot, state }) =>
      SLOT_STATES.map((name) => ({ labels: { slot: String(slot), state: name }, value: name === state ? 1 : 0 })),
    ),
  ),
  gossamer_cluster_lease_left_seconds: gauge(
    'Of the lease of a slot; 0: it is over, or nobody has one.',
    ofSlots(({ leaseLeftMs }) => leaseLeftMs / SECOND_MS),
  ),
  gossamer_cluster_pages: gauge(
    'Pages of a slot that are done or have failed, as it has told last.',
    ofSlots(({ done, failed }) => done + failed),
  ),
  gossamer_cluster_pages_per_second: gauge(
    'Pages a second of a slot.',
    ofSlots(({ pagesPerSecond }) => pagesPerSecond),
  ),
  gossamer_cluster_outstanding_urls: gauge(
    'URLs of a slot that wait or are under way.',
    ofSlots(({ outstanding }) => outstanding),
  ),
  gossamer_cluster_mail_from: gauge(
    'Pieces of mail that a slot has written and that have not arrived.',
    ofSlots(({ mailFrom }) => mailFrom),
  ),
  gossamer_cluster_mail_to: gauge(
    'Pieces of mail that the others have written to a slot and that have not arrived.',
    ofSlots(({ mailTo }) => mailTo),
  ),
};

function histogramOf(name: string, { buckets, count, sumMs }: LiveSnapshot['latency']): Sample[] {
  const metricName = `${name}_bucket`;
  return [
    ...buckets.map((bucket) => ({
      metricName,
      labels: { le: String(bucket.atMostMs / SECOND_MS) },
      value: bucket.count,
    })),
    { metricName, labels: { le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, value: sumMs / SECOND_MS },
    { metricName: `${name}_count`, value: count },
  ];
}

/** The Content-Type of what `metricsText` gives. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A moment of a run in the text format of Prometheus. */
export async function metricsText(live: LiveSnapshot): Promise<string> {
  // Nobody who does not want metrics waits for it at the start.
  const { Registry } = await import('prom-client');
  const registry = new Registry();
  for (const [name, { help, type, samples }] of Object.entries(METRICS)) {
    const values = samples(live).map((sample) => ({ labels: {}, ...sample }));
    if (values.length > 0) {
      // A metric is whatever says its values: these are counted elsewhere already.
      registry.registerMetric({ name, get: async () => ({ name, help, type, values, aggregator: 'sum' }) } as never);
    }
  }
  return registry.metrics();
}
