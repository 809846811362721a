import { createHash } from 'node:crypto';
import { BODY_CASES } from './bodies.js';
import type { Case } from './case.js';
import { ELEMENT_CASES } from './elements.js';
import { FILE_CASES } from './files.js';
import { FRAGMENT_CASES } from './fragments.js';
import { HEAD_CASES } from './head.js';
import { CHARSET_CASES, ROBOTS_CASES, SCHEME_CASES, SOURCE_CASES, TYPE_CASES, WALL_CASES } from './others.js';
import { REDIRECT_CASES } from './redirects.js';
import { STATUS_CASES } from './status.js';
import { TEMPORARY_CASES } from './temporary.js';
import { URL_CASES } from './url.js';

/** Links whose truth a standard tells, with what the server does about each. */
export const CASES: readonly Case[] = [
  ...URL_CASES,
  ...STATUS_CASES,
  ...REDIRECT_CASES,
  ...BODY_CASES,
  ...HEAD_CASES,
  ...TEMPORARY_CASES,
  ...FRAGMENT_CASES,
  ...ELEMENT_CASES,
  ...SCHEME_CASES,
  ...ROBOTS_CASES,
  ...CHARSET_CASES,
  ...TYPE_CASES,
  ...WALL_CASES,
  ...SOURCE_CASES,
  ...FILE_CASES,
];

/** Two halves by the name alone, so that what is learnt from one can be tried on the other. */
export const halfOf = ({ name }: Case): 'a' | 'b' => (createHash('sha256').update(name).digest()[0]! < 128 ? 'a' : 'b');
