import { COMMAND_SPECS, COMMANDS, type Command } from '../config/commands.js';
import { describeFlags, describeOption, describePreset, groupsOf, type OptionGroup } from '../config/describe.js';
import { type OptionSpec, PRESETS } from '../config/option-spec.js';
import { acceptsOption, specOf } from '../config/options.js';
import { VERSION } from '../config/version.js';

const WIDTH = 100;
const LEFT = 34;
/** A figure and its unit stay on one line. */
const BREAK = / (?!(?:ms|[smhdB]|[KMGT]iB)\b|%)/;

export function versionText(): string {
  return `gossamer ${VERSION}\n`;
}

/** `gossamer --help`. */
export function programHelp(): string {
  const commands = COMMANDS.map((name) =>
    entry(`  ${name} ${COMMAND_SPECS[name].usage}`, COMMAND_SPECS[name].sentence, 20),
  );
  return lines(
    'Usage: gossamer <command> [options]',
    '',
    'A polite, exact and durable web crawler.',
    '',
    'Commands:',
    ...commands,
    '',
    'Options:',
    ...ACTION_ENTRIES,
    '',
    'Examples:',
    ...COMMANDS.slice(0, 3).map((name) => `  ${COMMAND_SPECS[name].examples[0]}`),
    '',
    ...wrap(
      'gossamer <command> --help lists the options of a command. Every option can also be a variable (GOSSAMER_MAX_URLS) or a key of gossamer.config.ts, .js or .json (maxUrls); --print-config shows what is in force.',
      WIDTH,
    ),
  );
}

/** `gossamer <command> --help`. */
export function commandHelp(command: Command): string {
  const { usage, sentence, examples } = COMMAND_SPECS[command];
  const advanced = groupsOf(command, true);
  return lines(
    `Usage: gossamer ${command} ${usage} [options]`,
    '',
    ...wrap(sentence, WIDTH),
    ...groupsOf(command, false).flatMap((group) => section(group.title, group, command)),
    ...ACTION_ENTRIES,
    ...(advanced.length === 0 ? [] : ['', 'Advanced (rarely needed)']),
    ...advanced.flatMap((group) => section(`  ${group.title}`, group, command)),
    ...(acceptsOption(command, specOf('preset')) ? ['', 'Presets:', ...presetEntries()] : []),
    '',
    'Times: ms s m h d; a bare number is seconds (ms for --delay). Sizes: B KiB MiB GiB TiB.',
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
  );
}

const ACTION_ENTRIES = [
  entry('  -h, --help', 'Show this help, or that of a command', LEFT),
  entry('  -V, --version', 'Show the version', LEFT),
];

const presetEntries = (): string[] => PRESETS.map((name) => entry(`  ${name}`, describePreset(name), LEFT));

function section(title: string, group: OptionGroup, command: Command): string[] {
  return ['', `${title}:`, ...group.specs.map((spec) => entry(leftColumn(spec), describeOption(spec, command), LEFT))];
}

function leftColumn(spec: OptionSpec): string {
  return `  ${spec.short === undefined ? '    ' : `-${spec.short}, `}${describeFlags(spec)}`;
}

/** Text beside what it explains, or below it where that is too long. */
function entry(left: string, text: string, column: number): string {
  const [first = '', ...rest] = wrap(text, WIDTH - column);
  const indent = ' '.repeat(column);
  const below = rest.map((line) => `${indent}${line}`);
  return left.length + 2 > column
    ? [left, `${indent}${first}`, ...below].join('\n')
    : [`${left.padEnd(column)}${first}`, ...below].join('\n');
}

function wrap(text: string, width: number): string[] {
  const wrapped: string[] = [];
  let line = '';
  for (const word of text.split(BREAK)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      wrapped.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...wrapped, line];
}

function lines(...parts: readonly string[]): string {
  return `${parts.join('\n')}\n`;
}
