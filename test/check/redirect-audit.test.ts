import { expect, test } from 'vitest';
import { cssPath } from '../../src/check/finding-table.js';
import { auditRedirect } from '../../src/check/link-verdicts.js';

const chain = (...hops: [url: string, status: number][]) => hops.map(([url, status]) => ({ url, status }));

test('permanent all the way is moved, and the end is what to write', () => {
  const audit = auditRedirect(chain(['http://a.test/x', 301], ['http://a.test/y', 308], ['http://a.test/z', 200]));
  expect(audit).toEqual({ verdict: 'moved', why: 'permanent; a chain of 2 redirects', suggestion: 'http://a.test/z' });
});

test('one temporary hop, and there is nothing to write', () => {
  const audit = auditRedirect(chain(['http://a.test/x', 301], ['http://a.test/y', 302], ['http://a.test/z', 200]));
  expect(audit).toMatchObject({ verdict: 'redirected', suggestion: null });
  expect(audit.why).toContain('permanent and temporary');
});

test('more redirects than a browser follows are a finding of their own', () => {
  const hops = (count: number) => {
    const urls = Array.from({ length: count + 1 }, (_, i) => [`http://a.test/${i}`, i === count ? 200 : 301] as const);
    return auditRedirect(urls.map(([url, status]) => ({ url, status })));
  };
  expect(hops(20).verdict).toBe('moved');
  expect(hops(21)).toEqual({
    verdict: 'redirect_limit',
    why: 'it redirects 21 times before it answers, and browsers give up after 20',
    suggestion: 'http://a.test/21',
  });
});

test('http to https and the way home are named', () => {
  expect(auditRedirect(chain(['http://a.test/x', 301], ['https://a.test/x', 200])).why).toBe(
    'permanent; only from http to https',
  );
  const home = auditRedirect(chain(['http://a.test/gone', 301], ['http://a.test/', 200]));
  expect(home.why).toContain('home page');
  expect(home.suggestion).toBeNull();
});

test('a CSS path finds the link, whatever stands in it', () => {
  expect(cssPath('a', '/old')).toBe('a[href="/old"]');
  expect(cssPath('img', 'a"]b\\\n')).toBe('img[src="a\\"]b\\\\\\a "]');
  expect(cssPath('srcset', '/x.png')).toBe('[srcset*="/x.png"]');
  expect(cssPath('redirect', '/x')).toBeNull();
});
