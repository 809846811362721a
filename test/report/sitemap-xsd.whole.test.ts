import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LINK_KINDS } from '../../src/parse/links.js';
import { AtomicFiles } from '../../src/report/atomic-file.js';
import { sitemapOutput } from '../../src/report/sitemap.js';
import { StoreFixture, temporaryFolder } from './store-fixture.js';

const SCHEMA = fileURLToPath(new URL('./sitemap.xsd', import.meta.url));
const xmllint = (...args: string[]) => spawnSync('xmllint', args, { encoding: 'utf8' });

describe('sitemaps by a program that is not ours', () => {
  it.skipIf(xmllint('--version').error !== undefined)(
    'are valid by the protocol: one file, an index and its parts',
    async () => {
      const store = new StoreFixture([
        { url: 'https://a.test/?a=1&b=<2>', page: { last_modified: 'Tue, 02 Jan 2024 03:04:05 GMT' } },
        { url: 'https://a.test/pic.png', page: { content_type: 'image/png' } },
        {
          url: 'https://a.test/de',
          page: { hreflang: '{"en":"https://a.test/?a=1&b=2","x-default":"https://a.test/"}' },
        },
        { url: 'https://a.test/last' },
      ]);
      store.addEdges(1, [{ kind: LINK_KINDS.indexOf('img'), to: 2 }], [], null);
      for (const maxUrls of [50_000, 2]) {
        const folder = temporaryFolder();
        const files = new AtomicFiles(join(folder, 'sitemap.xml'));
        await sitemapOutput({ maxUrls, maxBytes: 1e6 }).write(store.freshReader(), files, { sitemapExtras: true });
        await files.synced();
        files.commit();
        const names = readdirSync(folder).map((name) => join(folder, name));
        expect(names).toHaveLength(maxUrls === 2 ? 3 : 1);
        const { status, stderr } = xmllint('--noout', '--schema', SCHEMA, ...names);
        expect(status, stderr).toBe(0);
      }
    },
  );
});
