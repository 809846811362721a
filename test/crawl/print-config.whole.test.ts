import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { star } from '../web/plain.js';
import { box } from './box.js';
import { inProcess } from './in-process.js';

const SECRET = 'swordfish';

describe('--print-config', () => {
  const site = box();

  /** The same question twice: lines of text by flag, and JSON by key. */
  async function ask(args: string[], env: Record<string, string> = {}) {
    const [text, json] = await Promise.all([
      inProcess([...args, '--print-config'], { cwd: site.folder, env }),
      inProcess([...args, '--print-config', '--json'], { cwd: site.folder, env }),
    ]);
    expect([text.code, json.code], text.stderr).toEqual([0, 0]);
    const lines = text.stdout.trimEnd().split('\n');
    const byFlag = new Map(
      lines.map((line) => line.split(/ {2,}/) as [string, string, string]).map((row) => [row[0], row]),
    );
    const byKey = JSON.parse(json.stdout) as Record<string, { value: unknown; source: string }>;
    return { byFlag, byKey, everything: text.stdout + text.stderr + json.stdout + json.stderr };
  }

  it('names every kind of origin, of a crawl that is gone on with', async () => {
    site.web.site('kept.test', star(2));
    const { directory } = await site.crawl(
      ['http://kept.test/'],
      ['--timeout', '7s', '--retries', '1', '--preset', 'low-memory'],
    );
    const file = join(site.folder, 'all.json');
    writeFileSync(file, '{ "maxBody": "5MiB", "timeout": 9 }');
    const asked = site.web.log.length;
    const { byFlag, byKey } = await ask(
      ['resume', directory, '--delay', '250', '--config', file, '--preset', 'ci', '--resolver', '127.0.0.1:5353'],
      { GOSSAMER_MAX_URLS: '50', PARSE_SEMAPHORE_LIMIT: '1', GOSSAMER_TIMEOUT: '8s' },
    );
    const expected: [flag: string, key: string, text: string, value: unknown, source: string][] = [
      ['--delay', 'delayMs', '250 ms', 250, 'flag'],
      ['--resolver', 'dnsServers', '127.0.0.1:5353', ['127.0.0.1:5353'], 'flag'],
      ['--max-urls', 'maxUrls', '50', 50, 'variable GOSSAMER_MAX_URLS'],
      ['--parse-workers', 'parseWorkers', '1', 1, 'variable PARSE_SEMAPHORE_LIMIT'],
      ['--timeout', 'timeoutMs', '8 s', 8000, 'variable GOSSAMER_TIMEOUT'],
      ['--max-body', 'maxBodyBytes', '5 MiB', 5 * 1024 ** 2, `config file ${file}`],
      ['--duration', 'durationMs', '15 m', 900_000, 'preset ci'],
      ['--preset', 'preset', 'ci', 'ci', 'flag'],
      ['--retries', 'retries', '1', 1, 'stored'],
      ['--workers', 'workers', '256', 256, 'stored'],
      ['--robots-workers', 'robotsWorkers', '64', 64, 'default'],
    ];
    for (const [flag, key, text, value, source] of expected) {
      expect(byFlag.get(flag)).toEqual([flag, text, source]);
      expect(byKey[key], key).toEqual({ value, source });
    }
    expect(byFlag.size).toBe(Object.keys(byKey).length);
    expect(site.web.log.length, 'nothing was fetched').toBe(asked);
  });

  it.each([
    ['a flag', { args: ['--user', `me:${SECRET}`, '-H', `Cookie: a=${SECRET}`, '-x', `http://me:${SECRET}@p.test/`] }],
    ['a URL', { args: ['--start-url', `https://me:${SECRET}@a.test/`] }],
    [
      'a variable',
      {
        env: {
          GOSSAMER_USER: `me:${SECRET}`,
          GOSSAMER_HEADER: `Authorization: Bearer ${SECRET}`,
          GOSSAMER_PROXY: `http://me:${SECRET}@p.test/`,
        },
      },
    ],
    [
      'the config file',
      {
        config: {
          user: `me:${SECRET}`,
          header: [`X-Api-Key: ${SECRET}`],
          proxy: [`http://${SECRET}@p.test`],
          startUrl: [`http://me:${SECRET}@a.test/`],
        },
      },
    ],
  ] as [string, { args?: string[]; env?: Record<string, string>; config?: object }][])(
    'shows no secret of %s, and where it comes from',
    async (_where, { args = [], env = {}, config = {} }) => {
      const file = join(site.folder, 'secret.json');
      writeFileSync(file, JSON.stringify(config));
      const { everything } = await ask(['crawl', '--config', file, ...args], env);
      expect(everything).not.toContain(SECRET);
      expect(everything).toContain('***');
    },
  );

  it.each([
    [{ header: `Authorization: ${SECRET}` }, 'header must be an array of text'],
    [{ startUrl: `https://me:${SECRET}@a.test/` }, 'startUrl must be an array of text'],
    [{ user: [`me:${SECRET}`] }, 'user must be text'],
    [{ user: SECRET }, 'user must be of the form NAME:PASSWORD'],
    [{ proxy: `http://${SECRET}@p.test` }, 'proxy must be an array of text'],
    [{ proxy: [`socks4://${SECRET}@p.test`] }, 'proxy must be a socks5:// or socks5h:// proxy'],
  ])('a secret of the wrong form is not repeated in the message: %j', async (config, message) => {
    const file = join(site.folder, 'wrong.json');
    writeFileSync(file, JSON.stringify(config));
    const run = await inProcess(['crawl', 'a.test', '--config', file], { cwd: site.folder });
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(message);
    expect(run.stderr).not.toContain(SECRET);
  });
});
