import { fileURLToPath } from 'node:url';

/** A documentation package of Debian that is served as a web site. */
export interface RealSite {
  readonly name: string;
  readonly host: string;
  readonly packageName: string;
  /** How the path of the start page ends, wherever the package is unpacked. */
  readonly landmark: string;
  /** The start page seen from the root of the site. */
  readonly startPage: string;
}

export const REAL_SITES: readonly RealSite[] = [
  {
    name: 'pg',
    host: 'pg.test',
    packageName: 'postgresql-doc-15',
    landmark: 'html/index.html',
    startPage: 'index.html',
  },
  {
    name: 'python',
    host: 'python.test',
    packageName: 'python3.11-doc',
    landmark: 'html/index.html',
    startPage: 'index.html',
  },
  {
    name: 'jdk',
    host: 'jdk.test',
    packageName: 'openjdk-17-doc',
    landmark: 'openjdk-17-jre-headless/index.html',
    startPage: 'index.html',
  },
  {
    name: 'cpp',
    host: 'cpp.test',
    packageName: 'cppreference-doc-en-html',
    landmark: 'html/en/index.html',
    startPage: 'en/index.html',
  },
];

/** The compiled files lie one folder deeper (dist/test/real) than the sources (test/real). */
const PROJECT = fileURLToPath(new URL(import.meta.url.endsWith('.js') ? '../../../' : '../../', import.meta.url));

export const GOSSAMER_BIN = `${PROJECT}bin/gossamer.js`;

/** Everything that these tests download, unpack, compute or crawl; ignored by git. */
export const WORK_FOLDER = `${PROJECT}.tmp/real`;
