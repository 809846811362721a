import { colly } from './colly.js';
import { crawlee } from './crawlee.js';
import { katana } from './katana.js';
import { linkchecker } from './linkchecker.js';
import { linkinator } from './linkinator.js';
import { lychee } from './lychee.js';
import { muffet } from './muffet.js';
import type { Peer } from './peer.js';
import { scrapy } from './scrapy.js';
import { spider } from './spider.js';
import { wget2 } from './wget2.js';

export const PEERS: readonly Peer[] = [
  wget2,
  spider,
  colly,
  katana,
  muffet,
  lychee,
  linkinator,
  linkchecker,
  scrapy,
  crawlee,
];
