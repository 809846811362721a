import nodeModule, { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ownUrl, threadFile } from './own-url.js';

/** This package by its own name. */
const SELF = 'gossamer';

export interface LoadedModule {
  readonly default?: unknown;
}

let loaded = 0;
let hooks: Promise<typeof import('./module-hooks.js')> | null = null;

/**
 * Loads a module that the user wrote, in TypeScript or JavaScript, as it is, and each time anew. Throws whatever the module throws.
 *
 * @param begins called when all is ready, right before the first line of the user's code runs
 */
export async function loadModule(file: string, begins?: () => void): Promise<LoadedModule> {
  hooks ??= readyHooks();
  const { MARK } = await hooks;
  const mark = `${MARK}${++loaded}`;
  begins?.();
  try {
    return unwrapped(await import(pathToFileURL(file).href + mark));
  } catch (error) {
    throw withoutMark(error, mark);
  }
}

/** Once a thread: Node keeps them until it ends. */
async function readyHooks(): Promise<typeof import('./module-hooks.js')> {
  // Only here: most runs have no such file, and what reads TypeScript takes its time to load.
  const module = await import('./module-hooks.js');
  const self = ownModule();
  if ('registerHooks' in nodeModule) {
    module.registerHere(self);
  } else {
    register(threadFile(new URL('./module-hooks.js', ownUrl(import.meta.url))).href, { data: self });
  }
  return module;
}

/** It says `import { … } from 'gossamer'` also where only a global installation can be meant. Null where somebody has bundled the library. */
function ownModule(): string | null {
  try {
    return pathToFileURL(createRequire(ownUrl(import.meta.url)).resolve(SELF)).href;
  } catch {
    return null;
  }
}

/** What a compiler has made of `export default` for CommonJS is two levels deep. */
function unwrapped(module: LoadedModule): LoadedModule {
  const { default: outer } = module;
  const isCompiled = typeof outer === 'object' && outer !== null && '__esModule' in outer && 'default' in outer;
  return isCompiled ? (outer as LoadedModule) : module;
}

function withoutMark(error: unknown, mark: string): unknown {
  if (error instanceof Error && typeof error.message === 'string' && error.message.includes(mark)) {
    error.message = error.message.replaceAll(mark, '');
  }
  return error;
}

/** Node says so before it runs a line: a file that is imported is missing, or is not written as an ES module of JavaScript. */
const NOT_FOR_NODE: ReadonlySet<unknown> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_IMPORT_ATTRIBUTE_MISSING',
  'ERR_IMPORT_ASSERTION_TYPE_MISSING',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
]);

/**
 * Does the same, for a thread that loads the module once, because Node remembers it. A `.mjs` is left to Node alone where that can load it: a
 * compiler and the whole of this package cost more time than some hundred pages.
 */
export async function loadModuleOnce(file: string, begins: () => void): Promise<LoadedModule> {
  if (file.endsWith('.mjs')) {
    begins();
    try {
      return await import(pathToFileURL(file).href);
    } catch (error) {
      if (!(error instanceof SyntaxError || NOT_FOR_NODE.has((error as { code?: unknown } | null | undefined)?.code))) {
        throw error;
      }
    }
  }
  return loadModule(file, begins);
}
