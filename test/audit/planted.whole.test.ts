import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { openPlanted, type PlantedWeb } from './planted.js';

const folder = temporaryFolder();
const data = join(folder.path, 'data');
let web: PlantedWeb;

interface JsonAudit {
  summary: { failing: number; remarks: string[] };
  findings: { finding: { rule: string; severity: string; count: number; fails: boolean }; places: Place[] }[];
  unanswered: { rule: string; reason: string }[];
  passed: string[];
}
interface Place {
  url: string;
  target: string | null;
  detail: string | null;
  text: string | null;
  times: number;
}

const auditOf = async (...args: string[]): Promise<JsonAudit> =>
  JSON.parse((await inProcess(['audit', data, '--format', 'json', ...args])).stdout);

beforeAll(async () => {
  web = await openPlanted();
  const run = await inProcess([
    'crawl',
    'https://planted.test/',
    'https://bare.test/',
    '--data-dir',
    data,
    ...web.args,
  ]);
  expect(run).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await web.close();
  folder.remove();
});

const path = (url: string | null): string => (url ?? '').replace('https://planted.test', '');
const pages = ({ url }: Place): string => path(url);
const links = ({ url, target }: Place): string => `${path(url)} ${path(target)}`;

/** What each rule finds, and nothing else. */
const PLANTED: Record<string, [of: (place: Place) => string, found: string[]]> = {
  broken_link: [links, ['/ /gone', '/ /moved-gone', '/ /loop-1']],
  unreachable_link: [links, ['/ /reset']],
  redirect_loop: [pages, ['/loop-1']],
  redirect_chain: [pages, ['/chain-1']],
  redirected_link: [links, ['/ /old', '/ /chain-1', '/http-link http://planted.test/new']],
  title_missing: [pages, ['/title-none', '/title-empty']],
  title_duplicate: [pages, ['/title-a', '/title-b']],
  title_long: [pages, ['/title-61']],
  description_missing: [pages, ['/description-none']],
  description_duplicate: [pages, ['/description-a', '/description-b']],
  description_long: [pages, ['/description-161']],
  h1_missing: [pages, ['/h1-none']],
  h1_multiple: [pages, ['/h1-two']],
  canonical_broken: [pages, ['/canonical-broken', '/canonical-file']],
  canonical_redirect: [pages, ['/canonical-redirect']],
  canonical_chain: [pages, ['/canonical-chain']],
  canonical_elsewhere: [pages, ['/canonical-elsewhere', '/canonical-chain', '/canonical-listed']],
  sitemap_noindex: [pages, ['/noindex-listed']],
  sitemap_blocked: [pages, ['/private/listed']],
  sitemap_broken: [pages, ['/gone-listed', '/old-listed']],
  sitemap_canonical: [pages, ['/canonical-listed']],
  blocked_link: [links, ['/ /private/linked']],
  hreflang_no_return: [links, ['/fr /en']],
  hreflang_bad_code: [
    ({ detail }) => detail!,
    [
      'en-UK: there is no country UK',
      'en_US: is no code of a language',
      'eng: the code of eng is en',
      'jp: there is no language jp',
      'sr-YU: there is no country YU',
    ],
  ],
  hreflang_broken: [links, ['/it /gone']],
  orphan: [pages, ['/orphan']],
  deep: [pages, ['/deep-5']],
  heavy: [pages, ['/heavy']],
  mixed_content: [links, ['/mixed http://planted.test/pic.png', '/mixed http://elsewhere.test/x.js']],
  http_link: [links, ['/http-link http://planted.test/new']],
  thin: [pages, ['/thin']],
  duplicate: [pages, ['/same-a', '/same-b']],
  near_duplicate: [pages, ['/near-a', '/near-b']],
  url_parameters: [pages, ['/parameter?page=2']],
  images_without_alt: [({ url, times }) => `${path(url)} ${times}`, ['/image 2']],
  no_hsts: [pages, ['https://bare.test/']],
  no_nosniff: [pages, ['https://bare.test/']],
  no_csp: [pages, ['https://bare.test/']],
  no_frame_options: [pages, ['https://bare.test/']],
  no_referrer_policy: [pages, ['https://bare.test/']],
};

describe('an audit of a web in which everything is planted', () => {
  it('finds exactly what is planted, and nothing of what nearly is', async () => {
    const { findings, unanswered } = await auditOf();
    const found = Object.fromEntries(
      findings.map(({ finding, places }) => [finding.rule, places.map(PLANTED[finding.rule]![0]).sort()]),
    );
    // How long a page takes is no matter of what is planted.
    delete found.slow;
    expect(found).toEqual(
      Object.fromEntries(Object.entries(PLANTED).map(([rule, [, list]]) => [rule, list.toSorted()])),
    );
    expect(unanswered).toEqual([]);
  });

  it('says where a link stands, how often, with its text, and what it met with', async () => {
    const { findings } = await auditOf();
    const placesOf = (rule: string) => findings.find(({ finding }) => finding.rule === rule)!.places;
    expect(placesOf('broken_link').find(({ target }) => target!.endsWith('/moved-gone'))).toEqual({
      url: 'https://planted.test/',
      target: 'https://planted.test/moved-gone',
      detail: '301 to https://planted.test/gone-behind, 410',
      text: 'to /moved-gone',
      times: 1,
    });
    expect(placesOf('http_link')[0]).toMatchObject({ text: 'plain', times: 2 });
    expect(placesOf('redirect_chain')[0]!.detail).toBe(
      'to https://planted.test/chain-2, then https://planted.test/chain-3',
    );
  });

  it('fails for severities and rules that are named, and only then', async () => {
    const code = async (failOn: string) => (await inProcess(['audit', data, '--fail-on', failOn])).code;
    expect((await inProcess(['audit', data])).code).toBe(0);
    expect([await code('error'), await code('deep'), await code('deep,broken_link'), await code('slow')]).toEqual([
      1, 1, 1, 0,
    ]);
    const { findings } = await auditOf('--fail-on', 'warning');
    expect(findings.filter(({ finding }) => finding.fails).every(({ finding }) => finding.severity !== 'notice')).toBe(
      true,
    );
    const bad = await inProcess(['audit', data, '--fail-on', 'broken_links']);
    expect([bad.code, bad.stderr]).toEqual([
      2,
      expect.stringContaining('got "broken_links"; did you mean broken_link?'),
    ]);
  });
});
