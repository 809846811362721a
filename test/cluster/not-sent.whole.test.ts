import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { NotSent } from '../../src/fetch/contract.js';
import { failureOf, get, newFetcher } from '../fetch/support.js';

it('a request whose right to send is over by the time that the connection is there is not written, and the next one is', async () => {
  const heads: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      heads.push(bytes.toString().split('\r\n')[0]!);
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetcher = newFetcher();
  const asked: string[] = [];
  // Asked when it connects is too early: between that and the head a machine may sleep.
  const late = fetcher.fetch(get(`${origin}/late`), { maySend: () => asked.push('late') === 0 });
  expect(await failureOf(late)).toBeInstanceOf(NotSent);
  await fetcher.fetch(get(`${origin}/in-time`), { maySend: () => asked.push('in time') > 0 }).promise;
  expect(heads).toEqual(['GET /in-time HTTP/1.1']);
  expect(asked).toEqual(['late', 'in time']);
});
