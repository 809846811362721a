import { it } from 'vitest';
import { start, temporaryFolder } from '../crawl/support.js';
import { Random } from '../web/random.js';
import { inStore } from './killing.js';
import { openWebProcess } from './web-process.js';
it('probe', async () => {
  const random = new Random(Number(process.env['S'] ?? 1));
  const folder = temporaryFolder();
  for (let round = 0; round < 6; round++) {
    const web = await openWebProcess(`${folder.path}/l${round}`, { seed: 5, hosts: 10, urls: 400, domain: 'web.test' });
    const dir = `${folder.path}/d${round}`;
    const args = ['crawl', 'http://h0.web.test/', '--scope', 'domain', '--data-dir', dir, '--delay', '0', '--workers', '64', '--retry-delay', '50ms', '--max-backoff', '1s', ...web.connectTo];
    let before: unknown[] = [];
    for (let k = 0; k < 8; k++) {
      const run = start(k === 0 ? args : ['resume', dir]);
      const m = random.between(1, 80);
      const ok = await web.requests(m, run.ended);
      run.child.kill('SIGKILL');
      const e = await run.ended;
      const now = inStore(dir, (all) => ({ leased: all('SELECT id, url, kind, attempts, lost FROM urls WHERE state = 1'), re: all("SELECT value FROM meta WHERE key = 'refetched'")[0]?.['value'], runs: all('SELECT count(*) AS n FROM runs')[0]?.['n'] }));
      console.log(round, k, m, ok, e.signal, 'leased', now.leased.length, 'refetched', now.re, 'before', before.length, 'runs', now.runs);
      before = now.leased;
    }
    await web.close();
  }
  folder.remove();
}, 200000);
