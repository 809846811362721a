/**
 * `npm run build`: TypeScript to dist/, and from there the program to dist/bundle/. A process and each of its threads then load a few files
 * instead of two hundred, which takes a third of the time; a crawl of a small site is hardly more than its start.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = join(root, 'dist', 'bundle');
const sqlite = join(root, 'dist', 'sqlite');
const page = join(root, 'dist', 'dashboard');
const types = join(root, 'dist', 'types');

const ENTRIES = {
  main: 'dist/src/cli/main.js',
  index: 'dist/src/index.js',
  'lane-worker': 'dist/src/lane/lane-worker.js',
  'converter-worker': 'dist/src/docs/convert/converter-worker.js',
  'store-worker': 'dist/src/crawl/store-worker.js',
  'dashboard-worker': 'dist/src/dashboard/dashboard-worker.js',
  'module-hooks': 'dist/src/base/module-hooks.js',
};
/** A third of the size. Classes keep their names, and methods have theirs, so that a stack trace still says where it was; whose code it is stands in LICENSES.txt. */
const SMALL = {
  minify: {
    compress: true,
    mangle: { keepNames: { function: false, class: true } },
    codegen: { removeWhitespace: true },
  },
  comments: { legal: false, annotation: false, jsdoc: false },
};
/** They need not be installed. */
const LEFT_OUTSIDE = ['gpt-tokenizer/encoding/o200k_base', 'playwright-core', 'unpdf'];
/** Whose code is in the binaries of dist/sqlite/; they are those of the first. SQLite itself is in the public domain. */
const IN_SQLITE = ['@photostructure/sqlite', 'node-addon-api'].map((name) => join(root, 'node_modules', name));

