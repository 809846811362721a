import { pathToFileURL } from 'node:url';

/** This package by its own name: the module that a program would import. */
const SELF: string = 'gossamer';

/**
 * Loads a module that the user wrote, in TypeScript or JavaScript, as it is. Throws whatever the module throws.
 *
 * @param begins called when all is ready, right before the first line of the user's code runs
 */
export async function loadModule(file: string, begins?: () => void): Promise<LoadedModule> {
  // Only here: most runs have no such file, and jiti is a good part of what a start costs.
  const { createJiti } = await import('jiti/static');
  // No cache on disk: reading a file of the user's must not write anywhere.
  const jiti = createJiti(pathToFileURL(file).href, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    // It says `import { … } from 'gossamer'` also where only a global installation can be meant.
    virtualModules: { [SELF]: await import(SELF) },
  });
  begins?.();
  return jiti.import(file);
}

export interface LoadedModule {
  readonly default?: unknown;
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
