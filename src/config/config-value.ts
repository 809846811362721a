import type { ValueOf } from './option-spec.js';
import type { OPTIONS, OptionKey } from './options.js';

type Gap = '' | ' ';
/** Bare numbers are seconds, but milliseconds for `delay`. */
export type ConfigDuration = number | `${number}` | `${number}${Gap}${'ms' | 's' | 'm' | 'h' | 'd'}`;
/** All units are powers of 1024; bare numbers are bytes. */
export type ConfigSize = number | `${number}` | `${number}${Gap}${'B' | `${'K' | 'M' | 'G' | 'T'}${'' | 'B' | 'iB'}`}`;

/** One entry of `hosts`: what holds for the hosts that match. Of each key the first entry counts that matches a host and has it. */
export interface HostEntry {
  /** A glob on names of hosts, such as `*.example.com`, or several; `https://` before it and a port behind it narrow it down. */
  readonly match: string | readonly string[];
  /** In the place of `delay`; Crawl-delay and Retry-After can only make it longer. */
  readonly delay?: ConfigDuration;
  /** Requests in flight to the host at most. */
  readonly maxInflight?: number;
  /** URLs fetched from the host at most. */
  readonly maxUrls?: number;
  /** Links from a seed at most, for URLs of the host. */
  readonly depth?: number;
  /** Sent to origins that match and to no other; one that may be secret needs a `match` with its scheme. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The agent that is sent to the host; its first product is what the host's robots.txt is matched by. */
  readonly userAgent?: string;
  /** The proxy for the host, or `none`. */
  readonly proxy?: string;
  /** Time for a whole request. */
  readonly timeout?: ConfigDuration;
  /** Which of its pages a browser renders before they are read. */
  readonly render?: 'never' | 'auto' | 'always';
  /** In the place of `include`, for URLs of the host. */
  readonly include?: readonly string[];
  /** Besides `exclude`, for URLs of the host. */
  readonly exclude?: readonly string[];
}

type ValueIn<Spec> = Spec extends { type: 'list'; item: 'host' }
  ? readonly (string | HostEntry)[]
  : Spec extends { type: 'list' }
    ? readonly string[]
    : Spec extends { type: 'duration' }
      ? ConfigDuration
      : Spec extends { type: 'size' }
        ? ConfigSize | (Spec extends { perSecond: true } ? `${Extract<ConfigSize, string>}/s` : never)
        : NonNullable<ValueOf<Spec>>;

/** How a value of the option is written in a config file. */
export type ConfigValue<Key extends OptionKey> = ValueIn<(typeof OPTIONS)[Key]>;
