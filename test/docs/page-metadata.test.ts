import { expect, test } from 'vitest';
import { pageMetadata } from '../../src/docs/convert/page-metadata.js';

const NOTHING = { byline: null, date: null, language: null, description: null, site: null, image: null };
const said = (html: string) => pageMetadata(html, 'https://a.test/b/');

test('a page that says nothing of itself', () => {
  expect(said('<p>Text')).toEqual(NOTHING);
});

test('JSON-LD is read where no meta element says it', () => {
  const data = {
    '@graph': [
      {
        '@type': 'NewsArticle',
        author: [{ name: 'Ann  Other' }],
        datePublished: '2026-01-02',
        inLanguage: 'de',
        image: { url: 'c.png' },
        publisher: { name: 'Paper' },
      },
    ],
  };
  expect(said(`<script type="application/ld+json">${JSON.stringify(data)}</script>`)).toEqual({
    byline: 'Ann Other',
    date: '2026-01-02',
    language: 'de',
    description: null,
    site: 'Paper',
    image: 'https://a.test/b/c.png',
  });
});

test('a language that is left empty is none', () => {
  expect(said('<html lang=""><meta property="og:locale" content="de_AT">').language).toBe('de-AT');
});

test('else the markup: an author is no URL, a picture is one of the net, a language is a language', () => {
  const page = `<html lang="<x>"><meta property="article:author" content="https://social.test/ann">
    <meta property="og:image" content="javascript:x()"><p class="post byline">By <b>Ann</b></p><time datetime="2026-05-06">May</time>`;
  expect(said(page)).toEqual({ ...NOTHING, byline: 'Ann', date: '2026-05-06' });
});
