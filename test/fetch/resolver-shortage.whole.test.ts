import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { Resolver } from '../../src/fetch/resolver.js';
import { Shortage } from '../../src/fetch/shortage.js';
import { FakeClock, failureOf, get, newFetcher, nextTurn } from './support.js';

/** Whether the machine of these tests has descriptors; a name server that nobody listens at looks the same to c-ares. */
const machine = vi.hoisted(() => ({ isShort: false }));
vi.mock('../../src/fetch/shortage.js', async (original) => ({
  ...(await original<typeof import('../../src/fetch/shortage.js')>()),
  isShortOfDescriptors: () => machine.isShort,
}));

async function closedUdpPort(): Promise<string> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return `127.0.0.1:${port}`;
}

test('a name that could not be asked for since there was no socket is not a name without address', async () => {
  const resolver = new Resolver([await closedUdpPort()], systemClock, false);
  machine.isShort = true;
  await expect(resolver.addresses('a.test', 4)).rejects.toBeInstanceOf(Shortage);
  // Nor is that kept.
  machine.isShort = false;
  await expect(resolver.addresses('a.test', 4)).rejects.toMatchObject({ errorClass: 'dns' });
  resolver.close();
});

test('the request waits until the name can be asked for', async () => {
  const clock = new FakeClock();
  const fetcher = newFetcher({ dnsServers: [await closedUdpPort()], timeoutMs: 60_000 }, clock);
  machine.isShort = true;
  let isOver = false;
  const failure = failureOf(fetcher.fetch(get('http://a.test/'))).finally(() => {
    isOver = true;
  });
  for (let n = 0; n < 30; n++) {
    await nextTurn();
    clock.advance(100);
  }
  expect(isOver).toBe(false);
  machine.isShort = false;
  while (!isOver) {
    await nextTurn();
    clock.advance(10);
  }
  // It was asked for, of a server that does not answer.
  expect(await failure).toMatchObject({ errorClass: 'dns', message: expect.stringContaining('no name server') });
});
