import path from 'node:path';
import { printable } from '../base/text.js';
import type { HostPolicy } from '../url/host-policies.js';
import { describeValue } from './arguments.js';
import { withoutPassword } from './checks.js';
import { readEntries, readEntryTexts, type ValueReaders, writeEntry } from './host-entries.js';
import {
  type EnumSpec,
  FORMATS,
  FORMATS_OF_GRAPHS,
  type Format,
  type ListSpec,
  type NumberSpec,
  type OptionSpec,
  type OptionValue,
  type ReportTarget,
} from './option-spec.js';
import type { Origin } from './origin.js';
import { readDuration, readNumber, readSize, writeDuration, writeNumber, writeSize } from './units.js';

/** The units of numbers that a program gives. */
const UNITS: Partial<Record<OptionSpec['type'], string>> = { duration: ' of milliseconds', size: ' of bytes' };

const TRUE = ['true', '1', 'yes', 'on'];
const FALSE = ['false', '0', 'no', 'off'];

/** One text, as from a flag or a variable. A list gets its entries one by one through `readList`. */
export function readText(spec: Exclude<OptionSpec, ListSpec>, text: string, origin: Origin): OptionValue {
  switch (spec.type) {
    case 'boolean':
      return readBoolean(text, origin);
    case 'text':
    case 'path':
      return readPlain(spec, text, origin);
    case 'enum':
      return checkEnum(spec, text, origin);
    default:
      return readQuantity(spec, text, origin);
  }
}

export function readList(spec: ListSpec, texts: readonly string[], origin: Origin): OptionValue {
  const { item } = spec;
  if (item === 'host') {
    return readEntryTexts(texts, origin, READERS);
  }
  return item === 'report'
    ? texts.map((text) => readReport(spec, text, origin))
    : texts.map((text) => readPlain({ ...spec, type: item }, text, origin));
}

