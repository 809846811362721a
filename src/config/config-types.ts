import { describeKey } from './describe.js';
import { CONFIG_FILE_KEYS, configKeyOf, specOf, variableOf } from './options.js';

/** gossamer-config.d.ts as it is in the package: the same type as in the source, with a comment at each key. */
export function renderConfigTypes(): string {
  return `import type { CheckConfig } from './check-config.js';
import type { ConfigValue } from './config-value.js';

/** What a config file exports: flags in camelCase; durations and sizes as on the command line. */
export interface GossamerConfig {
${CONFIG_FILE_KEYS.map(renderKey).join('\n')}
  /** Rules of \`gossamer check\`. */
  readonly check?: CheckConfig;
}
`;
}

function renderKey(key: (typeof CONFIG_FILE_KEYS)[number]): string {
  const spec = specOf(key);
  const sentence = `${describeKey(spec)} The same as --${spec.flag} and ${variableOf(spec)}.`;
  // No sentence may end the comment that it stands in.
  return `  /** ${sentence.replaceAll('*/', '*\\/')} */\n  readonly ${configKeyOf(spec)}?: ConfigValue<'${key}'>;`;
}
