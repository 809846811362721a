import { Parser } from 'htmlparser2';
import type { Edge } from '../graph.js';

const LINK_RELS: Record<string, Edge['kind']> = {
  canonical: 'canonical',
  next: 'next',
  prev: 'prev',
  stylesheet: 'stylesheet',
};

/** Title, page-wide nofollow and links, the way a plain HTML parser sees them. */
export function scan(markup: string, url: string): { title: string; nofollow: boolean; edges: Edge[] } {
  const found = { title: '', nofollow: false, edges: [] as Edge[] };
  let base = url;
  let inTitle = false;
  const parser = new Parser({
    onopentag(name, { href, src, rel = '', content = '', ...rest }) {
      const folded = rel.toLowerCase().trim().replace(/\s+/g, ' ');
      const add = (kind: Edge['kind'], target = ''): void => {
        found.edges.push({ to: normal(target, base), kind, rel: folded });
      };
      inTitle = name === 'title';
      if (name === 'base') {
        base = href ?? base;
      } else if (name === 'a' || name === 'area') {
        add(name, href);
      } else if (name === 'link') {
        add(LINK_RELS[folded] ?? 'alternate', href);
      } else if (name === 'meta' && rest['http-equiv'] === 'refresh') {
        add('refresh', content.split('url=')[1]);
      } else if (name === 'meta' && rest.name === 'robots') {
        found.nofollow = /nofollow|none/i.test(content);
      } else if (name === 'img' && rest.srcset) {
        add('srcset', rest.srcset.split(' ')[0]);
      } else if (name === 'img' || name === 'iframe' || (name === 'script' && src)) {
        add(name as Edge['kind'], src);
      } else if (name === 'form') {
        add('form', rest.action);
      }
    },
    ontext(text) {
      if (inTitle) {
        found.title += text;
      }
    },
    onclosetag() {
      inTitle = false;
    },
  });
  parser.end(markup);
  return found;
}

/** The normal form of a URL as the platform gives it: parsed, no fragment, escapes in upper case. */
export function normal(href: string, base: string): string {
  const url = new URL(href, base);
  return url.href
    .slice(0, url.href.length - url.hash.length)
    .replace(/#$/, '')
    .replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());
}
