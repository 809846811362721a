import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { projectFiles, read } from './repository.js';

/** What the code has: every name in it, and the members of whatever declares some. */
interface Names {
  words: Set<string>;
  members: Map<string, Set<string>>;
}

interface Prose {
  file: string;
  text: string;
}

const FILE = /(?<![\w./*-])(?:\.\.\/)*((?:[\w.-]+\/)*[\w-]+\.(?:ts|js|md))\b/g;
const DECISION = /\bdecision (\d+)/gi;
const MEMBER = /`([A-Za-z_$][\w$]*(?:[.#][A-Za-z_$][\w$]*)*)(\([^`]*\))?`/g;
const TAG = /\{@link ([\w.#]+)/g;
/** Endings of names of files, and of hosts: `index.json` is no member of `index`. */
const NO_MEMBER = /\.(?:html|xml|jsonl?|md|txt|ts|js|css|db|sqlite|csv|gz|com|org|example|test\w*|partial)$/;

/** What is not this project's: libraries, what the build makes, and names made up for an example. */
const ELSEWHERE = new Set([
  ...['ipaddr.js', 'Node.js', 'docs/a.md', 'a/b.md', 'a/index.md', '1.md'],
  ...[
    'dns.lookup',
    'postShareBar',
    'bisect_left',
    'datetime',
    'zlib.decompress',
    'module.enableCompileCache',
    'Client.dispatch',
  ],
  // Of Crawlee and Scrapy, in docs/MIGRATING.md.
  ...['CheerioCrawler', 'PlaywrightCrawler', 'RequestQueue', 'KeyValueStore', 'ProxyConfiguration', 'Sitemap.load'],
  ...['enqueueLinks', 'addRequests', 'transformRequestFunction', 'requestHandler', 'preNavigationHooks'],
  ...['failedRequestHandler', 'errorHandler', 'pushData', 'request.userData', 'uniqueKey', 'additionalMimeTypes'],
  ...['maxRequestsPerCrawl', 'maxRequestRetries', 'maxCrawlDepth', 'maxConcurrency', 'maxRequestsPerMinute'],
  ...['sameDomainDelaySecs', 'persistCookiesPerSession', 'CrawlSpider', 'LinkExtractor', 'FormRequest'],
]);

/** Pages that name keys of options, files of a corpus and files of their readers. */
const OF_THEIR_OWN = new Set(['docs/OPTIONS.md', 'docs/CORPUS.md', 'docs/CHECK-INPUT.md']);

function namesOf(sources: readonly ts.SourceFile[]): Names {
  const names: Names = { words: new Set(), members: new Map() };
  for (const source of sources) {
    collect(source, names, []);
  }
  return names;
}

function collect(node: ts.Node, names: Names, owners: readonly string[]): void {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
    names.words.add(plain(node.text));
  } else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
    for (const word of node.text.match(/[A-Za-z_$][\w$]*/g) ?? []) {
      names.words.add(word);
    }
  }
  const declared = nameOf(node);
  const isMember =
    ts.isClassElement(node) || ts.isTypeElement(node) || ts.isObjectLiteralElement(node) || ts.isEnumMember(node);
  if (declared !== undefined && (isMember || ts.isParameter(node))) {
    const owner = owners.at(-1);
    if (owner !== undefined) {
      names.members.get(owner)!.add(declared);
    }
  }
  const owns =
    declared !== undefined &&
    (ts.isClassDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isEnumDeclaration(node));
  if (owns && !names.members.has(declared)) {
    names.members.set(declared, new Set());
  }
  ts.forEachChild(node, (child) => collect(child, names, owns ? [...owners, declared] : owners));
}

function nameOf(node: ts.Node): string | undefined {
  const name = (node as ts.NamedDeclaration).name;
  return name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? plain(name.text) : undefined;
}

const plain = (name: string): string => name.replace(/^#/, '');

function commentsOf(source: ts.SourceFile): Prose[] {
  const found = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(source.text, node.pos) ?? [];
    const trailing = ts.getTrailingCommentRanges(source.text, node.end) ?? [];
    for (const { pos, end } of [...leading, ...trailing]) {
      found.set(pos, source.text.slice(pos, end));
    }
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  return [...found.values()].map((text) => ({ file: source.fileName, text }));
}

/** Everything that a piece of prose names and the project does not have. */
function gone({ file, text }: Prose, files: readonly string[], { words, members }: Names): string[] {
  const missing: string[] = [];
  const cite = (what: string, isThere: boolean): void => {
    if (!isThere && !ELSEWHERE.has(what)) {
      missing.push(`${file}: ${what}`);
    }
  };
  for (const [, path] of text.matchAll(FILE)) {
    const source = path!.replace(/^dist\//, '').replace(/\.js$/, '.ts');
    cite(
      path!,
      files.some((each) => [path, source].some((name) => each === name || each.endsWith(`/${name}`))),
    );
  }
  for (const [, number] of text.matchAll(DECISION)) {
    cite(
      `decision ${number}`,
      files.some((each) => each.startsWith(`docs/decisions/${number!.padStart(4, '0')}-`)),
    );
  }
  for (const [, name, call] of [...text.matchAll(MEMBER), ...text.matchAll(TAG)]) {
    const parts = name!.split(/[.#]/);
    if (NO_MEMBER.test(name!) || (call === undefined && parts.length === 1 && !/[a-z][A-Z]/.test(name!))) {
      continue;
    }
    const [owner, member] = parts as [string, string | undefined];
    const declared = member === undefined ? undefined : members.get(owner);
    cite(name!, declared === undefined ? parts.every((part) => words.has(part)) : declared.has(member!));
  }
  return missing;
}

describe('what comments and documentation cite', () => {
  const files = projectFiles();
  const sources = files
    .filter((path) => /^(?:src|test|bench|scripts)\/.*\.[jt]s$/.test(path) && path !== 'test/shell/citations.test.ts')
    .map((path) => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true));
  const names = namesOf(sources);

  it('exists: files, decisions, members', () => {
    const comments = sources.flatMap(commentsOf);
    expect(comments.length).toBeGreaterThan(3000);
    expect(comments.flatMap((comment) => gone(comment, files, names))).toEqual([]);
  });

  it('exists in the pages of docs/ too, outside of examples', () => {
    const pages = files
      .filter((path) => /^docs\/.*\.md$|^README\.md$/.test(path) && !OF_THEIR_OWN.has(path))
      .map((file) => ({ file, text: read(file).replace(/^```[\s\S]*?^```/gm, '') }));
    expect(pages.length).toBeGreaterThan(40);
    expect(pages.flatMap((page) => gone(page, files, names))).toEqual([]);
  });

  it('is seen where it is gone', () => {
    const text =
      '`Crawl.nothing` `Crawl.run` nowhere.ts crawl/crawl.ts decision 9999, decision 1, `noSuchName`, {@link NoSuchType} `index.json`';
    expect(gone({ file: 'x', text }, files, names)).toEqual([
      'x: nowhere.ts',
      'x: decision 9999',
      'x: Crawl.nothing',
      'x: noSuchName',
      'x: NoSuchType',
    ]);
  });
});
