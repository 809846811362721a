import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/config-schema.js';
import { describeKey } from '../../src/config/describe.js';
import { CONFIG_FILE_KEYS, configKeyOf, specOf } from '../../src/config/options.js';
import { temporaryFolder } from '../crawl/support.js';
import { installPacked } from '../shell/pack.js';
import { ROOT } from '../shell/repository.js';

describe('a config file beside the installed package', () => {
  const folder = temporaryFolder();
  const project = join(folder.path, 'project');
  const installed = join(project, 'node_modules', 'gossamer');
  afterAll(() => folder.remove());

  beforeAll(() => {
    installPacked(folder.path, project);
    // The types of Node are the project's own.
    for (const name of ['@types', 'undici-types']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
    }
    write('package.json', '{ "type": "module" }');
    write('gossamer.config.ts', GOOD);
    write('wrong.ts', WRONG);
  });

  const GOOD = `import { defineConfig } from 'gossamer';

const patience: number = 20;

export default defineConfig({
  preset: 'ci',
  workers: 5,
  delay: '2s',
  timeout: patience,
  maxBody: '5 MiB',
  minSpeed: '2KiB/s',
  exclude: ['/search/**'],
});
`;
  const WRONG = `import { defineConfig } from 'gossamer';
export default defineConfig({
  workres: 5,
});
defineConfig({ workers: 'many' });
defineConfig({ timeout: 'soon' });
defineConfig({ maxBody: '5 apples' });
defineConfig({ preset: 'huge' });
defineConfig({ exclude: '/search/**' });
defineConfig({ config: 'other.ts' });
`;
  const write = (name: string, text: string) => writeFileSync(join(project, name), text);
  const run = (program: string, cwd: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(program, 'bin', 'gossamer.js'), 'crawl', 'a.test', ...args], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', NO_COLOR: '1' },
    });
  const inForce = (stdout: string) => JSON.parse(stdout) as Record<string, { value: unknown; source: string }>;

  it('is read, with its TypeScript and its import', () => {
    const { stdout, stderr } = run(installed, project, '--print-config', '--json');
    expect(stderr).toBe('');
    const source = `config file ${join(project, 'gossamer.config.ts')}`;
    expect(inForce(stdout)).toMatchObject({
      workers: { value: 5, source },
      delayMs: { value: 2000, source },
      timeoutMs: { value: 20_000, source },
      maxBodyBytes: { value: 5 * 1024 ** 2, source },
      exclude: { value: ['/search/**'], source },
      maxWaitMs: { value: 30_000, source: 'preset ci' },
    });
  });

  it('needs no package beside it where the program is installed elsewhere', () => {
    const alone = join(folder.path, 'alone');
    mkdirSync(alone);
    cpSync(join(project, 'gossamer.config.ts'), join(alone, 'gossamer.config.ts'));
    const { stdout, stderr } = run(installed, alone, '--print-config', '--json');
    expect(stderr).toBe('');
    expect(inForce(stdout).workers).toMatchObject({ value: 5 });
  });

  it('with an unknown key ends in a sentence that names it and the nearest one', () => {
    const { status, stderr } = run(installed, project, '--config', 'wrong.ts');
    expect([status, stderr]).toEqual([
      3,
      `error: ${join(project, 'wrong.ts')}: unknown key workres; did you mean workers?\n`,
    ]);
  });

  it('may name the schema that the package has for JSON', () => {
    write('with-schema.json', '{ "$schema": "./node_modules/gossamer/dist/config.schema.json", "workers": 6 }');
    const { stdout, stderr } = run(installed, project, '--config', 'with-schema.json', '--print-config', '--json');
    expect(stderr).toBe('');
    expect(inForce(stdout).workers).toMatchObject({ value: 6 });
    expect(JSON.parse(readFileSync(join(installed, 'dist', 'config.schema.json'), 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(configSchema())),
    );
  });

  describe('in an editor', () => {
    const options: ts.CompilerOptions = {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      noEmit: true,
      types: ['node'],
    };
    let editor: ts.LanguageService;
    beforeAll(() => {
      editor = ts.createLanguageService({
        getCompilationSettings: () => options,
        getScriptFileNames: () => [join(project, 'gossamer.config.ts'), join(project, 'wrong.ts')],
        getScriptVersion: () => '1',
        getScriptSnapshot: (name) => {
          const text = ts.sys.readFile(name);
          return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
        },
        getCurrentDirectory: () => project,
        getDefaultLibFileName: ts.getDefaultLibFilePath,
        fileExists: ts.sys.fileExists,
        readFile: ts.sys.readFile,
        directoryExists: ts.sys.directoryExists,
        getDirectories: ts.sys.getDirectories,
        realpath: ts.sys.realpath!,
      });
    });
    // Those of TypeScript and of Node are not looked into: they are not ours, and it would take most of the time.
    const isOurs = ({ fileName }: ts.SourceFile): boolean =>
      !/\/node_modules\/(?:typescript|@types|undici-types)\//.test(fileName);

    it('a right file has no fault, and a wrong key or value is one where it stands', () => {
      const program = editor.getProgram()!;
      const ours = program.getSourceFiles().filter(isOurs);
      expect(ours.length, 'the two files, and the types of the package').toBe(3);
      const found = [
        ...program.getOptionsDiagnostics(),
        ...program.getGlobalDiagnostics(),
        ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
      ];
      const faults = found.map(({ file, start = 0, messageText }) => {
        const line = file!.getLineAndCharacterOfPosition(start).line + 1;
        return `${file!.fileName.slice(project.length + 1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      });
      expect(faults).toEqual([
        expect.stringMatching(/^wrong\.ts:3 .*'workres' does not exist .*Did you mean to write 'workers'/),
        expect.stringMatching(/^wrong\.ts:5 Type 'string' is not assignable to type 'number'/),
        expect.stringMatching(/^wrong\.ts:6 Type '"soon"' is not assignable to type 'ConfigDuration/),
        expect.stringMatching(/^wrong\.ts:7 Type '"5 apples"' is not assignable to type 'ConfigSize/),
        expect.stringMatching(/^wrong\.ts:8 Type '"huge"' is not assignable .*"big-site" \| "many-hosts"/),
        expect.stringMatching(/^wrong\.ts:9 Type 'string' is not assignable to type 'readonly string\[\]'/),
        expect.stringMatching(/^wrong\.ts:10 .*'config' does not exist/),
      ]);
    });

    it('every key is offered, with the sentence of its option', () => {
      const file = join(project, 'gossamer.config.ts');
      const at = GOOD.indexOf('  workers');
      const offered = editor.getCompletionsAtPosition(file, at, {})!.entries.map(({ name }) => name);
      const written = ['preset', 'workers', 'delay', 'timeout', 'maxBody', 'minSpeed', 'exclude'];
      for (const spec of CONFIG_FILE_KEYS.map(specOf)) {
        const key = configKeyOf(spec);
        if (written.includes(key)) {
          continue;
        }
        expect(offered).toContain(key);
        const details = editor.getCompletionEntryDetails(file, at, key, {}, undefined, {}, undefined);
        expect(ts.displayPartsToString(details?.documentation)).toContain(describeKey(spec));
      }
      const { documentation, displayParts } = editor.getQuickInfoAtPosition(file, at + 3)!;
      expect(ts.displayPartsToString(displayParts)).toMatch(/workers\?: number/);
      expect(ts.displayPartsToString(documentation)).toBe(
        'How many requests may be under way at once, to all hosts together (default 512; 1 to 4096). The same as --workers and GOSSAMER_WORKERS.',
      );
    });
  });
});
