/**
 * Crawls two sites in one go and treats them differently: one slowly and only so far, the other with a language of its own. robots.txt may ask
 * for more patience than an entry, never for less.
 *
 *     node examples/host-policies.ts https://slow.example/ https://docs.example/
 */
import { crawl } from 'gossamer';

const [slow = 'https://slow.example/', docs = 'https://docs.example/'] = process.argv.slice(2);

const run = crawl({
  seeds: [slow, docs],
  hosts: [
    { match: new URL(slow).host, delayMs: 100, maxInflight: 1, maxUrls: 3 },
    { match: new URL(docs).host, headers: { 'accept-language': 'de' }, exclude: ['/print/**'] },
  ],
});
const asked = new Map<string, number>();
for await (const page of run) {
  if (page.attempts > 0) {
    const { host } = new URL(page.url);
    asked.set(host, (asked.get(host) ?? 0) + 1);
  }
}
for (const [host, pages] of asked) {
  console.log(`${host}: ${pages} pages`);
}
