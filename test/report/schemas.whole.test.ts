import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { closed, errorsOf, type Schema } from '../check/json-schema.js';
import { box } from '../crawl/box.js';
import { inProcess } from '../crawl/in-process.js';
import { readLines } from '../crawl/support.js';
import { chapters, Manual } from '../docs/manual.js';

const FOLDER = new URL('../../docs/schemas/', import.meta.url);
const schemaOf = (name: string): Schema & { $id: string } =>
  JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));

/** Of these each line has more keys than the schema names. */
const OPEN = new Set(['event-1']);
/** They have tests of their own. */
const ELSEWHERE = ['check-1', 'corpus-1'];

describe('the JSON Schemas of lines', () => {
  const b = box();
  const lines = new Map<string, unknown[]>();

  beforeAll(async () => {
    b.web.site('127.0.0.1', new Manual(chapters(6)));
    const seed = `${b.web.origin}/docs/`;
    const log = join(b.folder, 'run.log');
    const { directory } = await b.crawl([seed], ['--keep', 'body', '--log-file', log, '--external', '--depth', '1']);
    const other = await b.crawl([seed], ['--max-urls', '3']);
    const corpus = join(b.folder, 'corpus');
    const play = async (...args: string[]): Promise<string> => (await inProcess(args, { cwd: b.folder })).stdout;
    await play('docs', directory, '--output', corpus);
    lines.set('page-1', readLines(readFileSync(join(directory, 'pages.jsonl'), 'utf8')));
    lines.set('edge-1', readLines(await play('export', directory, '-f', 'edges')));
    lines.set('host-1', readLines(await play('export', directory, '-f', 'hosts')));
    lines.set('graph-edge-1', readLines(await play('graph', directory, '-f', 'jsonl')));
    lines.set('graph-node-1', [
      ...readLines(await play('graph', directory, '-f', 'jsonl', '--nodes')),
      ...readLines(await play('graph', directory, '-f', 'jsonl', '--nodes', '--level', 'host')),
      ...readLines(await play('graph', directory, '-f', 'jsonl', '--nodes', '--level', 'folder')),
    ]);
    lines.set('audit-1', [JSON.parse(await play('audit', directory, '-f', 'json'))]);
    lines.set('diff-1', readLines(await play('diff', directory, other.directory, '-f', 'jsonl')));
    lines.set('event-1', readLines(readFileSync(log, 'utf8')));
    for (const [name, file] of [
      ['corpus-page-1', 'corpus.jsonl'],
      ['corpus-chunk-1', 'chunks.jsonl'],
      ['corpus-change-1', 'changes.jsonl'],
    ] as const) {
      lines.set(name, readLines(readFileSync(join(corpus, file), 'utf8')));
    }
  });

  it('are all held against what the program writes', () => {
    const names = readdirSync(FOLDER).map((name) => name.replace('.json', ''));
    expect([...lines.keys(), ...ELSEWHERE].sort()).toEqual(names.sort());
  });

  it('describe every key of every line, and are named by their version', () => {
    for (const [name, all] of lines) {
      const schema = schemaOf(name);
      expect(schema.$id).toBe(`https://github.com/gossamer-crawler/gossamer/schema/${name}.json`);
      expect(all.length, name).toBeGreaterThan(0);
      const strict = OPEN.has(name) ? schema : closed(schema);
      expect(
        all.flatMap((line) => errorsOf(line, strict)),
        name,
      ).toEqual([]);
    }
  });

  it('are able to refuse', () => {
    for (const [name, [line]] of lines) {
      const schema = closed(schemaOf(name));
      const [first] = schema.required!;
      expect(errorsOf({ ...(line as object), [first!]: { odd: true } }, schema).length, name).toBeGreaterThan(0);
      const { [first!]: _, ...rest } = line as Record<string, unknown>;
      expect(errorsOf(rest, schema).length, name).toBeGreaterThan(0);
    }
  });
});

const python = (program: string, ...args: string[]) =>
  spawnSync(process.env.GOSSAMER_TEST_PYTHON ?? 'python3', ['-c', program, ...args], { encoding: 'utf8' });

describe.skipIf(python('import duckdb, pandas, pyarrow').status !== 0)('tables by programs that are not ours', () => {
  const b = box();

  it('open in DuckDB and pandas, with the rows and the types that they have', async () => {
    b.web.site('127.0.0.1', new Manual(chapters(6)));
    const { directory } = await b.crawl([`${b.web.origin}/docs/`], []);
    const lines = readLines(readFileSync(join(directory, 'pages.jsonl'), 'utf8'));
    for (const [format, table] of [
      ['parquet', 'pages'],
      ['parquet', 'links'],
      ['parquet', 'hosts'],
      ['csv', 'pages'],
    ] as const) {
      const path = join(b.folder, `${table}.${format}`);
      const made = await inProcess(['export', directory, '-f', format, '--table', table, '-o', path], {
        cwd: b.folder,
      });
      expect(made.code, made.stderr).toBe(0);
    }
    const { stdout, stderr } = python(
      `import duckdb, json, pandas, sys
f = sys.argv[1]
pages = pandas.read_parquet(f + '/pages.parquet')
print(json.dumps([
  len(pages), str(pages.fetchedAt.dtype)[:10], len(pandas.read_csv(f + '/pages.csv')), list(pages.url),
  duckdb.sql(f"select count(*) from '{f}/links.parquet' l join '{f}/pages.parquet' p on p.url = l.to").fetchall()[0][0] > 0,
  duckdb.sql(f"select sum(urls) from '{f}/hosts.parquet'").fetchall()[0][0] * 1]))`,
      b.folder,
    );
    const urls = lines.map((line) => (line as { url: string }).url);
    expect(JSON.parse(stdout || `"${stderr}"`)).toEqual([
      urls.length,
      'datetime64',
      urls.length,
      urls,
      true,
      urls.length,
    ]);
  });
});
