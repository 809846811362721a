import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../base/clock.js';
import { Fetcher, type FetchOptions } from '../../fetch/fetcher.js';
import { Lane, type LaneSetup, type RenderedHtml } from '../lane.js';
import type { LaneMessage, LaneOrder } from './lane-thread.js';
import { packOutcomes } from './outcome-mail.js';

const { setup, fetchOptions } = workerData as { setup: LaneSetup; fetchOptions: FetchOptions };
const port = parentPort!;
const send = (message: LaneMessage, moved: ArrayBuffer[] = []): void => port.postMessage(message, moved);

const lane = new Lane(
  setup,
  new Fetcher(fetchOptions, systemClock),
  {
    headers: (ids, ats) => send({ what: 'headers', ids, ats }),
    outcomes: (outcomes) => {
      const mail = packOutcomes(outcomes);
      send({ what: 'outcomes', mail, peakWaiting: lane.peakWaiting }, [mail.edges.words.buffer]);
    },
    piece: (piece) => send({ what: 'piece', piece: JSON.stringify(piece) }),
  },
  systemClock,
);

async function read(call: number, page: RenderedHtml): Promise<void> {
  try {
    const mail = packOutcomes([await lane.read(page)]);
    send({ what: 'read', call, mail }, [mail.edges.words.buffer]);
  } catch (error) {
    send({ what: 'unread', call, problem: String(error) });
  }
}

port.on('message', (order: LaneOrder) => {
  switch (order.what) {
    case 'take':
      lane.take(JSON.parse(order.jobs), order.updates);
      break;
    case 'widen':
      lane.widenScope(order.version, order.seed, order.scopeUrls);
      break;
    case 'forget':
      lane.forgetRules(order.origins);
      break;
    case 'drop':
      lane.dropCaches();
      break;
    case 'sockets':
      lane.resizeSockets(order.count);
      break;
    case 'flow':
      lane.flow();
      break;
    case 'admitted':
      lane.admitted(order.id, order.ids);
      break;
    case 'read':
      void read(order.call, order.page);
      break;
    case 'resolve':
      lane.resolve(order.host).then(
        (address) => send({ what: 'resolved', call: order.call, address }),
        () => send({ what: 'resolved', call: order.call, address: null }),
      );
      break;
  }
});
