import { readFileSync } from 'node:fs';
import { deflateRawSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { whyLines } from '../../src/cli/show-command.js';
import { textOf } from '../../src/content/element.js';
import { FAR } from '../../src/content/extract/block-boxes.js';
import { blockTable, FEATURES } from '../../src/content/extract/block-features.js';
import { judge, scoreOfAny, sharesOf } from '../../src/content/extract/block-judge.js';
import { wordsOfFeature } from '../../src/content/extract/feature-words.js';
import { mainContent } from '../../src/content/extract/main-content.js';
import { Outline } from '../../src/content/extract/outline.js';
import { SiteMemory } from '../../src/content/extract/site-memory.js';
import { parseTree } from '../../src/content/tree-builder.js';
import { whyOfPage } from '../../src/docs/convert/page-content.js';
import { pageShape } from '../../src/docs/convert/page-shape.js';

const URL = 'https://site.test/guide/page.html';
const SENTENCES = 'A sentence that is long enough to be one, with a comma in it. And then another one follows it. ';
const TEXT = `<p>${SENTENCES}</p>`.repeat(4);
const page = (body: string, head = ''): string =>
  `<html><head><title>A title</title>${head}</head><body>${body}</body></html>`;
const kept = (html: string) => ({ url: URL, type: 'text/html; charset=utf-8', packed: deflateRawSync(html) });
const whyOf = (html: string, memory = new SiteMemory(), shape = { content: [] as string[], remove: [] as string[] }) =>
  whyOfPage(kept(html), memory, pageShape(shape))!;
const blockWith = (text: string, ...args: Parameters<typeof whyOf>) =>
  whyOf(...args).find((block) => block.text.includes(text));

const COOKIES =
  '<div class="bar"><p>We use cookies, do you accept that? Privacy matters.</p><button>Accept all</button></div>';

describe('why a block is kept or left out', () => {
  const ARTICLE = page(`<h1>A title</h1><div class="text">${TEXT}${TEXT}${COOKIES}${TEXT}</div>
    <div hidden>Nobody sees this</div><div class="footer"><a href="/imprint">Imprint</a></div>`);

  it('by its score, with the two features that count most', () => {
    const { reason, ...block } = blockWith('A sentence', ARTICLE)!;
    expect(block).toMatchObject({ kept: true, by: 'score', path: 'html > body > div.text > p' });
    expect(block.features).toHaveLength(2);
    expect(reason).toMatch(/^score -?\d+\.\d\d, -?\d\.\d\d is enough; for it: \w/);
    const left = blockWith('Imprint', ARTICLE)!;
    expect(left).toMatchObject({ kept: false, by: 'score' });
    expect(left.reason).toContain('; against it: ');
  });

  it('by what else decides', () => {
    expect(blockWith('A title', ARTICLE)).toMatchObject({ kept: true, by: 'title', reason: 'the title of the page' });
    expect(blockWith('We use cookies', ARTICLE)).toMatchObject({ kept: false, reason: 'it asks for consent' });
    expect(blockWith('Nobody', ARTICLE)).toMatchObject({ kept: false, by: 'noise' });
  });

  it('by the rule for a known system', () => {
    const html = page(
      `<div id="firstHeading">Name</div><div id="mw-content-text"><div class="navbox">Box</div>${TEXT}</div><p>Beside</p>`,
      '<meta name="generator" content="MediaWiki 1.39">',
    );
    expect(blockWith('A sentence', html)!.reason).toBe('in what the rule for MediaWiki takes for the text');
    expect(blockWith('Box', html)!.reason).toBe('the rule for MediaWiki leaves it out');
    expect(blockWith('Beside', html)!.reason).toBe('outside of what the rule for MediaWiki takes for the text');
  });

  it('by what the site repeats, which only its memory knows', () => {
    const html = (n: number) =>
      page(
        `<div id="mw-content-text"><p>Said everywhere</p><h1>Number ${n}</h1>${TEXT.replaceAll('another', `x${n}`)}</div>`,
        '<meta name="generator" content="MediaWiki">',
      );
    const memory = new SiteMemory();
    for (let n = 0; n < 10; n++) {
      memory.learn(mainContent(parseTree(html(n)), { url: URL }).fingerprints);
    }
    expect(blockWith('Said everywhere', html(1))).toMatchObject({ kept: true });
    expect(blockWith('Said everywhere', html(1), memory)).toMatchObject({ kept: false, by: 'repeats' });
  });

  it('by the selectors of the user', () => {
    const shape = { content: [], remove: ['.footer'] };
    expect(blockWith('Imprint', ARTICLE, new SiteMemory(), shape)!.reason).toBe('--remove matches it');
    const wanted = { content: ['.footer'], remove: [] };
    expect(blockWith('Imprint', ARTICLE, new SiteMemory(), wanted)).toMatchObject({ kept: true, by: 'content' });
    expect(blockWith('A sentence', ARTICLE, new SiteMemory(), wanted)).toMatchObject({ kept: false, by: 'content' });
  });

  it('in lines that no terminal obeys', () => {
    const html = page(`<div id="&#27;[2J">${TEXT}</div><p>evil &#27;]0;owned&#7; &#8238; end</p>`);
    const lines = whyLines({ url: URL, blocks: whyOf(html) });
    expect(lines[0]).toBe(`${URL}: 4 of 5 blocks kept\n`);
    expect(lines).toHaveLength(6);
    for (const line of lines) {
      expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });
});

describe('the reasons are those of the decision', () => {
  it.each([
    'article/bread-prices',
    'docbook/postgresql-functions-bitstring',
    'mediawiki/cppreference-cpp-container-queue',
    'rustdoc/rust-std-sync-struct-mutexguard',
  ])('on %s', (name) => {
    const html = gunzipSync(
      readFileSync(new globalThis.URL(`sample/pages/${name}.html.gz`, import.meta.url)),
    ).toString();
    const words = (text: string) => text.replace(/[\s…]+/g, '');
    const text = words(mainContent(parseTree(html), { url: URL }).nodes.map(textOf).join(''));
    const blocks = whyOf(html);
    const isIn = (block: (typeof blocks)[number]) => text.includes(words(block.text));
    const stays = blocks.filter((block) => block.kept);
    // A title stands in the frame of a page too.
    const isSaid = ({ text }: { text: string }) => stays.some((other) => words(other.text).includes(words(text)));
    const goes = blocks.filter((block) => !block.kept && block.text.length > 30 && !isSaid(block));
    // Signs to link here and the like are within blocks that stay.
    expect(stays.filter(isIn).length).toBeGreaterThan(stays.length * 0.9);
    expect(goes.filter(isIn)).toEqual([]);
  });

  it('every score is what its features add up to', () => {
    const outline = new Outline(parseTree(page(`<h1>A title</h1>${TEXT}<p><a href="/x">More</a></p>`)));
    const table = blockTable(outline, 0, 'A title', URL);
    const scores: number[] = [];
    judge(table, (b, verdict) => {
      if (verdict.by === 'score') {
        scores.push(verdict.score - scoreOfAny() - sharesOf(table, b).reduce((sum, { adds }) => sum + adds, 0));
      }
    });
    expect(scores.length).toBeGreaterThan(4);
    expect(Math.max(...scores.map(Math.abs))).toBeLessThan(1e-6);
  });

  it('every feature has words', () => {
    for (const feature of FEATURES) {
      expect(wordsOfFeature(feature, 1, FAR), feature).not.toBe(feature);
    }
  });
});
