import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StateError } from '../../src/base/errors.js';
import { damageBehind } from '../../src/cli/damaged-store.js';
import { damageIn } from '../../src/store/damage.js';
import { UrlState } from '../../src/store/url-state.js';
import { StoreFixture } from '../report/store-fixture.js';

/** A store of two pages, changed by hand. */
function storeWith(sql: string | null): string {
  const store = new StoreFixture([
    { url: 'http://a.test/', page: { hreflang: '{"de":"http://a.test/de"}', headers: null, title: 'A' } },
    { url: 'http://a.test/de', page: { title: 'B', redirect_to: 1 } },
    { url: 'http://a.test/gone', state: UrlState.unlisted, page: null },
  ]);
  store.addEdges(1, [{ to: 2, kind: 0 }], [], ['de']);
  store.setMeta('options', '{}');
  if (sql !== null) {
    store.database.exec(sql);
  }
  return dirname(store.database.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'").get()!.file);
}

describe('values that no Gossamer has written', () => {
  it('are not found in a store that is whole', () => {
    expect(damageIn(storeWith(null))).toBeNull();
  });

  it.each([
    ["UPDATE urls SET url = x'00ff' WHERE id = 2", 'URL 2 is no text'],
    ["UPDATE pages SET hreflang = '{bad' WHERE id = 1", 'hreflang of page 1 cannot be read'],
    ["UPDATE pages SET hreflang = '[1]' WHERE id = 1", 'hreflang of page 1 cannot be read'],
    ['UPDATE pages SET headers = \'{"vary":7}\' WHERE id = 2', 'headers of page 2 cannot be read'],
    ["UPDATE pages SET title = x'ff00' WHERE id = 2", 'title of page 2 cannot be read'],
    ["UPDATE pages SET word_count = 'many' WHERE id = 1", 'word_count of page 1 cannot be read'],
    ['UPDATE pages SET redirect_to = 99 WHERE id = 2', 'redirect_to of page 2 cannot be read'],
    ['UPDATE edges SET packed = zeroblob(13)', 'the links of page 1 cannot be read'],
    ["UPDATE edges SET texts = '['", 'the links of page 1 cannot be read'],
    ["UPDATE edges SET packed = x'ffffffff20000000'", 'a link of page 1 leads to no URL'],
  ])('%s', (sql, damage) => {
    const directory = storeWith(sql);
    expect(damageIn(directory)).toBe(`${directory}/crawl.sqlite is damaged: ${damage}`);
  });
});

describe('an error that nobody foresaw', () => {
  const BAD = "UPDATE pages SET hreflang = '{bad' WHERE id = 1";
  const defect = new TypeError('x is not a function');

  it('is told as damage where a store that was named has some', async () => {
    const directory = storeWith(BAD);
    const told = await damageBehind(defect, ['graph', directory]);
    expect(told).toBeInstanceOf(StateError);
    expect((told as StateError).message).toContain('hreflang of page 1 cannot be read');
    const written = new StateError('output', 'cannot write to stdout: malformed JSON', {
      cause: new Error('malformed JSON'),
    });
    expect((await damageBehind(written, [directory])) as StateError).toMatchObject({ code: 'store_corrupt' });
  });

  it('stays what it is where the store is whole, where none is named, and where it was foreseen', async () => {
    expect(await damageBehind(defect, [storeWith(null)])).toBe(defect);
    expect(await damageBehind(defect, ['https://a.test/'])).toBe(defect);
    const full = new StateError('output', 'no space', { cause: Object.assign(new Error('x'), { errno: -28 }) });
    expect(await damageBehind(full, [storeWith(BAD)])).toBe(full);
  });
});
