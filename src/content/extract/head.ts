import { textOf } from '../element.js';
import type { Outline } from './outline.js';

/** What a page says of itself before its body. */
export interface Head {
  /** Without the site's name where that can be told. */
  readonly title: string;
  readonly generator: string;
}

const LONGEST = 1000;

export function readHead(outline: Outline): Head {
  let title = '';
  let shared = '';
  let generator = '';
  for (const element of outline.elements) {
    if (element.name === 'body') {
      break;
    }
    if (element.name === 'title' && title === '') {
      title = line(textOf(element));
    }
    if (element.name !== 'meta') {
      continue;
    }
    const name = (element.attribute('name') ?? element.attribute('property') ?? '').toLowerCase();
    const content = (element.attribute('content') ?? '').slice(0, LONGEST);
    if (name === 'generator') {
      generator += `${content} `;
    }
    if (name === 'og:title' && shared === '') {
      shared = line(content);
    }
  }
  return { title: shared !== '' && title.includes(shared) ? shared : title || shared, generator };
}

const line = (text: string): string => text.slice(0, LONGEST).replace(/\s+/g, ' ').trim();
