import { readHeaderLine, TO_SEEDS } from '../base/header-line.js';
import { printable } from '../base/text.js';
import type { Command } from './commands.js';
import type { OptionSpec, OptionValue } from './option-spec.js';
import { OPTION_KEYS, type OptionKey, specOf, usesOption } from './options.js';
import type { Source } from './origin.js';
import { writeValue } from './values.js';

const HIDDEN = '***';
/** Any other header may hold a secret, whatever its name. */
const HARMLESS_HEADER =
  /^(?:accept(?:-charset|-encoding|-language)?|cache-control|dnt|from|pragma|prefer|save-data|sec-(?:ch|fetch|gpc)[\w-]*|upgrade-insecure-requests|user-agent|x-requested-with)$/i;

interface InForce {
  readonly options: object;
  readonly sources: object;
}

/** The value without the credentials in it; the same value where there are none. */
export function redact(spec: OptionSpec, value: OptionValue): OptionValue {
  if (!spec.secret || value === null) {
    return value;
  }
  const hide = spec.flag === 'header' ? hideHeader : spec.flag === 'user' ? hidePassword : hideUrlCredentials;
  return Array.isArray(value) ? (value as readonly string[]).map(hide) : hide(String(value));
}

/** The answer to `--print-config`: one line an option, with its value and where it comes from. */
export function printConfig(command: Command, inForce: InForce): string {
  const rows = entries(command, inForce).map(({ spec, value, source }) => [
    `--${spec.flag}`,
    printable(writeValue(spec, value)),
    printable(source),
  ]);
  const widths = [0, 1].map((column) => Math.min(60, Math.max(...rows.map((row) => row[column]!.length))));
  return rows
    .map(([flag, value, source]) => `${flag!.padEnd(widths[0]!)}  ${value!.padEnd(widths[1]!)}  ${source}\n`)
    .join('');
}

/** The same as JSON, by option key and in normal units. */
export function printConfigJson(command: Command, inForce: InForce): string {
  const facts = entries(command, inForce).map(({ key, value, source }) => [key, { value, source }]);
  return `${JSON.stringify(Object.fromEntries(facts), null, 2)}\n`;
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

function hideHeader(line: string): string {
  const header = readHeaderLine(line);
  if (header === null) {
    return HIDDEN;
  }
  const { to, name } = header;
  return HARMLESS_HEADER.test(name) ? line : `${to === TO_SEEDS ? '' : `${to}|`}${name}: ${HIDDEN}`;
}

function hidePassword(user: string): string {
  return `${user.slice(0, user.indexOf(':'))}:${HIDDEN}`;
}

function hideUrlCredentials(text: string): string {
  // Everything up to the last @ of the authority, as URL parsers read it.
  return text.replace(/^((?:[a-z][a-z0-9+.-]*:)?[\\/]+|)[^\\/?#]*@/i, `$1${HIDDEN}@`);
}
