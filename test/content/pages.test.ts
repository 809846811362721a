import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { convert } from './convert.js';
import { outlineOf, rendered } from './outline.js';

const FOLDER = new URL('./pages/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const systems = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.html'))
  .map((name) => name.replace('.html', ''));

/** Small pages with the markup of documentation systems, and what they are to become. */
describe('a page made by', () => {
  it.each(systems)('%s', (system) => {
    const pageUrl = `https://docs.test/guide/${system}.html`;
    expect(convert(read(`${system}.html`), { pageUrl }).markdown).toBe(read(`${system}.md`));
  });

  it.each(systems)('%s has each of its code blocks, tables and headings when the Markdown is read again', (system) => {
    const html = rendered(read(`${system}.md`));
    const kinds = JSON.stringify(outlineOf(html));
    const source = read(`${system}.md`);
    expect(kinds.match(/\["pre",/g)?.length ?? 0).toBe((source.match(/^[> ]*`{3,}/gm)?.length ?? 0) / 2);
    expect(kinds.match(/\["table",/g)?.length ?? 0).toBe(source.match(/^\| :?---/gm)?.length ?? 0);
    expect(source).not.toMatch(/[¶§↩]|\[source\]|Copy/);
  });
});
