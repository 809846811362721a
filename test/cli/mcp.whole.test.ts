import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/config/version.js';
import { page, temporaryFolder, write } from '../corpus/fixture.js';
import { BIN, gossamer, start } from '../crawl/support.js';

const root = temporaryFolder();
const [python, rust] = [join(root, 'python'), join(root, 'rust')];
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

beforeAll(async () => {
  await write(python, [page('/asyncio', { title: 'asyncio', markdown: '# asyncio\n\nRun coroutines.' })]);
  await write(rust, [page('/tokio', { title: 'tokio', markdown: '# tokio\n\nAlso runs coroutines.' })]);
});

describe('gossamer mcp, with a client of the protocol', () => {
  const client = new Client({ name: 'test', version: '1' });
  const noise: string[] = [];

  beforeAll(async () => {
    const transport = new StdioClientTransport({
      ...{ command: process.execPath, args: [BIN, 'mcp', 'python', 'rust'], cwd: root, stderr: 'pipe' },
    });
    transport.stderr?.on('data', (text) => noise.push(String(text)));
    await client.connect(transport);
  });
  afterAll(() => client.close());

  const call = async (name: string, given: Record<string, unknown>): Promise<string[]> => {
    const { content } = await client.callTool({ name, arguments: given });
    return (content as { text: string }[]).map(({ text }) => text);
  };
  const pathsOf = async (query: string): Promise<string[]> =>
    JSON.parse((await call('search', { query }))[0]!).hits.map(({ path }: { path: string }) => path);

  it('is initialised, and lists its tools', async () => {
    expect(client.getServerVersion()).toEqual({ name: 'gossamer', version: VERSION });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search', 'read', 'list']);
  });

  it('searches, reads, and gives pages as resources', async () => {
    expect((await pathsOf('coroutines')).sort()).toEqual(['asyncio.md', 'tokio.md']);
    expect((await call('read', { page: 'tokio.md' }))[1]).toContain('Also runs coroutines.');
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['gossamer://python/asyncio.md', 'gossamer://rust/tokio.md']);
    const { contents } = await client.readResource({ uri: resources[0]!.uri });
    expect(contents).toMatchObject([{ text: expect.stringContaining('Run coroutines.') }]);
  });

  it('reads a corpus anew that was replaced meanwhile', async () => {
    expect(await pathsOf('generators')).toEqual([]);
    await write(python, [page('/generators', { title: 'Generators', markdown: '# Generators\n\nYield.' })]);
    expect(await pathsOf('generators')).toEqual(['generators.md']);
    expect((await call('read', { page: 'generators' }))[1]).toContain('Yield.');
    await expect(client.readResource({ uri: 'gossamer://python/asyncio.md' })).rejects.toMatchObject({ code: -32002 });
    expect(noise).toEqual([]);
  });
});

describe('gossamer mcp', () => {
  it('writes nothing but messages, and ends with its input', async () => {
    const { code, stdout, stderr } = await gossamer(['mcp', 'rust'], { cwd: root, input: `nonsense\n${PING}` });
    expect([code, stderr]).toEqual([0, '']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends cleanly on %s', async (signal, code) => {
    const { child, ended } = start(['mcp', 'rust'], { cwd: root, keepsInputOpen: true });
    child.stdin.write(PING);
    child.stdout.once('data', () => child.kill(signal));
    expect(await ended).toMatchObject({ code, signal: null, stderr: '' });
  });

  it('does not start where one of the folders is no corpus', async () => {
    expect(await gossamer(['mcp', 'rust', 'nowhere'], { cwd: root, input: PING })).toMatchObject({
      code: 3,
      stdout: '',
      stderr: `error: there is no folder ${join(root, 'nowhere')}\n`,
    });
    expect(await gossamer(['mcp'], { cwd: root })).toMatchObject({ code: 2, stdout: '' });
  });
});
