import { existsSync, readFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { transform } from 'sucrase';

/**
 * How Node is taught to load a module of the user's: TypeScript loses its types, a path may leave out the ending, a JSON file needs no attribute, and
 * `gossamer` is this package. All of that holds for the modules that `loadModule` marks and for what they import, never for others in the process.
 *
 * The two functions are called by Node, in the same thread where it can (`registerHooks`), else in a thread of its own (`register`).
 */

/** A parameter of the URL of a marked module. Its number makes Node read the file again, which may have changed since. */
export const MARK = '?gossamer-module=';

/** This package by its own name: the module that a program would import. */
const SELF = 'gossamer';
const TYPESCRIPT = /\.[mc]?ts$/;
/** What the ending of a file that is not there stands for, as compilers of TypeScript have it. */
const SOURCE_OF: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts', '.cjs': '.cts' };
const ENDINGS = ['.ts', '.mts', '.js', '.mjs', '.cts', '.cjs', '.json', '/index.ts', '/index.js'];

interface Resolved {
  url: string;
  format?: string | null | undefined;
  importAttributes?: Record<string, string>;
  shortCircuit?: boolean;
}
interface Loaded {
  format: string | null | undefined;
  source?: unknown;
  shortCircuit?: boolean;
}
interface ResolveContext {
  parentURL?: string | undefined;
}
interface LoadContext {
  format?: string | null | undefined;
  importAttributes?: Record<string, string>;
}
/** The next in the chain answers at once, or with a promise, as Node has called this one. */
type Answer<T> = T | Promise<T>;

let ownModule: string | null = null;

/** Where a thread of its own runs these. */
export function initialize(self: string | null): void {
  ownModule = self;
}

/** Where they run beside the module. */
export function registerHere(self: string | null): void {
  initialize(self);
  // Not in Node 20, nor in its types.
  (nodeModule as unknown as { registerHooks(hooks: object): void }).registerHooks({ resolve, load });
}

export function resolve(
  specifier: string,
  context: ResolveContext,
  next: (specifier: string, context: ResolveContext) => Answer<Resolved>,
): Answer<Resolved> {
  const mark = markOf(context.parentURL);
  if (mark === null) {
    return next(specifier, context);
  }
  if (specifier === SELF && ownModule !== null) {
    return { url: ownModule, format: 'module', shortCircuit: true };
  }
  const isPath = /^(?:\.{0,2}\/|file:)/.test(specifier);
  const found = isPath ? meant(new URL(specifier, context.parentURL)) : specifier;
  return after(next(found, context), (resolved) =>
    isOfUser(resolved.url) ? { ...resolved, url: resolved.url + mark } : resolved,
  );
}

export function load(
  url: string,
  context: LoadContext,
  next: (url: string, context: LoadContext) => Answer<Loaded>,
): Answer<Loaded> {
  if (markOf(url) === null) {
    return next(url, context);
  }
  const file = fileURLToPath(url);
  if (TYPESCRIPT.test(file)) {
    const { code } = transform(readFileSync(file, 'utf8'), {
      transforms: ['typescript'],
      disableESTransforms: true,
      filePath: file,
    });
    return { format: formatOf(file, code), source: code, shortCircuit: true };
  }
  if (file.endsWith('.json') && context.importAttributes?.type === undefined) {
    const source = `export default ${JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))};`;
    return { format: 'module', source, shortCircuit: true };
  }
  // Node would try both kinds too, and warn that it had to.
  if (file.endsWith('.js') && context.format !== 'module' && context.format !== 'commonjs') {
    const source = readFileSync(file, 'utf8');
    return isCommonJs(source)
      ? next(url, { ...context, format: 'commonjs' })
      : { format: 'module', source, shortCircuit: true };
  }
  return next(url, context);
}

/** The file that a path leads to: as it is written, or as it is meant. */
function meant(url: URL): string {
  const path = fileURLToPath(url);
  if (existsSync(path) && /\.\w+$/.test(path)) {
    return url.href;
  }
  const ending = /\.[mc]?js$/.exec(path)?.[0];
  const source = ending === undefined ? undefined : SOURCE_OF[ending];
  const tried = [
    ...(source === undefined ? [] : [[ending!.length, source] as const]),
    ...ENDINGS.map((end) => [0, end] as const),
  ];
  const at = tried.find(([less, end]) => existsSync(path.slice(0, path.length - less) + end));
  return at === undefined ? url.href : url.href.slice(0, url.href.length - at[0]) + at[1];
}

function formatOf(file: string, code: string): string {
  if (file.endsWith('.mts')) {
    return 'module';
  }
  return file.endsWith('.cts') || isCommonJs(code) ? 'commonjs' : 'module';
}

/** Whether it compiles as CommonJS, which text with an import or export does not: that is how Node itself tells them apart. */
function isCommonJs(code: string): boolean {
  try {
    vm.compileFunction(code.replace(/^#!.*/, ''), ['exports', 'require', 'module', '__filename', '__dirname']);
    return /\b(?:module|exports|require)\b/.test(code);
  } catch {
    return false;
  }
}

function markOf(url: string | undefined): string | null {
  const at = url?.lastIndexOf(MARK) ?? -1;
  return at < 0 ? null : url!.slice(at);
}

const isOfUser = (url: string): boolean =>
  url.startsWith('file:') && !url.includes('/node_modules/') && markOf(url) === null;

const after = <A, B>(answer: Answer<A>, then: (value: A) => B): Answer<B> =>
  answer instanceof Promise ? answer.then(then) : then(answer);
