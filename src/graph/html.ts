import { existsSync, readFileSync } from 'node:fs';
import { StateError } from '../base/errors.js';
import { counted } from '../base/figures.js';
import { ownUrl } from '../base/own-url.js';
import { printable } from '../base/text.js';
import { type OutputFiles, type OutputNotes, xmlText } from '../report/output.js';
import { embedded, policyOf } from '../report/safe-page.js';
import type { MeasuredGraph } from './measured-graph.js';
import { pictureOf } from './picture.js';
import { PAGE_BOUNDS, type Picture } from './picture-shape.js';
import { writeText } from './tables.js';

/** One file that asks nobody for anything: the picture as JSON, and the script that draws it. */
export function writeHtml(graph: MeasuredGraph, files: OutputFiles): Promise<OutputNotes> {
  const parts = { script: builtFile('graph-view.js'), style: builtFile('graph-page.css') };
  const picture = pictureOf(graph, PAGE_BOUNDS);
  return writeText(files, async (text) => {
    await text.write(htmlText(picture, parts));
    return picture.leaves.names.length;
  });
}

/** What the build puts into dist/dashboard/, seen from dist/bundle/ and from dist/src/graph/. */
function builtFile(name: string): string {
  const found = ['../dashboard/', '../../dashboard/']
    .map((path) => new URL(`${path}${name}`, ownUrl(import.meta.url)))
    .find((url) => existsSync(url));
  if (found === undefined) {
    throw new StateError(
      'no_dashboard',
      `a part of the picture is missing (dist/dashboard/${name}): install gossamer again`,
    );
  }
  return readFileSync(found, 'utf8');
}

/**
 * Titles and URLs stand in it as JSON, which the script makes text of and never markup; the policy lets no other script run, and lets the script ask
 * nobody.
 */
export function htmlText(picture: Picture, { script, style }: { script: string; style: string }): string {
  if (/<\/script/i.test(script)) {
    throw new Error('the script would end itself');
  }
  const policy = policyOf(style, script);
  const { site, title, nodes, links, level } = picture;
  const plain = (text: string): string => xmlText(printable(text, 200));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${plain(`Links of ${title || site}`)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1><bdi>${plain(title || site)}</bdi></h1>
<p><bdi>${plain(site)}</bdi> · ${xmlText(`${counted(nodes, level)}, ${counted(links, 'link')}`)}</p>
</header>
<main id="graph-here"></main>
<noscript><p>The picture needs JavaScript, which is off here; \`gossamer graph --format svg\` makes one that does not.</p></noscript>
<script type="application/json" id="graph-picture">${embedded(picture)}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}
