import type { LinkKind } from '../parse/links.js';

/** The element and attribute of each kind of link; null where it is no element of the page. */
const PLACES: Readonly<Record<LinkKind, readonly [element: string, attribute: string] | null>> = {
  a: ['a', 'href'],
  area: ['area', 'href'],
  iframe: ['iframe', 'src'],
  frame: ['frame', 'src'],
  refresh: ['meta', 'content'],
  next: ['link', 'href'],
  prev: ['link', 'href'],
  canonical: ['link', 'href'],
  alternate: ['link', 'href'],
  link: ['link', 'href'],
  stylesheet: ['link', 'href'],
  img: ['img', 'src'],
  srcset: ['[srcset]', 'srcset'],
  script: ['script', 'src'],
  media: ['[src]', 'src'],
  embed: ['embed', 'src'],
  object: ['object', 'data'],
  form: ['form', 'action'],
  redirect: null,
  css: null,
};

/** A CSS path that finds the link on its page. */
export function cssPath(kind: LinkKind, href: string): string | null {
  const place = PLACES[kind];
  if (place === null || href === '') {
    return null;
  }
  const [element, attribute] = place;
  const within = attribute === 'srcset' || attribute === 'content' ? '*=' : '=';
  return `${element.startsWith('[') ? '' : element}[${attribute}${within}"${escaped(href)}"]`;
}

const escaped = (text: string): string =>
  text.replace(/["\\]/g, '\\$&').replace(/[\0-\x1f\x7f]/g, (unit) => `\\${unit.charCodeAt(0).toString(16)} `);
