import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/base/errors.js';
import { Scope, type ScopeKind, type ScopePatterns } from '../../src/url/scope.js';

const ALL: ScopePatterns = { include: [], exclude: [] };
const scope = (kind: ScopeKind, url: string, patterns: Partial<ScopePatterns> = {}) =>
  new Scope([{ kind, url }], { ...ALL, ...patterns });

function expectScope(kind: ScopeKind, seed: string, inside: string[], outside: string[]): void {
  const made = scope(kind, seed);
  expect(inside.filter((url) => !made.admits(url))).toEqual([]);
  expect(outside.filter((url) => made.admits(url))).toEqual([]);
}

describe('Scope', () => {
  it('page is this URL and no other', () => {
    expectScope('page', 'https://a.test/x?y', ['https://a.test/x?y'], ['https://a.test/x', 'http://a.test/x?y']);
  });

  it('prefix goes by whole segments', () => {
    expectScope(
      'prefix',
      'https://a.test/docs',
      ['https://a.test/docs', 'https://a.test/docs?x', 'https://a.test/docs/', 'http://a.test:81/docs/x/y'],
      [
        'https://a.test/docs-old',
        'https://a.test/doc',
        'https://a.test/',
        'https://b.test/docs',
        'https://a.test/x/docs/',
      ],
    );
  });

  it('prefix of a folder is what lies in it', () => {
    expectScope(
      'prefix',
      'https://a.test/docs/',
      ['https://a.test/docs/', 'https://a.test/docs/x'],
      ['https://a.test/doc'],
    );
    expectScope('prefix', 'https://a.test/', ['https://a.test/', 'https://a.test/x/y'], ['https://www.a.test/']);
  });

  it('prefix of a file is its folder, and a version number makes no file', () => {
    expectScope(
      'prefix',
      'https://a.test/d/i.html?x',
      ['https://a.test/d/', 'https://a.test/d/y/z'],
      ['https://a.test/e'],
    );
    expectScope('prefix', 'https://a.test/d/10.x', ['https://a.test/d/10.x/y'], ['https://a.test/d/11.x/y']);
  });

  it('host is one name, whatever scheme and port', () => {
    expectScope(
      'host',
      'https://www.a.test/x',
      ['http://www.a.test/', 'https://www.a.test:8443/y'],
      ['https://a.test/', 'https://x.www.a.test/', 'https://www.a.test.evil.test/', 'https://evil.test/www.a.test'],
    );
  });

  it('subdomains is the host and all below, never its parents or a look-alike', () => {
    expectScope(
      'subdomains',
      'https://docs.a.test/',
      ['https://docs.a.test/x', 'http://v2.docs.a.test/', 'https://a.b.docs.a.test:81/'],
      [
        'https://a.test/',
        'https://www.a.test/',
        'https://mydocs.a.test/',
        'https://docs.a.test.evil.test/',
        'https://test/',
      ],
    );
  });

  it('domain is what one owner registered', () => {
    expectScope(
      'domain',
      'https://docs.example.co.uk/',
      ['https://example.co.uk/', 'https://www.example.co.uk/', 'https://docs.example.co.uk/'],
      ['https://other.co.uk/', 'https://co.uk/'],
    );
    expectScope(
      'domain',
      'https://me.github.io/',
      ['https://me.github.io/x'],
      ['https://you.github.io/', 'https://github.io/'],
    );
    expectScope('domain', 'https://intranet/', ['https://intranet/x'], ['https://extranet/']);
  });

  it('any is all of http and https', () => {
    expectScope('any', 'https://a.test/', ['http://b.test/'], ['ftp://a.test/', 'mailto:x@a.test']);
  });

  it.each(['host', 'subdomains', 'domain'] as const)('%s of an address is that address', (kind) => {
    expectScope(kind, 'http://10.0.0.1/', ['https://10.0.0.1:81/x'], ['http://10.0.0.2/', 'http://0.0.1/']);
    expectScope(kind, 'http://[2001:db8::1]/', ['http://[2001:db8::1]:81/x'], ['http://[2001:db8::2]/']);
  });

  it.each(['prefix', 'host', 'subdomains', 'domain'] as const)('%s on loopback holds to the port', (kind) => {
    expectScope(
      kind,
      'http://127.0.0.1:3000/',
      ['http://127.0.0.1:3000/x'],
      ['http://127.0.0.1:3001/', 'http://127.0.0.1/'],
    );
    expectScope(
      kind,
      'http://localhost:3000/',
      ['http://localhost:3000/x'],
      ['http://a.localhost:3000/', 'http://localhost/'],
    );
  });

  it('is the union of its seeds and grows', () => {
    const made = new Scope(
      [
        { kind: 'page', url: 'https://a.test/x' },
        { kind: 'prefix', url: 'https://b.test/d/' },
        { kind: 'prefix', url: 'https://b.test/e/' },
      ],
      ALL,
    );
    expect(made.admits('https://b.test/e/1')).toBe(true);
    expect(made.admits('https://c.test/')).toBe(false);
    made.grow({ kind: 'host', url: 'https://c.test/y' });
    expect(made.admits('https://c.test/')).toBe(true);
  });

  it('knows the nearest of many seeds on one site, whichever was named first', () => {
    const rule = (path: string) => ({ kind: 'prefix' as const, url: `https://a.test${path}` });
    const seeds = ['/docs/a.html', '/docs', '/docs/', '/docs/deep/', '/', '/docs/b.html', '/docs/deep/er'].map(rule);
    const made = new Scope([...seeds, ...Array.from({ length: 500 }, (_, n) => rule(`/p${n}/`))], ALL);
    const seedOf = (path: string) => made.ruleFor(`https://a.test${path}`)?.url.slice('https://a.test'.length);
    expect(
      ['/docs', '/docs/', '/docs/x', '/docs/b.html', '/docs/deep/x', '/docs/deep/er', '/docs/deep/er/y'].map(seedOf),
    ).toEqual([
      '/docs',
      '/docs/a.html',
      '/docs/a.html',
      '/docs/a.html',
      '/docs/deep/',
      '/docs/deep/er',
      '/docs/deep/er',
    ]);
    expect(['/', '/docs-old', '/p499/x', '/p500/x'].map(seedOf)).toEqual(['/', '/', '/p499/', '/']);
    expect(made.grow(rule('/docs/b.html'))).toBe(false);
    expect(made.grow(rule('/docs/c.html'))).toBe(true);
  });

  it('admits what an include pattern matches, and exclude wins', () => {
    const made = scope('host', 'https://a.test/', { include: ['/blog/**', '*.pdf'], exclude: ['re:[?&]print='] });
    expect(made.admits('https://a.test/blog/x')).toBe(true);
    expect(made.admits('https://a.test/f.pdf')).toBe(true);
    expect(made.admits('https://a.test/about')).toBe(false);
    expect(made.admits('https://a.test/blog/x?print=1')).toBe(false);
    expect(made.admits('https://b.test/blog/x')).toBe(false);
  });

  it('says which rule or pattern decided', () => {
    const made = scope('subdomains', 'https://a.test/', { include: ['/b/**'], exclude: ['*.zip'] });
    const rule = { kind: 'subdomains', url: 'https://a.test/' };
    expect(made.decide('https://x.a.test/b/')).toEqual({ by: 'rule', rule });
    expect(made.decide('https://a.test/b/c.zip')).toEqual({ by: 'exclude', text: '*.zip', entry: null });
    expect(made.decide('https://a.test/c')).toEqual({ by: 'no include', entry: null });
    expect(made.decide('https://b.test/')).toEqual({ by: 'outside' });
    expect(made.decide('mailto:x@a.test')).toEqual({ by: 'scheme' });
  });

  it('refuses a bad pattern by name', () => {
    expect(() => scope('any', 'https://a.test/', { include: ['re:('] })).toThrow(UsageError);
    expect(() => scope('any', 'https://a.test/', { exclude: ['re:('] })).toThrow('exclude pattern "re:("');
  });

  it('is the same after it was stored, with what it has grown by', () => {
    const made = scope('host', 'https://a.test/', { exclude: ['/x'] });
    made.grow({ kind: 'host', url: 'https://b.test/' });
    const again = Scope.fromJSON(JSON.parse(JSON.stringify(made)));
    expect(again.toJSON()).toEqual(made.toJSON());
    expect(again.admits('https://b.test/')).toBe(true);
    expect(again.admits('https://a.test/x')).toBe(false);
  });
});
