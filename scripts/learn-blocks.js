/**
 * Makes src/content/extract/block-model.ts, the table that blocks of a page are judged by:
 *   node scripts/learn-blocks.js <folder>
 * The folder has `pages/NNNN.html.gz` and `truth.json`, which says of each page its `url` and passages `with` and `without` which its text is.
 * It needs Python with numpy and lightgbm, and the manuals that bench/extraction/block-rows.ts names. The same of all that makes the same table.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/learn-blocks.js <folder of annotated pages>');
  process.exit(2);
}
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = mkdtempSync(join(tmpdir(), 'learn-blocks-'));
try {
  // Two folders deep, as what is built is: the sample is found from there.
  const bundle = join(root, 'dist', 'bench', 'block-rows.js');
  await build({
    entryPoints: [join(root, 'bench/extraction/block-rows.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  execFileSync(process.execPath, [bundle, resolve(folder), target], { stdio: 'inherit' });
  const model = join(root, 'src/content/extract/block-model.ts');
  execFileSync('python3', [join(root, 'scripts/learn-blocks.py'), target, resolve(folder), model], {
    stdio: 'inherit',
  });
} finally {
  rmSync(target, { recursive: true, force: true });
}
