/**
 * `npm run build`: TypeScript to dist/, and from there the program to dist/bundle/. A process and each of its threads then load a few files
 * instead of two hundred, which takes a third of the time; a crawl of a small site is hardly more than its start.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'dist', 'bundle');

const ENTRIES = {
  main: 'dist/src/cli/main.js',
  index: 'dist/src/index.js',
  'lane-worker': 'dist/src/crawl/threads/lane-worker.js',
  'converter-worker': 'dist/src/docs/convert/converter-worker.js',
  'store-worker': 'dist/src/crawl/threads/store-worker.js',
};
/** They find files of their own beside themselves, or need not be installed. */
const LEFT_OUTSIDE = ['@photostructure/sqlite', 'jiti', 'gpt-tokenizer/encoding/o200k_base', 'playwright-core'];

export const isBuilt = () => existsSync(join(bundle, 'main.js'));

export async function build() {
  compile();
  await describeConfig();
  rmSync(bundle, { recursive: true, force: true });
  const { rolldown } = await import('rolldown');
  const input = Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(root, path)]));
  const resolve = { alias: { undici$: join(root, 'scripts', 'undici-client.js') } };
  const made = await rolldown({ input, platform: 'node', external: LEFT_OUTSIDE, resolve });
  const { output } = await made.write({ dir: bundle, format: 'esm', chunkFileNames: '[name].js' });
  writeFileSync(join(bundle, 'LICENSES.txt'), licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));
}

function compile() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    console.error('the build failed');
    process.exit(status ?? 1);
  }
}

/** What an editor knows of a config file: the type of gossamer.config.ts with a sentence at each key, and a schema of gossamer.config.json. */
async function describeConfig() {
  const { renderConfigTypes } = await import('../dist/src/config/config-types.js');
  const { configSchema } = await import('../dist/src/config/config-schema.js');
  writeFileSync(join(root, 'dist/src/config/gossamer-config.d.ts'), renderConfigTypes());
  writeFileSync(join(root, 'dist/config.schema.json'), `${JSON.stringify(configSchema(), null, 2)}\n`);
}

/** Whose code is in the bundle, and on what terms. */
function licensesOf(modules) {
  const folders = new Set(
    modules.map((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const text = file === undefined ? 'see its package' : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

if (import.meta.filename === process.argv[1]) {
  await build();
}
