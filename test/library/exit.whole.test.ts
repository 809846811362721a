import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { star } from '../web/plain.js';
import { openWeb, type WebInABox } from '../web/web.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CHAIN =
  "const chain = { seeds: ['0'], resolve: (href) => href, fetch: (key) => ({ links: [String(Number(key) + 1)] }) };";

/** Runs a program and waits for it to end by itself; nothing in it calls process.exit. */
function program(source: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', `import { crawl } from 'gossamer';\n${CHAIN}\n${source}`],
    { cwd: ROOT },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

let web: WebInABox;
beforeAll(async () => {
  web = await openWeb();
  web.site('127.0.0.1', star(5_000));
});
afterAll(() => web.close());

describe('a program that crawls can end', () => {
  it.each([
    [
      'after a break',
      "for await (const { url } of crawl(chain)) { if (url === '9') break; } console.log('left');",
      'left',
    ],
    [
      'after a throw in the loop',
      "try { for await (const _ of crawl(chain)) throw new Error('mine'); } catch (error) { console.log(error.message); }",
      'mine',
    ],
    [
      'after a break while a fetcher never answers',
      "const never = { ...chain, fetch: (key) => key === '3' ? new Promise(() => {}) : chain.fetch(key) }; for await (const { url } of crawl(never)) { if (url === '2') break; } console.log('left');",
      'left',
    ],
    [
      'after stop()',
      "const run = crawl(chain); run.on('page', ({ url }) => url === '5' && run.stop()); console.log((await run.finished).reason);",
      'stopped',
    ],
    [
      'after a throw of onEdge',
      "await crawl({ ...chain, onEdge() { throw new Error('edge'); } }).finished.catch((error) => console.log(error.message));",
      'edge',
    ],
    ['after a crawl that was never begun', "crawl(chain); console.log('idle');", 'idle'],
    ['after bad options', 'try { crawl({ seeds: [] }); } catch (error) { console.log(error.code); }', 'usage'],
  ])('%s', async (_when, source, output) => {
    expect(await program(source)).toEqual({ code: 0, stdout: `${output}\n`, stderr: '' });
  });

  it('after a break in a crawl of the net that has its threads', async () => {
    const source = `let pages = 0; for await (const _ of crawl({ seeds: ['${web.origin}/'], queueSize: 50 })) { if (++pages === 300) break; } console.log(pages);`;
    expect(await program(source)).toEqual({ code: 0, stdout: '300\n', stderr: '' });
    expect(web.log.length).toBeLessThan(5_000);
  });

  it('an error that nobody catches is not swallowed', async () => {
    const { code, stderr } = await program("crawl({ ...chain, onEdge() { throw new Error('unseen'); } }).finished;");
    expect(code).toBe(1);
    expect(stderr).toContain('unseen');
  });
});
