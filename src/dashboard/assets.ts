import { existsSync, readFileSync } from 'node:fs';
import { StateError } from '../base/errors.js';
import { ownUrl } from '../base/own-url.js';

/** A file of the dashboard's page. */
export interface Asset {
  readonly type: string;
  readonly body: string;
}

const FILES: readonly (readonly [path: string, file: string, type: string])[] = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/app.js', 'app.js', 'text/javascript; charset=utf-8'],
  ['/graph-view.js', 'graph-view.js', 'text/javascript; charset=utf-8'],
  ['/app.css', 'app.css', 'text/css; charset=utf-8'],
  ['/icon.svg', 'icon.svg', 'image/svg+xml'],
];

/** The files that the build puts into dist/dashboard/, seen from dist/bundle/ and from dist/src/dashboard/. Nothing else is ever served. */
export function readAssets(): Map<string, Asset> {
  const folder = ['../dashboard/', '../../dashboard/']
    .map((path) => new URL(path, ownUrl(import.meta.url)))
    .find((url) => existsSync(new URL('index.html', url)));
  if (folder === undefined) {
    throw new StateError(
      'no_dashboard',
      'the page of the dashboard is missing (dist/dashboard): install gossamer again',
    );
  }
  return new Map(
    FILES.map(([path, file, type]) => [path, { type, body: readFileSync(new URL(file, folder), 'utf8') }]),
  );
}
