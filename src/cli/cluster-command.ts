import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { Order } from '../cluster/bus.js';
import { connectBus } from '../cluster/connect.js';
import { crawlIdOf, redisOf } from '../cluster/start.js';
import { type ClusterView, type SlotView, viewOf } from '../cluster/view.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import type { Terminal } from './terminal.js';

const ACTIONS = ['status', 'pause', 'go', 'stop', 'replace'] as const;

/** gossamer cluster status|pause|go|stop|replace */
export async function runCluster(input: CommandInput): Promise<number> {
  const ready = prepare('cluster', input);
  if (ready === null) {
    return EXIT.ok;
  }
  const { resolved, terminal } = ready;
  const [action = '', slotText] = input.positionals;
  const known = ACTIONS.find((each) => each === action);
  if (known === undefined) {
    throw new UsageError(`\`gossamer cluster\` has ${ACTIONS.join(', ')}, got ${printable(action, 100)}`);
  }
  const slot = readSlot(known, slotText);
  const url = redisOf(resolved.options);
  if (url === null) {
    throw new UsageError('`gossamer cluster` needs --redis-url URL');
  }
  const crawlId = crawlIdOf(resolved.options);
  const bus = await connectBus(url, crawlId);
  try {
    const there = await bus.look();
    if (there === null) {
      throw new StateError('cluster_gone', `Redis has no crawl ${crawlId}`);
    }
    if (slot !== null && slot >= there.state.nodes) {
      throw new UsageError(`${crawlId} has the slots 0 to ${there.state.nodes - 1}, got ${slot}`);
    }
    if (known !== 'status') {
      const state = await bus.order(known as Order, slot);
      if (state === null) {
        throw new StateError(
          'cluster_held',
          `slot ${slot} is held by a process that runs: end that process first, then wait until its lease is over`,
        );
      }
    }
    const { state, now } = (await bus.look()) ?? there;
    const waiting = await bus.waiting(state.nodes);
    const view = viewOf(state, {
      crawlId,
      leaseLeftMs: (until) => until - now,
      mailWaiting: new Map(waiting.map((entries, each) => [each, entries])),
    });
    if (resolved.options.json) {
      writeJson(view);
    } else {
      show(view, terminal);
    }
    return EXIT.ok;
  } finally {
    await bus.close();
  }
}

function readSlot(action: (typeof ACTIONS)[number], text: string | undefined): number | null {
  if (action !== 'replace') {
    if (text !== undefined) {
      throw new UsageError(`\`gossamer cluster ${action}\` takes no slot, got ${printable(text, 100)}`);
    }
    return null;
  }
  if (text === undefined || !/^\d{1,4}$/.test(text)) {
    throw new UsageError('`gossamer cluster replace` needs the number of a slot: `gossamer cluster status` shows them');
  }
  return Number(text);
}

function show({ crawlId, nodes, phase, slots }: ClusterView, terminal: Terminal): void {
  terminal.line(`${crawlId}: ${nodes} parts, ${phase}`);
  for (const slot of slots) {
    terminal.line(lineOf(slot));
  }
}

function lineOf({ slot, state, host, pid, leaseLeftMs, mailWaiting, figures }: SlotView): string {
  const words = [`slot ${slot}: ${state}`];
  if (state !== 'free') {
    words.push(`${printable(host, 60)} (process ${pid})`);
  }
  if (figures !== null) {
    words.push(`${figures.done ?? 0} done`, `${figures.outstanding ?? 0} waiting`, `${figures.outbox} to be told`);
  }
  if (state === 'missing') {
    words.push(`${mailWaiting ?? 0} letters wait for it`);
  } else if (leaseLeftMs > 0) {
    words.push(`lease ${Math.round(leaseLeftMs / 1000)} s`);
  }
  return words.join(', ');
}
