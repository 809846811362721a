import { StateError, UsageError } from '../base/errors.js';
import { formatBytes, formatCount, formatDuration } from '../base/figures.js';
import { printable } from '../base/text.js';
import type { Order } from '../cluster/bus.js';
import { connectBus } from '../cluster/connect.js';
import { crawlIdOf, redisOf } from '../cluster/start.js';
import { viewOf } from '../cluster/view.js';
import type { ClusterSnapshot, SlotSnapshot } from '../watch/live.js';
import { type CommandInput, prepare, writeJson } from './command.js';
import { EXIT } from './exit.js';
import type { Terminal } from './terminal.js';

const ACTIONS = ['status', 'pause', 'go', 'stop', 'replace', 'forget'] as const;

/** gossamer cluster status|pause|go|stop|replace|forget */
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
    if (known === 'forget') {
      if (!(await bus.forget(there.state.nodes))) {
        throw new StateError(
          'cluster_held',
          `${crawlId} has a process that runs: \`gossamer cluster stop\` first, then wait for its lease`,
        );
      }
      terminal.line(`Redis has nothing of ${crawlId} any more; the parts are where they were`);
      return EXIT.ok;
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
    const inRedis = await bus.use(state.nodes);
    const view = viewOf(state, { crawlId, own: null, leftMs: (until) => until - now, inRedis });
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

function show({ crawlId, nodes, phase, reason, leftMs, redisBytes, slots }: ClusterSnapshot, terminal: Terminal): void {
  const words = [
    `${crawlId}: ${nodes} parts, ${phase}${reason === null ? '' : ` (${reason})`}`,
    ...(leftMs === null || phase === 'ended' ? [] : [`${formatDuration(leftMs)} of --duration left`]),
    ...(redisBytes === null ? [] : [`${formatBytes(redisBytes)} in Redis`]),
  ];
  terminal.line(words.join(', '));
  for (const slot of slots) {
    terminal.line(lineOf(slot));
  }
}

function lineOf(slot: SlotSnapshot): string {
  const { state, host, pid, done, failed, outstanding, pagesPerSecond, mailFrom, mailTo, leaseLeftMs } = slot;
  const begun = state === 'free' ? [] : [`${printable(host, 60)} (process ${pid})`];
  const figures = [
    `${formatCount(done)} done`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    `${formatCount(outstanding)} waiting`,
    ...(state === 'missing' || state === 'ended' ? [] : [`${pagesPerSecond.toFixed(1)} pages/s`]),
    `mail ${formatCount(mailFrom)} out, ${formatCount(mailTo)} in`,
  ];
  const lease =
    state === 'missing'
      ? [`gone for ${formatDuration(slot.missingForMs)}: \`gossamer join\` with its directory goes on`]
      : leaseLeftMs > 0 && state !== 'ended'
        ? [`lease ${Math.round(leaseLeftMs / 1000)} s`]
        : [];
  const waits = state === 'free' && mailTo > 0 ? [`${formatCount(mailTo)} pieces of mail wait for it`] : [];
  return [`slot ${slot.slot}: ${state}`, ...begun, ...(state === 'free' ? waits : [...figures, ...lease])].join(', ');
}
