import { expect, it } from 'vitest';
import type { ClusterState, SlotState } from '../../src/cluster/bus.js';
import { viewOf } from '../../src/cluster/view.js';

const NOW = 50_000;
const slot = (parts: Partial<SlotState>): SlotState => ({
  ...{ token: 't', incarnation: 'store', generation: 1, until: NOW + 5_000, count: 3, standing: 'active' },
  ...{ confirmed: '', figures: '{"host":"a","pid":1,"done":7,"outstanding":2,"outbox":{"1":4,"2":9}}' },
  ...parts,
});
const state = (slots: Record<string, SlotState>): ClusterState => ({
  ...{
    protocol: 2,
    id: 'id',
    hash: 'h',
    server: '',
    nodes: 3,
    generation: 1,
    phase: 'running',
    reason: '',
    end: '',
    slots,
  },
  ...{ startedAt: NOW - 1_000, durationMs: 10_000, maxBytes: 0, lostBytes: 0 },
});

it('names a slot that is missing, and what all others have written for it', () => {
  const gone = slot({ until: NOW - 2_000, figures: '{"host":"b","pid":2,"outstanding":5,"outbox":{}}' });
  const left = (until: number) => until - NOW;
  const view = viewOf(state({ 0: slot({}), 1: gone }), { crawlId: 'c', own: 0, leftMs: left, inRedis: null });
  expect(view).toMatchObject({ own: 0, nodes: 3, leftMs: 9_000 });
  expect(view.slots).toMatchObject([
    { state: 'active', host: 'a', done: 7, outstanding: 2, mailFrom: 13, mailTo: 0, leaseLeftMs: 5_000 },
    { state: 'missing', host: 'b', outstanding: 5, mailFrom: 0, mailTo: 4, leaseLeftMs: 0, missingForMs: 2_000 },
    { state: 'free', host: '', mailTo: 9, leaseLeftMs: 0, missingForMs: 0 },
  ]);
});
