import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { ConfigFile } from './config-file.js';
import { refuseLaterOption } from './later.js';
import { CONFIG_FILE_KEYS, configKeyOf, OPTION_KEYS, specOf, variableOf } from './options.js';
import { didYouMean, nearest } from './suggest.js';

const PREFIX = 'GOSSAMER_';
const SPECS = OPTION_KEYS.map(specOf);
const VARIABLES = new Set(SPECS.map(variableOf));
const CONFIG_KEYS = new Set(CONFIG_FILE_KEYS.map(specOf).map(configKeyOf));

/** Refuses a GOSSAMER_… variable that is no option's, by name. */
export function checkVariables(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith(PREFIX) && value !== undefined && !VARIABLES.has(name)) {
      const flag = name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-');
      throw new UsageError(
        refuseLaterOption(flag, name, value) ??
          `unknown variable ${printable(name, 100)}${didYouMean(meant(flag, variableOf) ?? nearest(name, VARIABLES))}`,
      );
    }
  }
}

/** Refuses a key that no option has, by name and file. */
export function checkConfigKeys(file: ConfigFile): void {
  for (const [key, value] of Object.entries(file.values)) {
    // Says to an editor how to check the file.
    const isForEditors = key === '$schema' && file.path.endsWith('.json');
    if (!CONFIG_KEYS.has(key) && key !== 'check' && !isForEditors) {
      const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-');
      const later = refuseLaterOption(flag, key, typeof value === 'object' ? undefined : String(value));
      const unknown = `unknown key ${printable(key, 100)}${didYouMean(meant(flag, configKeyOf) ?? nearest(key, CONFIG_KEYS))}`;
      throw new StateError('config', `${file.path}: ${later ?? unknown}`);
    }
  }
}

/** The option whose flag or second flag this is, spelt as in a variable or a config file. */
function meant(flag: string, spell: (spec: (typeof SPECS)[number]) => string): string | null {
  const spec = SPECS.find((candidate) => candidate.alias === flag || (candidate.flag === flag && flag !== 'config'));
  return spec === undefined ? null : spell(spec);
}
