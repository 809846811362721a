import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isReaderGone, Streams } from '../../src/cli/streams.js';
import { BIN, gossamer, readSummary, temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';

class FakeStream extends EventEmitter {
  write(_text: string, written: () => void): void {
    written();
  }
}

const failure = (code: string): NodeJS.ErrnoException => Object.assign(new Error(`${code}: cannot write`), { code });

describe('a stream that cannot be written to', () => {
  it.each([
    ['stdout, whose reader has left,', 0, 'EPIPE'],
    ['stderr, whose reader has left,', 1, 'EPIPE'],
    ['stderr, whose terminal is gone,', 1, 'EIO'],
  ])('%s is no failure of the command', async (_what, which, code) => {
    const both = [new FakeStream(), new FakeStream()] as const;
    const streams = new Streams(both[0], both[1]);
    both[which as 0 | 1].emit('error', failure(code));
    await expect(streams.flush()).resolves.toBeUndefined();
  });

  it('stdout, for any other cause, is one: of configuration or I/O', async () => {
    const stdout = new FakeStream();
    const streams = new Streams(stdout, new FakeStream());
    stdout.emit('error', failure('ENOSPC'));
    await expect(streams.flush()).rejects.toMatchObject({ code: 'output', exitCode: 3 });
  });

  it('a reader who has left is told from a disk that is full', () => {
    expect(['EPIPE', 'output_closed', 'ENOSPC'].map((code) => isReaderGone(failure(code)))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('the program, whose reader has left', () => {
  const folder = temporaryFolder();
  const inFolder = (name: string) => join(folder.path, name);
  let web: WebInABox;
  let seed: string;

  beforeAll(async () => {
    web = await openWeb();
    web.site('127.0.0.1', pathSite({ '/': html(linkPage('Home', ['/a', '/gone'])), '/a': html(linkPage('A', [])) }));
    seed = `${web.origin}/`;
    expect((await gossamer(['crawl', seed, '--data-dir', inFolder('kept')])).code).toBe(0);
  });
  afterAll(async () => {
    await web.close();
    folder.remove();
  });

  /** Its streams are closed before it has written anything. */
  function unread(closed: 'stdout' | 'both', ...args: string[]): Promise<{ code: number | null; stderr: string }> {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stdout.destroy();
    if (closed === 'both') {
      child.stderr.destroy();
    } else {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
    }
    return new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, stderr }));
    });
  }

  it('ends `export` quietly', async () => {
    expect(await unread('stdout', 'export', inFolder('kept'))).toEqual({ code: 0, stderr: '' });
  });

  it('ends a check with its verdict, and with its reports written', async () => {
    const report = inFolder('links.json');
    const run = await unread(
      'stdout',
      'check',
      seed,
      '--second-look-budget',
      '0',
      '--fail-on',
      '+unverifiable',
      '--report',
      `json=${report}`,
      '-q',
    );
    expect(run).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(readFileSync(report, 'utf8')).summary.exitCode).toBe(1);
  });

  it('ends a crawl that nobody listens to any more as if they did', async () => {
    expect((await unread('both', 'crawl', seed, '-v', '--data-dir', inFolder('unheard'))).code).toBe(0);
    expect(readSummary(inFolder('unheard'))).toMatchObject({ reason: 'complete', done: 2 });
  });

  it.runIf(existsSync('/dev/full'))('says in one sentence that stdout is full: exit code 3', async () => {
    const child = spawn(process.execPath, [BIN, 'status', inFolder('kept')], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    let stderr = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^error: cannot write to stdout: ENOSPC[^\n]*\n$/)]);
  });
});
