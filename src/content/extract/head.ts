import { type Element, textOf, walk } from '../element.js';

/** What a page says of itself before its body. */
export interface Head {
  /** Without the site's name where that can be told. */
  readonly title: string;
  readonly generator: string;
}

const LONGEST = 1000;

export function readHead(tree: Element): Head {
  let title = '';
  let shared = '';
  let generator = '';
  for (const node of walk(tree)) {
    if (typeof node === 'string') continue;
    if (node.name === 'title' && title === '' && node.parent?.name !== 'svg') title = line(textOf(node));
    if (node.name !== 'meta') continue;
    const name = (node.attribute('name') ?? node.attribute('property') ?? '').toLowerCase();
    const content = (node.attribute('content') ?? '').slice(0, LONGEST);
    if (name === 'generator') generator += `${content} `;
    if (name === 'og:title' && shared === '') shared = line(content);
  }
  return { title: shared !== '' && title.includes(shared) ? shared : title || shared, generator };
}

const line = (text: string): string => text.slice(0, LONGEST).replace(/\s+/g, ' ').trim();