/** For a package that names this licence and leaves out its text. */
const ISC = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY
AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`;

export const isBuilt = () => existsSync(join(bundle, 'main.js'));

export async function build() {
  compile();
  await describeConfig();
  await describePages();
  writeVersion();
  stampConverter();
  carrySqlite();
  rmSync(bundle, { recursive: true, force: true });
  const { rolldown } = await import('rolldown');
  const input = Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(root, path)]));
  const resolve = {
    alias: {
      undici$: join(root, 'scripts', 'undici-client.js'),
      // The same as ES modules, of which what nobody calls is left out.
      sucrase$: join(root, 'node_modules', 'sucrase', 'dist', 'esm', 'index.js'),
    },
  };
  const made = await rolldown({
    input,
    platform: 'node',
    external: LEFT_OUTSIDE,
    resolve,
    plugins: [namedAnyway, lessOfPackages],
  });
  const { output } = await made.write({ dir: bundle, format: 'esm', chunkFileNames: '[name].js', ...SMALL });
  const folders = output.flatMap(({ moduleIds = [] }) => moduleIds.map(packageFolder)).filter(Boolean);
  writeFileSync(join(bundle, 'LICENSES.txt'), licensesOf([...new Set(folders)].sort()));
  await buildPage();
  await rollUpTypes(rolldown);
  await writeManual();
}

/**
 * The page of the dashboard: one script, one style sheet, and nothing that a browser would ask another server for. The drawing of a link graph is
 * a script of its own, for those who look at one; `gossamer graph --format html` puts the same into its file.
 */
async function buildPage() {
  const { build: bundlePage } = await import('vite');
  const source = join(root, 'src', 'dashboard', 'ui');
  const folders = [];
  rmSync(page, { recursive: true, force: true });
  for (const [input, file] of Object.entries({ 'main.tsx': 'app.js', 'graph-view.ts': 'graph-view.js' })) {
    const { output } = await bundlePage({
      root: source,
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      build: {
        outDir: page,
        emptyOutDir: false,
        modulePreload: false,
        rolldownOptions: {
          input: join(source, input),
          output: { entryFileNames: file },
          preserveEntrySignatures: 'strict',
        },
      },
    });
    folders.push(...output.flatMap(({ moduleIds = [] }) => moduleIds.map(packageFolder)).filter(Boolean));
  }
  const uplot = join(root, 'node_modules', 'uplot', 'dist', 'uPlot.min.css');
  const graph = join(source, 'graph.css');
  for (const [file, styles] of Object.entries({
    'app.css': [uplot, join(source, 'style.css'), graph],
    'graph-page.css': [join(source, 'graph-page.css'), graph],
  })) {
    writeFileSync(join(page, file), styles.map((path) => readFileSync(path, 'utf8')).join('\n'));
  }
  for (const file of ['index.html', 'icon.svg']) {
    copyFileSync(join(source, file), join(page, file));
  }
  writeFileSync(join(page, 'LICENSES.txt'), licensesOf([...new Set(folders)].sort()));
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
  const { renderConfigTypes, renderOptionTable, renderOptionTypes } = await import(
    '../dist/src/config/config-types.js'
  );
  const { configSchema } = await import('../dist/src/config/config-schema.js');
  writeFileSync(join(root, 'dist/src/config/gossamer-config.d.ts'), renderConfigTypes());
  writeFileSync(join(root, 'dist/src/config/option-types.d.ts'), renderOptionTypes());
  rewrite(join(root, 'dist/src/config/options.d.ts'), (text) => writeOutOptions(text, renderOptionTable()));
  for (const file of NAMING_BUFFERS) {
    rewrite(join(root, 'dist/src', file), (text) => text.replace(/\bBuffer\b/g, 'Uint8Array'));
  }
  rewrite(join(root, 'dist/src/crawl/crawl-run.d.ts'), (text) =>
    text.replace('    constructor(plan: RunPlan);', '    private constructor();'),
  );
  writeFileSync(join(root, 'dist/config.schema.json'), `${JSON.stringify(configSchema())}\n`);
}

/** The types of results, written out for editors: worked out from the table of fields, they would have no sentences. */
async function describePages() {
  const { renderPageTypes } = await import('../dist/src/report/describe-pages.js');
  writeFileSync(join(root, 'dist/src/store/page-types.d.ts'), renderPageTypes());
}

/** All types of the library in one file, with the sentences that an editor shows; nobody can import a type that is not meant for them. */
async function rollUpTypes(rolldown) {
  const { dts } = await import('rolldown-plugin-dts');
  const input = { index: join(root, 'dist', 'src', 'index.d.ts') };
  const made = await rolldown({ input, platform: 'node', plugins: [dts({ dtsInput: true, tsconfig: false })] });
  const { output } = await made.write({ dir: types, format: 'esm' });
  if (output.length !== 1 || output[0].imports.length > 0) {
    throw new Error(`the types are not one file that stands by itself: ${output.map(({ fileName }) => fileName)}`);
  }
}

/** `man gossamer`, from the tables of commands and options. */
async function writeManual() {
  const { manual } = await import('../dist/src/cli/manual.js');
  mkdirSync(join(root, 'dist', 'man'), { recursive: true });
  writeFileSync(join(root, 'dist', 'man', 'gossamer.1'), manual());
}

/** Types that only we use and that a program's compiler reads all the same: it need not have those of Node. */
const NAMING_BUFFERS = ['fetch/contract.d.ts', 'fetch/response-headers.d.ts'];

/** The options of a command are worked out from the table; an editor shows sentences only of what is written out. */
function writeOutOptions(text, table) {
  const worked =
    /export type OptionsOf<C extends Command> = \{[^}]*\};\nexport type CrawlOptions = OptionsOf<'crawl'>;\n/;
  const short = text.replace(/export declare const OPTIONS: \{\n[\s\S]*?\n\};/, table);
  if (text.includes('./option-types.js')) {
    return short;
  }
  if (!worked.test(text)) {
    throw new Error('the types of options are not where they were');
  }
  const written = `export type OptionsOf<C extends Command> = C extends keyof OptionsByCommand ? OptionsByCommand[C] : never;
