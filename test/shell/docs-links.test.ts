import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, ROOT, read } from './repository.js';

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

/** Links of a page, as written, outside of code. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(LINK)].map((match) => match[1]!);
}

/** The anchors that GitHub gives to headings. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#{1,6}\s+(.+)$/gm)].map((match) => match[1]!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

function deadLinks(page: string, markdown: string): string[] {
  return linksOf(markdown)
    .filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link))
    .filter((link) => {
      const [path, anchor] = link.split('#') as [string, string | undefined];
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (target.startsWith('..') || !existsSync(join(ROOT, target))) {
        return true;
      }
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor);
    })
    .map((link) => `${page}: ${link}`);
}

describe('the documentation', () => {
  const pages = projectFiles().filter((path) => /^(?:[^/]+|docs\/.+)\.md$/.test(path));

  it('has no link into the project that leads nowhere', () => {
    expect(pages).toContain('README.md');
    expect(pages.flatMap((page) => linksOf(read(page))).length).toBeGreaterThan(30);
    expect(pages.flatMap((page) => deadLinks(page, read(page)))).toEqual([]);
  });

  it('would show a dead file and a dead anchor, and knows what is none', () => {
    const page =
      '[a](docs/NONE.md) [b](docs/STORE.md#nothing-here) [c](docs/STORE.md#states) [d](https://example.com/) `[e](no.md)`';
    expect(deadLinks('README.md', page)).toEqual(['README.md: docs/NONE.md', 'README.md: docs/STORE.md#nothing-here']);
  });

  it('links each decision from its list', () => {
    const listed = linksOf(read('docs/decisions/README.md'));
    const records = projectFiles().filter((path) => /^docs\/decisions\/\d{4}-.*\.md$/.test(path));
    expect(records.map((path) => path.split('/').at(-1)!).filter((name) => !listed.includes(name))).toEqual([]);
    expect(records.length).toBeGreaterThan(0);
  });
});
