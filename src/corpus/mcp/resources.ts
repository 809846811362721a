import { listCorpus } from '../read-corpus.js';
import { needed, textArgument } from './arguments.js';
import type { NamedCorpus } from './corpora.js';
import { ERROR, RpcError } from './json-rpc.js';
import { findPage } from './tools.js';

const SCHEME = 'gossamer://';
const MARKDOWN = 'text/markdown';
const MOST_LISTED = 100;
const LONGEST_URI = 4_096;
/** Characters; a longer page is read in parts by the tool. */
const LONGEST_PAGE = 1_000_000;

const uriOf = (corpus: string, path: string): string =>
  `${SCHEME}${[corpus, ...path.split('/')].map(encodeURIComponent).join('/')}`;

/** Each page is a resource. The cursor is the number of the corpus and that of the page in it. */
export async function listResources(corpora: readonly NamedCorpus[], params: Record<string, unknown>): Promise<object> {
  const [first, skipped] = cursorOf(params);
  const resources: object[] = [];
  for (let i = first; i < corpora.length; i++) {
    const { name, dir } = corpora[i]!;
    let at = 0;
    for await (const { path, title, tokens, url } of listCorpus(dir)) {
      if (i === first && at < skipped) at++;
      else if (resources.length === MOST_LISTED) return { resources, nextCursor: `${i}:${at}` };
      else {
        at++;
        resources.push({
          uri: uriOf(name, path),
          name: path,
          title,
          description: `${url}, ${tokens} tokens`,
          mimeType: MARKDOWN,
        });
      }
    }
  }
  return { resources };
}

function cursorOf(params: Record<string, unknown>): [number, number] {
  const cursor = textArgument(params, 'cursor', LONGEST_URI) ?? '0:0';
  const [, corpus, page] = /^(\d{1,6}):(\d{1,12})$/.exec(cursor) ?? [];
  if (corpus === undefined) throw new RpcError(ERROR.invalidParams, 'cursor is not one that this server gave');
  return [Number(corpus), Number(page)];
}

export async function readResource(corpora: readonly NamedCorpus[], params: Record<string, unknown>): Promise<object> {
  const uri = needed(textArgument(params, 'uri', LONGEST_URI), 'uri');
  const [name, ...path] = namesIn(uri);
  const corpus = corpora.filter((each) => each.name === name);
  const found = corpus.length === 0 ? null : await findPage(corpus, path.join('/')).catch(() => null);
  if (found === null) throw new RpcError(ERROR.noResource, 'there is no such resource');
  if (found.content.length > LONGEST_PAGE)
    throw new RpcError(ERROR.invalidParams, 'the page is too long for a resource: use the tool `read`');
  return { contents: [{ uri, mimeType: MARKDOWN, text: found.content }] };
}

function namesIn(uri: string): string[] {
  try {
    return uri.startsWith(SCHEME) ? uri.slice(SCHEME.length).split('/').map(decodeURIComponent) : [];
  } catch {
    return [];
  }
}
