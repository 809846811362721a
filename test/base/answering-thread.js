/** The thread of worker-thread.whole.test.ts; plain JavaScript, as only built files can be loaded in a thread. */
import { workerData } from 'node:worker_threads';
import { StateError } from '../../dist/src/base/errors.js';
import { serve } from '../../dist/src/base/worker-thread.js';

const PLAIN = { value: {}, answer: {} };

const service = serve(
  {
    add: PLAIN,
    flip: { value: 'bytes', answer: 'bytes' },
    fail: PLAIN,
    wait: PLAIN,
    count: PLAIN,
    throw: PLAIN,
    exit: PLAIN,
    data: PLAIN,
  },
  {
    add: ({ a, b }) => a + b,
    flip: (bytes) => bytes.map((byte) => ~byte),
    fail: async (how) => {
      throw how === 'ours' ? new StateError('full', 'the disk is full') : new TypeError('a defect');
    },
    wait: () => new Promise(() => {}),
    count: (to) => {
      for (let i = 0; i < to; i++) {
        service.tell('counted', i);
      }
    },
    throw: () => {
      throw new Error('uncaught');
    },
    exit: (code) => process.exit(code),
    data: () => workerData,
  },
  { counted: PLAIN },
);
