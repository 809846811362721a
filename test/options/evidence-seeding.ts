import { commonCrawlServer } from '../web/commoncrawl-server.js';
import { ctServer } from '../web/ct-server.js';
import { pathSite } from '../web/site.js';
import { page } from './garden.js';
import type { Row, Seen } from './harness.js';
import { asked } from './questions.js';
import { crawlOf } from './stages.js';

const captured = ['/1', '/2', '/3'].map((path) => `http://seeded.test${path}`);

/** A site, and four third parties that know of it. */
const stage = (strategy: string) =>
  crawlOf({
    name: `third parties (${strategy})`,
    seeds: ['http://seeded.test/'],
    // Nobody is there by https, and nobody waits for it.
    args: ['--seeding-strategy', strategy, '--retries', '0', '--max-wait', '1'],
    sites: () => ({
      'seeded.test': pathSite({ '/': page('Home'), '/1': page('1'), '/2': page('2'), '/3': page('3') }),
      'ct.test': ctServer({ certificates: ['a.seeded.test', 'b.seeded.test', 'c.seeded.test'] }),
      'other-ct.test': ctServer({ certificates: ['d.seeded.test'] }),
      'cc.test': commonCrawlServer({ pages: [captured] }),
      'other-cc.test': commonCrawlServer({ pages: [[]] }),
    }),
  });

const CT = ['--ct-url', 'http://ct.test'];
const CC = ['--commoncrawl-url', 'http://cc.test'];
const thirdParties = (seen: Seen): string[] => [
  ...new Set(seen.log.map(({ host }) => host).filter((host) => /c[ct]\.test$/.test(host))),
];
/** How many names or URLs each of them brought. */
const found = (seen: Seen): number[] =>
  [...seen.stderr.matchAll(/^\S+ about .*?(\d+) in scope/gm)].map(([, count]) => Number(count));

export const SEEDING_EVIDENCE: Row[] = [
  {
    key: 'ctUrl',
    stage: stage('ct'),
    values: [CT, ['--ct-url', 'http://other-ct.test/']],
    sees: (seen) => [thirdParties(seen), found(seen)],
    gives: [
      [['ct.test'], [3]],
      [['other-ct.test'], [1]],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxCtNames',
    stage: stage('ct'),
    values: [CT, [...CT, '--max-ct-names', '2']],
    sees: found,
    gives: [[3], [2]],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'commoncrawlUrl',
    stage: stage('commoncrawl'),
    values: [CC, ['--commoncrawl-url', 'http://other-cc.test']],
    sees: (seen) => [thirdParties(seen), asked(seen).includes('seeded.test/2')],
    gives: [
      [['cc.test'], true],
      [['other-cc.test'], false],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'maxCommoncrawlUrls',
    stage: stage('commoncrawl'),
    values: [CC, [...CC, '--max-commoncrawl-urls', '1']],
    sees: (seen) => [asked(seen).includes('seeded.test/1'), asked(seen).includes('seeded.test/2')],
    gives: [
      [true, true],
      [true, false],
    ],
    check: 'same',
    docs: 'same',
  },
  {
    key: 'seedingStrategy',
    stage: stage('none'),
    values: [
      [...CT, ...CC],
      ...['ct', 'commoncrawl', 'ct,commoncrawl', 'all'].map((way) => [...CT, ...CC, '--seeding-strategy', way]),
    ],
    sees: (seen) => [thirdParties(seen).sort(), asked(seen).includes('seeded.test/sitemap.xml')],
    gives: [
      [[], false],
      [['ct.test'], false],
      [['cc.test'], false],
      [['cc.test', 'ct.test'], false],
      [['cc.test', 'ct.test'], true],
    ],
    check: 'same',
    docs: 'same',
  },
];
