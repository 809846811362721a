import { extname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, read } from './repository.js';

const REGISTRY_HOSTS =
  /registry\.(?:npmjs|yarnpkg)\.|registry\.npmmirror\.|npm\.pkg\.github\.|\.jfrog\.io|\.pkgs\.visualstudio\./i;
const BINARY = new Set(['.png', '.gz', '.ico', '.woff2']);

describe('installation', () => {
  it('depends on no particular package registry: no file names the host of one', () => {
    const naming = projectFiles().filter((path) => !BINARY.has(extname(path)) && REGISTRY_HOSTS.test(read(path)));
    expect(naming).toEqual([]);
    expect(REGISTRY_HOSTS.test(`https://${['registry', 'npmjs', 'org'].join('.')}/x`)).toBe(true);
  });

  it('takes every package by its checksum, from wherever npm is told to', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean }>;
    };
    const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
    expect(packages.length).toBeGreaterThan(10);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
  });

  it('is complete for every platform: no optional package of another system is missing from the lock file', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const wanted = Object.values(lock.packages).flatMap(({ optionalDependencies }) =>
      Object.keys(optionalDependencies ?? {}),
    );
    expect(wanted.length).toBeGreaterThan(10);
    expect(wanted.filter((name) => lock.packages[`node_modules/${name}`] === undefined)).toEqual([]);
  });

  it('of the package brings no other package with it, runs no script and takes any Node from 20.19 on', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, unknown>>;
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.optionalDependencies).toBeUndefined();
    // npm takes `prepare` for a script of an installation too, where the package comes as a file and not from a registry.
    expect(Object.keys(manifest.scripts!).filter((name) => /^(?:(?:pre|post)?install|prepare)$/.test(name))).toEqual(
      [],
    );
    expect(manifest.engines).toEqual({ node: '>=20.19.0' });
  });

  it('leaves browser, tokenizer and reader of PDF to whoever wants them, and has them for the tests', () => {
    const { peerDependencies, peerDependenciesMeta, devDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, unknown>
    >;
    expect(Object.keys(peerDependencies!).sort()).toEqual(['gpt-tokenizer', 'playwright-core', 'unpdf']);
    for (const [name, range] of Object.entries(peerDependencies!)) {
      expect(peerDependenciesMeta![name]).toEqual({ optional: true });
      expect(devDependencies![name]).toBe(range);
    }
  });

  it('needs no script of a package, and allows none', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
    // The one that has any works without: its binaries are in the package.
    const scripted = Object.keys(packages)
      .filter((path) => packages[path]!.hasInstallScript === true)
      .map((path) => path.replace(/^.*node_modules\//, ''));
    expect(scripted.filter((name) => allowScripts[name] !== false)).toEqual([]);
  });

  it('installs no package that nobody imports', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const code = projectFiles()
      .filter((path) => /\.(?:tsx?|js)$/.test(path))
      .map(read)
      .join('\n');
    // Tools that are run, and binaries that are copied, not imported.
    const tools = [
      '@biomejs/biome',
      '@photostructure/sqlite',
      '@types/http-cache-semantics',
      '@types/node',
      'pnpm',
      'typescript',
    ];
    const imported = (name: string) =>
      [`from '${name}'`, `from '${name}/`, `require('${name}')`, `import('${name}')`, `import('${name}/`].some((form) =>
        code.includes(form),
      );
    const unused = Object.keys(devDependencies!).filter((name) => !tools.includes(name) && !imported(name));
    expect(unused).toEqual([]);
  });

  it('and a start take the two commands that the README shows', () => {
    const readme = read('README.md');
    expect(readme).toContain('npm ci && npm start');
    expect(readme).toContain('npm ci && npm test');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(scripts).toMatchObject({
      // By `npm ci`, then by `npm pack`.
      preprepare: 'npm run build',
      prepack: 'npm run build',
      start: 'node scripts/start.js',
      test: 'node scripts/test.js',
    });
  });
});