/** The entries of a list in a variable. */
export function splitVariable(spec: ListSpec, text: string): string[] {
  return text
    .split(spec.splitsAtComma ? /[\r\n,]+/ : /[\r\n]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** A value of a config file: numbers, booleans and arrays as such; durations and sizes also as on the command line. */
export function readConfigValue(spec: OptionSpec, value: unknown, origin: Origin): OptionValue {
  if (spec.type === 'list') {
    if (spec.item === 'host') {
      return readEntries(value, 'config', origin, READERS);
    }
    if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string')) {
      origin.fail(`must be an array of text${got(spec, value)}`);
    }
    return readList(spec, value, origin);
  }
  if (spec.type === 'boolean') {
    return typeof value === 'boolean' ? value : origin.fail(`must be true or false${got(spec, value)}`);
  }
  if (typeof value === 'number' && isQuantity(spec)) {
    return readText(spec, String(value), origin);
  }
  const takesText = !['integer', 'number'].includes(spec.type);
  if (typeof value !== 'string' || !takesText) {
    origin.fail(`must be ${takesText ? 'text' : 'a number'}${got(spec, value)}`);
  }
  return readText(spec, value, origin);
}

/** A value that is already in its normal form: from the store, or from a program that uses the library. */
export function checkValue(spec: OptionSpec, value: unknown, origin: Origin): OptionValue {
  if (value === null && spec.default === null) {
    return null;
  }
  if (spec.type === 'list' && spec.item === 'report') {
    const targets = Array.isArray(value) ? (value as Partial<ReportTarget>[]) : origin.fail('must be an array');
    if (!targets.every((target) => typeof target?.format === 'string' && typeof target.path === 'string')) {
      origin.fail(`must be an array of { format, path }, got ${describeValue(value)}`);
    }
    return targets.map((target) => readReport(spec, `${target.format}=${target.path}`, origin));
  }
  if (spec.type === 'list' && spec.item === 'host') {
    return readEntries(value, 'normal', origin, READERS);
  }
  if (isQuantity(spec)) {
    return typeof value === 'number'
      ? checkBounds(spec, value, String(value), origin)
      : origin.fail(`must be a number${UNITS[spec.type] ?? ''}, got ${describeValue(value)}`);
  }
  return readConfigValue(spec, value, origin);
}

const READERS: ValueReaders = { text: readText, list: readList, config: readConfigValue, normal: checkValue };

export function isQuantity(spec: OptionSpec): spec is NumberSpec {
  return ['integer', 'number', 'duration', 'size'].includes(spec.type);
}

/** A number in the unit in which users write it. */
export function writeQuantity(spec: NumberSpec, value: number): string {
  switch (spec.type) {
    case 'duration':
      return writeDuration(value);
    case 'size':
      return spec.perSecond ? `${writeSize(value)}/s` : writeSize(value);
    default:
      return writeNumber(value);
  }
}

export function writeValue(spec: OptionSpec, value: OptionValue): string {
  if (value === null) {
    return spec.defaultText ?? 'not set';
  }
  if (typeof value === 'number' && isQuantity(spec)) {
    return writeQuantity(spec, value);
  }
  if (typeof value === 'object') {
    return value.map(writeItem).join(', ') || 'none';
  }
  return String(value);
}

function writeItem(item: string | ReportTarget | HostPolicy, place: number, all: readonly unknown[]): string {
  if (typeof item === 'string') {
    return item;
  }
  return 'match' in item ? writeEntry(all as readonly HostPolicy[], place) : `${item.format}=${item.path}`;
}

function readQuantity(spec: NumberSpec, text: string, origin: Origin): number {
  const value = parseQuantity(spec, text);
  if (value === null) {
    const kinds = {
      integer: 'a whole number',
      number: 'a number',
      duration: `a time such as 500ms, 10s, 5m, 2h or 1d`,
      size: 'a size such as 512KiB, 10MiB or 1GiB',
    };
    // The name of such a variable says its unit already.
    const kind = origin.name.endsWith('_SECS') ? 'a number of seconds such as 60' : kinds[spec.type];
    origin.fail(`must be ${kind}, got ${shown(text)}`);
  }
  return checkBounds(spec, value, text, origin);
}

function parseQuantity(spec: NumberSpec, text: string): number | null {
  switch (spec.type) {
    case 'duration':
      return readDuration(text, spec.bareUnit ?? 's');
    case 'size':
      return readSize(spec.perSecond ? text.replace(/\/s$/, '') : text);
    default:
      return readNumber(text);
  }
}

function checkBounds(spec: NumberSpec, value: number, text: string, origin: Origin): number {
  if (spec.type === 'integer' && !Number.isInteger(value)) {
    origin.fail(`must be a whole number, got ${shown(text)}`);
  }
  // Written so that NaN is refused too.
  if (!(value >= spec.min && value <= spec.max)) {
    const range =
      spec.max === Number.MAX_SAFE_INTEGER
        ? `at least ${writeQuantity(spec, spec.min)}`
        : `from ${writeQuantity(spec, spec.min)} to ${writeQuantity(spec, spec.max)}`;
    origin.fail(`must be ${range}, got ${shown(text)}`);
  }
  return value;
}

function readBoolean(text: string, origin: Origin): boolean {
  const word = text.trim().toLowerCase();
  if (TRUE.includes(word)) {
    return true;
  }
  return FALSE.includes(word) ? false : origin.fail(`must be true or false, got ${shown(text)}`);
}

interface PlainSpec {
  readonly type: 'text' | 'path';
  readonly check?: (text: string) => string | null;
  readonly secret?: true;
}

function readPlain(spec: PlainSpec, text: string, origin: Origin): string {
  // Any of these texts can end up in a request or a file name.
  if (/[\r\n\0]/.test(text)) {
    origin.fail('must not contain line breaks or NUL');
  }
  if (text.trim() === '') {
    origin.fail('must not be empty');
  }
  const problem = spec.check?.(text) ?? null;
  if (problem !== null) {
    origin.fail(`must be ${problem}${spec.secret ? '' : `, got ${shown(withoutPassword(text))}`}`);
  }
  // A file may be for one origin: 'https://HOST|FILE'.
  const [, address = '', path = text] = /^(https?:\/\/[^|]*\|)(.*)$/is.exec(text) ?? [];
  return spec.type === 'path' ? address + resolvePath(path, origin) : text;
}

function checkEnum(spec: EnumSpec, text: string, origin: Origin): string {
  if (spec.values.includes(text)) {
    return text;
  }
  const choice = `must be ${spec.values.length > 2 ? 'one of ' : ''}${spec.values.join(spec.values.length > 2 ? ', ' : ' or ')}`;
  return origin.fail(`${choice}, got ${shown(text)}${elsewhere(spec, text)}`);
}

const elsewhere = ({ flag }: EnumSpec, text: string): string =>
  flag === 'format' && (FORMATS_OF_GRAPHS as readonly string[]).includes(text) ? ', which `gossamer graph` writes' : '';

function readReport({ values = FORMATS }: ListSpec, text: string, origin: Origin): ReportTarget {
  const split = text.indexOf('=');
  const format = text.slice(0, Math.max(0, split));
  const file = text.slice(split + 1);
  if (!values.includes(format) || file.trim() === '' || /[\r\n\0]/.test(file)) {
    origin.fail(`must be FORMAT=FILE with one of ${values.join(', ')}, got ${shown(text)}`);
  }
  return { format: format as Format, path: resolvePath(file, origin) };
}

function resolvePath(text: string, origin: Origin): string {
  return text === '-' ? text : path.resolve(origin.folder, text);
}

function shown(text: string): string {
  return text === '' ? 'nothing' : printable(text, 100);
}

/** A value that may hold a credential is not repeated, even if its form is wrong. */
function got(spec: OptionSpec, value: unknown): string {
  return spec.secret ? '' : `, got ${describeValue(value)}`;
}
