import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { StateError } from '../base/errors.js';
import { loadModule } from '../base/load-module.js';
import { printable } from '../base/text.js';
import { firstBadLine } from '../base/utf8.js';
import type { GossamerConfig } from './gossamer-config.js';
import { findJsonFault, lineAt } from './json-fault.js';

const NAMES = ['gossamer.config.ts', 'gossamer.config.js', 'gossamer.config.json'];

export interface ConfigFile {
  readonly path: string;
  /** Relative paths in it start here. */
  readonly folder: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The file of `--config` or GOSSAMER_CONFIG, else gossamer.config.* in the current folder, else null. */
export async function loadConfigFile(input: {
  readonly flags: { readonly config?: unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}): Promise<ConfigFile | null> {
  const cwd = input.cwd ?? process.cwd();
  const named = input.flags.config ?? (input.env.GOSSAMER_CONFIG || undefined);
  if (named !== undefined) {
    return readConfigFile(path.resolve(cwd, String(named)));
  }
  const present = NAMES.filter((name) => existsSync(path.join(cwd, name)));
  if (present.length > 1) {
    throw new StateError('config', `${present.join(' and ')} are both in ${cwd}: keep one, or choose with --config`);
  }
  return present[0] === undefined ? null : readConfigFile(path.join(cwd, present[0]));
}

async function readConfigFile(file: string): Promise<ConfigFile> {
  const read = { '.json': readJson, '.ts': readModule, '.js': readModule, '.mjs': readModule, '.mts': readModule }[
    path.extname(file)
  ];
  if (read === undefined) {
    throw new StateError('config', `${file}: a config file ends in .ts, .js or .json`);
  }
  if (!existsSync(file)) {
    throw new StateError('config', `${file}: there is no such config file`);
  }
  const values = await read(file);
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new StateError('config', `${file}: must hold an object of options`);
  }
  return { path: file, folder: path.dirname(file), values: values as Record<string, unknown> };
}

async function readJson(file: string): Promise<unknown> {
  const text = (await readText(file)).replace(/^\ufeff/, '');
  try {
    return JSON.parse(text);
  } catch (cause) {
    const fault = findJsonFault(text) ?? text.length;
    const found = fault >= text.length ? 'it ends too early' : `unexpected ${printable(text.slice(fault, fault + 20))}`;
    throw new StateError('config', `${file}: not JSON at line ${lineAt(text, fault)}: ${found}`, { cause });
  }
}

async function readText(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw new StateError('config', `${file}: cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
  const bad = firstBadLine(bytes);
  if (bad !== null) {
    throw new StateError('config', `${file}: line ${bad.line} ${bad.problem}`);
  }
  return bytes.toString('utf8');
}

async function readModule(file: string): Promise<unknown> {
  // Only for what is wrong with it: a module is read by its loader.
  await readText(file);
  let module: { readonly default?: unknown };
  try {
    module = await loadModule(file);
  } catch (cause) {
    throw new StateError('config', `${file}: ${printable(cause instanceof Error ? cause.message : String(cause))}`, {
      cause,
    });
  }
  if (module.default === undefined) {
    throw new StateError('config', `${file}: must have a default export, an object of options`);
  }
  return module.default;
}

/** Gives an editor the names and types of a config file; the values come back as they are. */
export const defineConfig = (config: GossamerConfig): GossamerConfig => config;
