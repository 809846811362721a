import { StateError, UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import type { ConfigFile } from './config-file.js';
import { refuseLaterOption } from './later.js';
import { CONFIG_FILE_KEYS, configKeyOf, OPTION_KEYS, type OptionKey, specOf, variableOf } from './options.js';
import { didYouMean, nearestName } from './suggest.js';

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
          `unknown variable ${printable(name, 100)}${didYouMean(meant(flag, variableOf) ?? nearestName(name, VARIABLES))}`,
      );
    }
  }
}

/** Refuses a key that no option has, by name and file. */
export function checkConfigKeys(file: ConfigFile): void {
  for (const [key, value] of Object.entries(file.values)) {
    // It tells an editor how to check the file.
    const isForEditors = key === '$schema' && file.path.endsWith('.json');
    if (!CONFIG_KEYS.has(key) && key !== 'check' && key !== 'audit' && !isForEditors) {
      const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-');
      const later = refuseLaterOption(flag, key, typeof value === 'object' ? undefined : String(value));
      const unknown = `unknown key ${printable(key, 100)}${didYouMean(meant(flag, configKeyOf) ?? nearestName(key, CONFIG_KEYS))}`;
      throw new StateError('config', `${file.path}: ${later ?? unknown}`);
    }
  }
}

/**
 * Refuses a key that no option of the library has. Whoever gives the flag, the variable or the config key instead is told the right key:
 * `delay`, `--delay` and `GOSSAMER_DELAY` are delayMs.
 * @param known the keys that exist
 */
export function checkOptionKeys(given: object, known: readonly string[], whose: string): void {
  const stranger = Object.keys(given).find((key) => !known.includes(key));
  if (stranger === undefined) {
    return;
  }
  const name = printable(stranger, 60);
  const key = keyMeantBy(stranger);
  if (key !== null && !known.includes(key)) {
    throw new UsageError(`${whose} takes no option ${name}: it belongs to other commands`);
  }
  throw new UsageError(`unknown option ${name}${didYouMean(key ?? nearestKey(stranger, known))}`);
}

/** The key of the option that has this flag, variable or key of a config file, in any of their spellings. */
function keyMeantBy(text: string): OptionKey | null {
  const flag = flagOf(text);
  const isOf = (key: OptionKey): boolean => {
    const { flag: own, alias, short, oldVariable } = specOf(key);
    return own === flag || alias === flag || text === `-${short}` || text === oldVariable || key === text;
  };
  return OPTION_KEYS.find(isOf) ?? null;
}

/** A mistyped flag is as near as a mistyped key: `dealy` is delayMs. */
function nearestKey(text: string, known: readonly string[]): string | null {
  const flags = new Map(OPTION_KEYS.filter((key) => known.includes(key)).map((key) => [specOf(key).flag, key]));
  return nearestName(text, known) ?? flags.get(nearestName(flagOf(text), flags.keys()) ?? '') ?? null;
}

function flagOf(text: string): string {
  const word = text.startsWith(PREFIX) ? text.slice(PREFIX.length).toLowerCase() : text;
  return word
    .replace(/^--?(?:no-)?/, '')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replaceAll('_', '-');
}

/** The option whose flag or second flag this is, spelt as in a variable or a config file. */
function meant(flag: string, spell: (spec: (typeof SPECS)[number]) => string): string | null {
  const spec = SPECS.find((candidate) => candidate.alias === flag || (candidate.flag === flag && flag !== 'config'));
  return spec === undefined ? null : spell(spec);
}
