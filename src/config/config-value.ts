import type { OptionSpec, ValueOf } from './option-spec.js';
import type { OPTIONS, OptionKey } from './options.js';

type Gap = '' | ' ';
/** Bare numbers are seconds, but milliseconds for `delay`. */
export type ConfigDuration = number | `${number}` | `${number}${Gap}${'ms' | 's' | 'm' | 'h' | 'd'}`;
/** All units are powers of 1024; bare numbers are bytes. */
export type ConfigSize = number | `${number}` | `${number}${Gap}${'B' | `${'K' | 'M' | 'G' | 'T'}${'' | 'B' | 'iB'}`}`;

type ValueIn<Spec extends OptionSpec> = Spec extends { type: 'list' }
  ? readonly string[]
  : Spec extends { type: 'duration' }
    ? ConfigDuration
    : Spec extends { type: 'size' }
      ? ConfigSize | (Spec extends { perSecond: true } ? `${Extract<ConfigSize, string>}/s` : never)
      : NonNullable<ValueOf<Spec>>;

/** How a value of the option is written in a config file. */
export type ConfigValue<Key extends OptionKey> = ValueIn<(typeof OPTIONS)[Key]>;
