import { describe, expect, it } from 'vitest';
import { SuspectLinks } from '../../src/cli/suspect-links.js';
import { failure, type SettledPage } from '../../src/frontier/outcome.js';

const page = (url: string, state: SettledPage['state'], status: number | null = null): SettledPage => ({
  ...{ url, depth: 1, attempts: 1, state, reason: state === 'failed' ? 'http_4xx' : null, external: false },
  outcome: { ...failure({ id: 1 }, 0, null, null), status },
});

describe('links that seem dead', () => {
  it('are shown as they are found, the last one first, with what is known of them so far', () => {
    const links = new SuspectLinks();
    links.retryLater('http://a.test/1', 503, 'Service Unavailable');
    links.settled([page('http://a.test/2', 'failed', 404)]);
    expect(links.shown(1)).toEqual({
      links: [
        { url: 'http://a.test/2', status: 404, reason: 'http_4xx', isLookedAtAgain: false },
        { url: 'http://a.test/1', status: 503, reason: 'Service Unavailable', isLookedAtAgain: true },
      ],
      again: 1,
    });
  });

  it('are forgotten when the second look finds them well, and said to be final when it does not', () => {
    const links = new SuspectLinks();
    links.retryLater('http://a.test/well', null, 'timeout');
    links.retryLater('http://a.test/dead', 500, 'http_5xx');
    links.settled([page('http://a.test/well', 'done', 200), page('http://a.test/dead', 'failed', 500)]);
    expect(links.shown(0).links.map(({ url, isLookedAtAgain }) => [url, isLookedAtAgain])).toEqual([
      ['http://a.test/dead', false],
    ]);
  });

  it('are not kept without end', () => {
    const links = new SuspectLinks();
    for (let i = 0; i < 10_000; i++) {
      links.retryLater(`http://a.test/${i}`, 404, 'http_4xx');
    }
    expect(links.shown(10_000).links).toHaveLength(100);
    expect(links.shown(10_000).links[0]?.url).toBe('http://a.test/9999');
  });
});
