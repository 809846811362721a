import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { inProcess } from '../crawl/in-process.js';
import { type Run, temporaryFolder } from '../crawl/support.js';
import { escapeHtml, html, notFound } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { filesOf, readIndex, words } from './manual.js';

const BREAKER = '---\nsource: evil\n---\n# "owned" \u202e\u0007\u001b[31m: {a: [b}';

/** Paths that would leave the folder, name a device, or be another file's on some file system. */
const PATHS = [
  '/docs/..%2f..%2f..%2fetc%2fpasswd',
  '/docs/%2e%2e%2foutside',
  '/docs/..%5c..%5cwindows',
  '/docs/con',
  '/docs/aux.html',
  '/docs/COM1.txt',
  '/docs/nul',
  '/docs/trailing.',
  '/docs/space%20',
  '/docs/a%00b',
  '/docs/Case',
  '/docs/case',
  '/docs/q?page=../../../x&y=<z>',
  '/docs/q?page=2',
  '/docs/index.md',
  '/docs/llms.txt',
  `/docs/${'long'.repeat(300)}`,
  `/docs/${'x'.repeat(100)}/${'y'.repeat(100)}/`,
  '/docs/-rf',
  '/docs/~root',
  '/docs/.git/config',
  '/docs/a:b*c|d',
];

const HEAVY: Record<string, string> = {
  '/docs/nested': `<h1>Nested</h1>${'<div><b>'.repeat(50_000)}<p>deep text</p>`,
  '/docs/quotes': `<h1>Quotes</h1>${'<blockquote>'.repeat(20_000)}<p>quoted text</p>`,
  '/docs/lists': `<h1>Lists</h1>${'<ul><li>item '.repeat(10_000)}`,
  '/docs/attributes': `<h1>Attributes</h1><p title="${'a'.repeat(2_000_000)}">after the long one</p>`,
  '/docs/table': `<h1>Table</h1><table><tr><td colspan="1000000000" rowspan="1000000000">wide cell</td></tr></table>`,
  '/docs/unclosed': `<h1>Unclosed<pre><code>code <table><tr><td>cell <!-- comment`,
  '/docs/fences': `<h1>Fences</h1><pre><code>${'`'.repeat(5_000)}\n---\n</code></pre>`,
};

let web: WebInABox;
let folder: ReturnType<typeof temporaryFolder>;
let run: Run;
let output: string;

beforeAll(async () => {
  web = await openWeb();
  folder = temporaryFolder();
  output = join(folder.path, 'corpus');
  const all = [...PATHS, ...Object.keys(HEAVY)];
  const home = `<!doctype html><title>${escapeHtml(BREAKER)}</title><main><h1>${escapeHtml(BREAKER)}</h1><p>${words(1, 40)}</p>${all
    .map((path) => `<a href="${escapeHtml(path)}">x</a>`)
    .join('')}</main>`;
  web.site('127.0.0.1', {
    handle: ({ path }) => {
      if (path === '/docs/') {
        return html(home);
      }
      const heavy = HEAVY[path];
      if (heavy !== undefined) {
        return html(`<!doctype html><title>${path}</title><main>${heavy}`);
      }
      if (!path.startsWith('/docs/')) {
        return notFound;
      }
      const text = words(path.length * 977 + path.charCodeAt(path.length - 1) + path.charCodeAt(6), 80);
      return html(
        `<!doctype html><title>${escapeHtml(`${BREAKER}${path}`)}</title><main><h1>${escapeHtml(path)}</h1><p>${text}</p></main>`,
      );
    },
  });
  run = await inProcess(['docs', `${web.origin}/docs/`, '--output', output], { cwd: folder.path });
}, 300_000);

afterAll(async () => {
  await web.close();
  folder.remove();
});

describe('hostile pages', () => {
  it('are all there, and nothing is outside the folder', () => {
    expect(run.stderr).toMatch(new RegExp(`Saved ${1 + PATHS.length + Object.keys(HEAVY).length} pages .*, 0 failed`));
    expect(readdirSync(folder.path).sort()).toEqual(['corpus', 'gossamer-data']);
    for (const { path } of readIndex(output).documents as { path: string }[]) {
      const file = resolve(output, path);
      expect(file.startsWith(output + sep)).toBe(true);
      expect(lstatSync(file).isFile()).toBe(true);
    }
  });

  it('have names that every file system can hold apart', () => {
    const paths = (readIndex(output).documents as { path: string }[]).map(({ path }) => path);
    expect(new Set(paths.map((path) => path.toLowerCase().normalize())).size).toBe(paths.length);
    for (const segment of paths.flatMap((path) => path.split('/'))) {
      expect(segment).not.toMatch(/^(?:con|aux|nul|prn|com\d|lpt\d)(?:\.|$)/i);
      expect(segment).not.toMatch(/[<>:"\\|?*\u0000-\u001f]|[. ]$|^-|^\./);
      expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(255);
    }
  });

  it('cannot break out of the front matter', () => {
    for (const { path, url } of readIndex(output).documents as { path: string; url: string }[]) {
      const [, front] = /^---\n([\s\S]*?)\n---\n/.exec(readFileSync(join(output, path), 'utf8'))!;
      const fields = parse(front!);
      expect(fields.source).toBe(url);
      expect(Object.keys(fields).sort()).toEqual(
        ['source', 'title', 'description', 'crawled', 'hash', 'tokens', 'lang'].filter((key) => key in fields).sort(),
      );
    }
  });

  it('are readable however deep they are nested', () => {
    const markdown = (path: string) => readFileSync(join(output, path), 'utf8');
    for (const [name, text] of [
      ['nested', 'deep text'],
      ['quotes', 'quoted text'],
      ['lists', 'item'],
      ['attributes', 'after the long one'],
      ['table', 'wide cell'],
      ['unclosed', 'cell'],
    ]) {
      expect(markdown(`docs/${name}.md`), name).toContain(text);
      expect(markdown(`docs/${name}.md`).length, name).toBeLessThan(4_000_000);
    }
  });

  it('say nothing to the terminal that it would obey', () => {
    expect(run.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(run.stdout).toBe('');
    expect(existsSync(join(folder.path, 'outside.md'))).toBe(false);
    expect(filesOf(output).has('llms.txt')).toBe(true);
  });
});
