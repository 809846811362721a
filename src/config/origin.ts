import { StateError, UsageError } from '../base/errors.js';
import type { OptionSpec, Preset } from './option-spec.js';
import { configKeyOf, variableOf } from './options.js';

export type Source =
  | 'default'
  | 'flag'
  | 'stored'
  | 'given'
  | `variable ${string}`
  | `config file ${string}`
  | `preset ${Preset}`;

/** Where a value comes from: how messages name it, what its relative paths start from, and which exit code it ends with. */
export interface Origin {
  readonly source: Source;
  readonly name: string;
  readonly folder: string;
  fail(problem: string): never;
  /** A place within the value, such as `[2].delay`, named together with where it comes from. */
  within(place: string): Origin;
}

export function flagOrigin(spec: OptionSpec, folder: string): Origin {
  return usageOrigin('flag', `--${spec.flag}`, folder);
}

export function variableOrigin(variable: string, folder: string): Origin {
  return usageOrigin(`variable ${variable}`, variable, folder);
}

export function givenOrigin(key: string): Origin {
  return usageOrigin('given', key, process.cwd());
}

export function configOrigin(spec: OptionSpec, path: string, folder: string): Origin {
  return stateOrigin(`config file ${path}`, `${path}: ${configKeyOf(spec)}`, folder, 'config');
}

export function storedOrigin(spec: OptionSpec): Origin {
  return stateOrigin('stored', `the stored value of ${configKeyOf(spec)}`, '/', 'store');
}

/** All names under which a variable sets the option, the strongest first. */
export function variablesOf(spec: OptionSpec): string[] {
  return spec.oldVariable === undefined ? [variableOf(spec)] : [variableOf(spec), spec.oldVariable];
}

function usageOrigin(source: Source, name: string, folder: string): Origin {
  return {
    source,
    name,
    folder,
    fail(problem) {
      throw new UsageError(`${name} ${problem}`);
    },
    within: (place) => usageOrigin(source, name + place, folder),
  };
}

function stateOrigin(source: Source, name: string, folder: string, code: string): Origin {
  return {
    source,
    name,
    folder,
    fail(problem) {
      throw new StateError(code, `${name} ${problem}`);
    },
    within: (place) => stateOrigin(source, name + place, folder, code),
  };
}