export type { CrawlOptions } from './option-types.js';
import type { OptionsByCommand } from './option-types.js';
`;
  return short.replace(worked, written);
}

const rewrite = (path, change) => writeFileSync(path, change(readFileSync(path, 'utf8')));

/** The number itself: whoever bundles the library takes it away from its package.json. */
function writeVersion() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(root, 'dist/src/config/version.js'), `export const VERSION = ${JSON.stringify(version)};\n`);
}

/** The folders that decide what a page becomes as Markdown. A corpus that another build has made is made again. */
const CONVERTING = ['content', 'parse', 'corpus', 'docs'];

function stampConverter() {
  const hash = createHash('sha256');
  for (const folder of CONVERTING) {
    for (const file of readdirSync(join(root, 'dist/src', folder), { recursive: true })
      .map(String)
      .sort()) {
      if (file.endsWith('.js') && !file.endsWith('converter-version.js')) {
        hash.update(`${folder}/${file}\0`).update(readFileSync(join(root, 'dist/src', folder, file)));
      }
    }
  }
  const file = join(root, 'dist/src/docs/convert/converter-version.js');
  writeFileSync(file, `export const CONVERTER_VERSION = ${JSON.stringify(hash.digest('hex'))};\n`);
}

/** Bundled as CommonJS by somebody, a module has no import.meta.url, but it has a file name. */
const namedAnyway = {
  name: 'named-anyway',
  renderChunk: (code) =>
    code.replaceAll('createRequire(import.meta.url)', 'createRequire(import.meta.url ?? __filename)'),
};

/** Parts of packages that are never reached, by the file that would import them and what it asks for. */
const LEFT_OUT = [
  // The program speaks HTTP/1.1 itself, and a body that it sends is bytes.
  [/[\\/]undici[\\/]lib[\\/]/, /[\\/](?:client-h1|fetch[\\/]body)\.js$/],
  // Nothing but types is taken out of TypeScript.
  [
    /[\\/]sucrase[\\/]dist[\\/]/,
    /[\\/](?:CJSImport\w+|computeSourceMap|Options|flow|jsx(?:[\\/]index)?|JSXTransformer|FlowTransformer|Jest\w+|React\w+|formatTokens)$/,
  ],
  // Certificates of a company that rents out Redis; a URL and files of the user's say what is trusted.
  [/[\\/]ioredis[\\/]/, /[\\/]TLSProfiles$/],
  // Examples of measurements that name a trace: they are not switched on.
  [/[\\/]prom-client[\\/]/, /^@opentelemetry[\\/]api$/],
];
const lessOfPackages = {
  name: 'less-of-packages',
  resolveId: (id, importer) =>
    LEFT_OUT.some(([whose, what]) => whose.test(importer ?? '') && what.test(id))
      ? join(root, 'scripts', 'left-out.cjs')
      : null,
};

/**
 * The SQLite for Node before 22.13, for every system that it is made for: dist/sqlite/linux-x64.node, linux-x64-musl.node and so on. The package
 * that they come from cannot be a dependency: it has an install script, which pnpm refuses, and its sources.
 */
function carrySqlite() {
  rmSync(sqlite, { recursive: true, force: true });
  mkdirSync(sqlite, { recursive: true });
  const prebuilds = join(IN_SQLITE[0], 'prebuilds');
  for (const system of readdirSync(prebuilds)) {
    for (const file of readdirSync(join(prebuilds, system))) {
      const libc = file.includes('musl') ? '-musl' : '';
      copyFileSync(join(prebuilds, system, file), join(sqlite, `${system}${libc}.node`));
    }
  }
  writeFileSync(join(sqlite, 'LICENSES.txt'), licensesOf(IN_SQLITE));
}

const packageFolder = (module) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0];

/** Whose code is in a folder, and on what terms. */
function licensesOf(folders) {
  return folders
    .map((folder) => {
      const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      if (file === undefined && license !== 'ISC') {
        throw new Error(`${name} has no licence file`);
      }
      const text =
        file === undefined ? `Copyright (c) ${author}\n\n${ISC}` : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

// Node names the module without links, and the argument as it was given.
if (process.argv[1] !== undefined && import.meta.filename === realpathSync(process.argv[1])) {
  await build();
}
