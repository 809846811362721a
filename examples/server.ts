/**
 * A server that crawls on request: GET /crawl?url=… answers with a line of JSON for each page as it comes. Who hangs up stops the crawl; who
 * reads slowly slows it down. At most two crawls run at a time, of the hosts that you name: the guard against private addresses trusts seeds,
 * so a server must not take just any seed from its visitors.
 *
 *     node examples/server.ts 8080 example.com
 *     curl -N 'http://127.0.0.1:8080/crawl?url=https://example.com/'
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { crawl, UsageError } from 'gossamer';

const MOST_CRAWLS = 2;
const [port = '8080', ...hosts] = process.argv.slice(2);
let crawls = 0;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const url = searchParams.get('url');
  if (pathname !== '/crawl' || url === null) {
    response.writeHead(404).end('ask for /crawl?url=https://example.com/\n');
  } else if (!URL.canParse(url) || !hosts.includes(new URL(url).host)) {
    response.writeHead(403).end(`this server crawls ${hosts.join(', ') || 'nothing: name hosts when you start it'}\n`);
  } else if (crawls === MOST_CRAWLS) {
    response.writeHead(503, { 'retry-after': '60' }).end('too many crawls, try again later\n');
  } else {
    crawls++;
    stream(url, response)
      .catch((error: Error) => {
        // The address was wrong (nothing was begun), or the crawl broke off.
        if (!response.headersSent) {
          response.writeHead(error instanceof UsageError ? 400 : 500);
        }
        response.end(`${error.message}\n`);
      })
      .finally(() => crawls--);
  }
});

async function stream(url: string, response: ServerResponse): Promise<void> {
  const hungUp = new AbortController();
  response.on('close', () => hungUp.abort());
  const run = crawl({ seeds: [url], scope: 'host', maxUrls: 500, durationMs: 60_000, signal: hungUp.signal });
  for await (const { url, state, status, title } of run) {
    if (!response.headersSent) {
      response.writeHead(200, { 'content-type': 'application/jsonl' });
    }
    if (!response.write(`${JSON.stringify({ url, state, status, title })}\n`) && !hungUp.signal.aborted) {
      await once(response, 'drain', { signal: hungUp.signal }).catch(() => {});
    }
  }
  const { reason, summary } = await run.finished;
  console.log(`${url}: ${reason}, ${summary.done} pages`);
  response.end();
}

server.listen(Number(port), '127.0.0.1', () => {
  console.log(`listening on ${JSON.stringify(server.address())}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
