import type { AuditConfig } from './audit-config.js';
import type { CheckConfig } from './check-config.js';
import type { ConfigValue } from './config-value.js';
import type { OPTIONS, OptionKey } from './options.js';

type CamelCase<Flag extends string> = Flag extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Flag;

type KeyOf<Spec extends { flag: string }> = Spec extends { configKey: infer Key extends string }
  ? Key
  : CamelCase<Spec['flag']>;

/**
 * What a config file exports: flags in camelCase; durations and sizes as on the command line. In the package this type is written out
 * option by option (config-types.ts), so that an editor shows the sentence of each.
 */
export type GossamerConfig = {
  readonly [K in Exclude<OptionKey, 'config'> as KeyOf<(typeof OPTIONS)[K]>]?: ConfigValue<K>;
} & {
  readonly check?: CheckConfig;
  readonly audit?: AuditConfig;
};
