/**
 * The cheapest way to fetch the pages of a list: one thread, undici's dispatch, bodies dropped, nothing looked at.
 *   node dist/bench/floor.js urls.txt
 */
import { readFileSync } from 'node:fs';
import { Client } from 'undici';

const PER_HOST = 64;

const urls = readFileSync(process.argv[2]!, 'utf8').split('\n').filter(Boolean);
const pathsByOrigin = new Map<string, string[]>();
for (const url of urls) {
  const { origin } = new URL(url);
  if (!pathsByOrigin.has(origin)) {
    pathsByOrigin.set(origin, []);
  }
  pathsByOrigin.get(origin)!.push(url.slice(origin.length));
}
await Promise.all([...pathsByOrigin].map(([origin, paths]) => fetchAll(origin, paths)));
process.exit(0);

async function fetchAll(origin: string, paths: readonly string[]): Promise<void> {
  let next = 0;
  const fetchSome = async () => {
    const client = new Client(origin, { pipelining: 1 });
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      await dispatch(client, path);
    }
  };
  await Promise.all(Array.from({ length: PER_HOST }, fetchSome));
}

function dispatch(client: Client, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.dispatch(
      { path, method: 'GET' },
      {
        onConnect() {},
        onHeaders: () => true,
        onData: () => true,
        onComplete: () => resolve(),
        onError: reject,
      },
    );
  });
}
