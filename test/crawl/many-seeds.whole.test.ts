import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dnsServer } from '../fetch/support.js';
import { html, linkPage, notFound, redirect, type Site } from '../web/site.js';
import { box } from './box.js';
import { inProcess } from './in-process.js';
import { closedPort } from './support.js';

const HOSTS = 4_000;
const BAD_LINES = ['http://', 'ftp://files.test/', 'http://a b.test/', 'https://x.test/ depth=deep', '/etc/passwd'];

type Sort = 'bad' | 'dead' | 'refusing' | 'moved' | 'good';

/** What stands on each line, by its number alone: one in ten is no seed, one in twenty a dead name, one in twenty refuses, one in ten moved. */
function sortOf(line: number): Sort {
  const place = line % 20;
  if (place < 2) {
    return 'bad';
  }
  if (place === 2) {
    return 'dead';
  }
  if (place === 3) {
    return 'refusing';
  }
  return place < 6 ? 'moved' : 'good';
}

/** A home page and one page below it; what moved leads to a name that no seed has. */
const site: Site = {
  handle({ host, path, origin }) {
    if (path !== '/' && path !== '/below') {
      return notFound;
    }
    if (host.startsWith('moved-')) {
      return redirect(`${origin.replace('moved-', 'new-')}${path}`);
    }
    return html(linkPage(`${host}${path}`, path === '/' ? [`${origin}/below`] : []));
  },
};

describe('four thousand seeds in one file', () => {
  const own = box();

  it('with bad lines, dead names and refusing hosts among them: the good ones are done, of each bad one the reason is told', {
    timeout: 300_000,
  }, async () => {
    own.web.site('*', site);
    const refusing = await closedPort();
    const { servers } = await dnsServer((name) =>
      name.startsWith('dead-') ? { rcode: 3 } : { addresses: ['127.0.0.1'] },
    );
    const lines = Array.from({ length: HOSTS }, (_, line) => {
      const sort = sortOf(line);
      if (sort === 'bad') {
        return BAD_LINES[line % BAD_LINES.length]!;
      }
      return `http://${sort}-${line}.test:${sort === 'refusing' ? refusing : own.web.port}/`;
    });
    const file = `${own.folder}/seeds.txt`;
    writeFileSync(file, `${lines.join('\n')}\n`);
    const count = (sort: Sort) => lines.filter((_, line) => sortOf(line) === sort).length;

    const { run, pages, summary, directory } = await own.crawl(
      ['-i', file],
      [
        ...['--dns-server', servers[0]!, '--allow-network', '127.0.0.0/8', '--connect-to', ':9:127.0.0.1:9'],
        ...['--seeding-strategy', 'none', '--retries', '0', '--retry-delay', '0', '--robots-workers', '256'],
      ],
    );

    expect(run.stderr.match(/seeds\.txt:\d+: /g)).toHaveLength(10);
    expect(run.stderr).toContain('390 more lines are no seeds');
    expect(summary.byClass).toEqual({ dns: count('dead'), connection_refused: count('refusing') });
    expect(summary.done).toBe(2 * count('good') + 3 * count('moved'));
    const asked = new Set(own.web.log.map(({ host, path }) => `${host}${path}`));
    lines.forEach((seed, line) => {
      const sort = sortOf(line);
      if (sort === 'good') {
        expect(asked.has(`good-${line}.test/below`), seed).toBe(true);
      }
      if (sort === 'moved') {
        expect(asked.has(`new-${line}.test/below`), seed).toBe(true);
      }
      if (sort === 'moved') {
        expect(pages.get(seed)?.finalUrl).toBe(seed.replace('moved-', 'new-'));
      }
    });
    const pagesAsked = own.web.log.filter(({ path }) => path !== '/robots.txt');
    expect(pagesAsked, 'each once').toHaveLength(new Set(pagesAsked.map(({ host, path }) => host + path)).size);

    const { stdout } = await inProcess(['export', directory, '--format', 'seeds']);
    const told = stdout.trimEnd().split('\n');
    const fateOf = new Map(
      told.flatMap((each, i) => (each.startsWith('#') ? [] : [[each.split(' ')[0]!, told[i - 1]!]])),
    );
    const fatesOf = (sort: Sort) =>
      new Set(
        lines.flatMap((seed, line) =>
          sortOf(line) === sort ? [fateOf.get(seed)!.replace(/ \(.*|\d+\.test.*/, '')] : [],
        ),
      );
    expect(fatesOf('dead')).toEqual(new Set(['# failed dns']));
    expect(fatesOf('refusing')).toEqual(new Set(['# failed connection_refused']));
    expect(fatesOf('good')).toEqual(new Set(['# done 200']));
    expect(fatesOf('moved')).toEqual(new Set(['# done 301 -> http://new-']));
    const refused = told.flatMap((each) => /^# .*seeds\.txt:(\d+) is no seed: /.exec(each)?.[1] ?? []);
    expect(refused).toEqual(lines.flatMap((_, line) => (sortOf(line) === 'bad' ? [String(line + 1)] : [])));
  });
});
