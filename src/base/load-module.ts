import { pathToFileURL } from 'node:url';

/** This package by its own name: the module that a program would import. */
const SELF: string = 'gossamer';

/**
 * Loads a module that the user wrote, in TypeScript or JavaScript, as it is. Throws whatever the module throws.
 *
 * @param begins called when all is ready, right before the first line of the user's code runs
 */
export async function loadModule(file: string, begins?: () => void): Promise<{ readonly default?: unknown }> {
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
