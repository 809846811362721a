import { describe, expect, it } from 'vitest';
import { METRICS, metricsText } from '../../src/watch/metrics.js';
import { CLUSTER } from '../cli/live-fixture.js';
import { eventfulMoment } from './live-fixture.js';

/** Each line that is no comment, as name with labels and value. */
const lines = async (live = eventfulMoment()): Promise<Map<string, number>> => {
  const text = await metricsText(live);
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
};

describe('metrics', () => {
  it('have the figures of the moment, in base units', async () => {
    const all = await lines();
    expect(all.get('gossamer_requests_total')).toBe(6);
    expect(all.get('gossamer_responses_total{class="2xx"}')).toBe(2);
    expect(all.get('gossamer_responses_total{class="none"}')).toBe(1);
    expect(all.get('gossamer_failures_total{reason="timeout"}')).toBe(1);
    expect(all.get('gossamer_urls{state="queued"}')).toBe(12);
    expect(all.get('gossamer_hosts{state="backing_off"}')).toBe(1);
    expect(all.get('gossamer_left_seconds')).toBe(61.5);
    expect(all.get('gossamer_commit_seconds')).toBe(0.0045);
    expect(all.get('gossamer_layer_in_use{layer="workers"}')).toBe(2);
    expect(all.get('gossamer_layer_limit{layer="workers"}')).toBe(8);
    expect(all.get('gossamer_layer_tightest{layer="delay"}')).toBe(1);
    expect(all.get('gossamer_state{state="running"}')).toBe(1);
  });

  it('have every machine of a crawl on several, by its slot', async () => {
    const all = await lines(eventfulMoment({ cluster: CLUSTER }));
    expect(all.get('gossamer_cluster_own_slot')).toBe(0);
    expect(all.get('gossamer_cluster_slot_state{slot="2",state="missing"}')).toBe(1);
    expect(all.get('gossamer_cluster_slot_state{slot="2",state="active"}')).toBe(0);
    expect(all.get('gossamer_cluster_mail_to{slot="2"}')).toBe(12_345);
    expect(all.get('gossamer_cluster_mail_from{slot="0"}')).toBe(12);
    expect(all.get('gossamer_cluster_pages_per_second{slot="1"}')).toBe(20);
    expect(all.get('gossamer_cluster_outstanding_urls{slot="0"}')).toBe(2_000);
    expect(all.get('gossamer_cluster_lease_left_seconds{slot="0"}')).toBe(14.2);
    expect([...(await lines()).keys()].join(' ')).not.toContain('cluster');
  });

  it('have a histogram whose counts add up', async () => {
    const all = await lines();
    expect(all.get('gossamer_response_seconds_bucket{le="0.032"}')).toBe(0);
    expect(all.get('gossamer_response_seconds_bucket{le="0.064"}')).toBe(5);
    expect(all.get('gossamer_response_seconds_bucket{le="+Inf"}')).toBe(5);
    expect(all.get('gossamer_response_seconds_count')).toBe(5);
    expect(all.get('gossamer_response_seconds_sum')).toBeCloseTo(0.175);
  });

  it('leave out what is not known, and what has no end', async () => {
    const all = await lines(eventfulMoment({ leftMs: null, commitMs: null, work: null }));
    const names = [...all.keys()].join('\n');
    expect(names).not.toContain('left_seconds');
    expect(names).not.toContain('commit_seconds');
    expect(names).not.toContain('gossamer_work');
    expect(all.has('gossamer_layer_limit{layer="delay"}')).toBe(false);
  });

  it('are named by the conventions: a prefix, counters that end in _total, and nothing else that does', () => {
    for (const [name, { type }] of Object.entries(METRICS)) {
      expect(name).toMatch(/^gossamer_[a-z_]+$/);
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
    }
  });

  it('are each written once something is known', async () => {
    const text = await metricsText(eventfulMoment({ cluster: CLUSTER }));
    const written = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(written).toEqual(Object.keys(METRICS));
  });
});
