import { isHarmlessHeader, readHeaderLine, TO_SEEDS } from '../base/header-line.js';
import { printable } from '../base/text.js';
import { HostPolicies, type HostPolicy } from '../url/host-policies.js';
import type { Command } from './commands.js';
import { type HostRule, rulesForHost } from './host-entries.js';
import type { OptionSpec, OptionValue } from './option-spec.js';
import { OPTION_KEYS, type OptionKey, specOf, usesOption } from './options.js';
import type { Source } from './origin.js';
import { writeValue } from './values.js';

const HIDDEN = '***';
interface InForce {
  readonly options: object;
  readonly sources: object;
}

/** The value without the credentials in it; the same value where there are none. */
export function redact(spec: OptionSpec, value: OptionValue): OptionValue {
  if (!spec.secret || value === null) {
    return value;
  }
  if (spec.type === 'list' && spec.item === 'host') {
    return (value as readonly HostPolicy[]).map(hideInPolicy);
  }
  const hide = spec.flag === 'header' ? hideHeader : spec.flag === 'user' ? hidePassword : hideUrlCredentials;
  return Array.isArray(value) ? (value as readonly string[]).map(hide) : hide(String(value));
}

/**
 * The answer to `--print-config`: one line an option, with its value and where it comes from. Below them stands what entries of `hosts` say of the
 * hosts that were named on the command line.
 */
export function printConfig(command: Command, inForce: InForce, urls: readonly string[] = []): string {
  const rows = entries(command, inForce).map(({ spec, value, source }) => [
    `--${spec.flag}`,
    printable(writeValue(spec, value)),
    printable(source),
  ]);
  const applied = appliedTo(inForce, urls);
  const widths = [0, 1].map((column) => Math.min(60, Math.max(...rows.map((row) => row[column]!.length))));
  return rows
    .map(([flag, value, source]) => `${flag!.padEnd(widths[0]!)}  ${value!.padEnd(widths[1]!)}  ${source}\n`)
    .concat(applied.map(({ host, rules }) => rules.map(({ value, name }) => `${host}  ${value}  ${name}\n`).join('')))
    .join('');
}

/** The same as JSON, by option key and in normal units. */
export function printConfigJson(command: Command, inForce: InForce, urls: readonly string[] = []): string {
  const applied = appliedTo(inForce, urls);
  const facts = entries(command, inForce).map(({ key, value, source }) => [
    key,
    { value, source, ...(key === 'hosts' && applied.length > 0 ? { appliedTo: applied } : {}) },
  ]);
  return `${JSON.stringify(Object.fromEntries(facts), null, 2)}\n`;
}

/** What holds for the hosts of these URLs by `hosts`. */
function appliedTo({ options }: InForce, urls: readonly string[]): { host: string; rules: HostRule[] }[] {
  const { hosts = [] } = options as { hosts?: readonly HostPolicy[] };
  const shown = hosts.map(hideInPolicy);
  const policies = new HostPolicies(shown);
  const found = new Map<string, HostRule[]>();
  for (const text of policies.isEmpty ? [] : urls) {
    // A bare domain is asked by https first.
    const url = [text, `https://${text}`].find((each) => /^https?:\/\//i.test(each) && URL.canParse(each));
    const { origin, host } = url === undefined ? { origin: '', host: '' } : new URL(url);
    const rules = origin === '' ? [] : rulesForHost(shown, policies, `${origin}/`);
    if (rules.length > 0) {
      found.set(host, rules);
    }
  }
  return [...found].map(([host, rules]) => ({ host, rules }));
}

function entries(command: Command, { options, sources }: InForce) {
  const values = options as Partial<Record<OptionKey, OptionValue>>;
  return OPTION_KEYS.filter((key) => usesOption(command, specOf(key)) && key !== 'printConfig').map((key) => ({
    key,
    spec: specOf(key),
    value: redact(specOf(key), values[key] ?? null),
    source: (sources as Partial<Record<OptionKey, Source>>)[key] ?? 'default',
  }));
}

function hideInPolicy(policy: HostPolicy): HostPolicy {
  const { headers, proxy } = policy;
  const hidden = Object.entries(headers ?? {}).map(([name, text]) => [name, isHarmlessHeader(name) ? text : HIDDEN]);
  return {
    ...policy,
    ...(headers === undefined ? {} : { headers: Object.fromEntries(hidden) as Record<string, string> }),
    ...(proxy === undefined ? {} : { proxy: hideUrlCredentials(proxy) }),
  };
}

function hideHeader(line: string): string {
  const header = readHeaderLine(line);
  if (header === null) {
    return HIDDEN;
  }
  const { to, name } = header;
  return isHarmlessHeader(name) ? line : `${to === TO_SEEDS ? '' : `${to}|`}${name}: ${HIDDEN}`;
}

function hidePassword(user: string): string {
  return `${user.slice(0, user.indexOf(':'))}:${HIDDEN}`;
}

function hideUrlCredentials(text: string): string {
  // Everything up to the last @ of the authority, as URL parsers read it.
  return text.replace(/^((?:[a-z][a-z0-9+.-]*:)?[\\/]+|)[^\\/?#]*@/i, `$1${HIDDEN}@`);
}
