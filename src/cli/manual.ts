import { COMMAND_SPECS, COMMANDS } from '../config/commands.js';
import { describeFlags, describeOption, describePreset, groupsOf, type OptionGroup } from '../config/describe.js';
import { type OptionSpec, PRESETS } from '../config/option-spec.js';
import { acceptsOption } from '../config/options.js';
import { variablesOf } from '../config/origin.js';
import { VERSION } from '../config/version.js';

/** The page of `man gossamer`, from the tables of commands and options. The build writes it to dist/man/gossamer.1. */
export function manual(): string {
  return `${[
    `.TH GOSSAMER 1 "" "gossamer ${VERSION}" "User Commands"`,
    section('NAME', 'gossamer \\- a polite, exact and durable web crawler'),
    '.SH SYNOPSIS',
    ...COMMANDS.map((name) => `.B gossamer ${name}\n${text(COMMAND_SPECS[name].usage)} [options]\n.br`),
    section(
      'DESCRIPTION',
      text(
        'Gossamer crawls web sites, checks their links and makes Markdown of their documentation. A crawl keeps everything in one directory. It can be stopped or killed at any moment; gossamer resume goes on with it.',
      ),
    ),
    '.SH COMMANDS',
    ...COMMANDS.map((name) => entry(name, COMMAND_SPECS[name].sentence)),
    section('OPTIONS', text('Behind each option stand the commands that take it.')),
    ...groups().flatMap(({ title, specs }) => [`.SS ${text(title)}`, ...specs.map(option)]),
    '.SH PRESETS',
    ...PRESETS.map((name) => entry(`--preset ${name}`, describePreset(name))),
    section(
      'ENVIRONMENT',
      text(
        'Every option is also a variable: GOSSAMER_ and the name of the flag in capitals, with _ for -. A flag wins over a variable, a variable over the config file.',
      ),
    ),
    '.SH FILES',
    entry('gossamer.config.ts, gossamer.config.js, gossamer.config.json', 'The config file, in the current folder.'),
    entry('gossamer-data/<host>', 'What a crawl keeps, unless --data-dir names another directory.'),
    '.SH EXIT STATUS',
    ...EXIT_CODES.map(([code, meaning]) => entry(code, meaning)),
    '.SH EXAMPLES',
    ...COMMANDS.flatMap((name) => COMMAND_SPECS[name].examples.slice(0, 2)).map(
      (example) => `.PP\n.EX\n${text(example)}\n.EE`,
    ),
  ].join('\n')}\n`;
}

const EXIT_CODES = [
  ['0', 'All went well, also where a limit ended the crawl.'],
  [
    '1',
    'check: links are broken. robots: not allowed. diff: something differs. audit: what --fail-on names was found.',
  ],
  ['2', 'The command line is wrong.'],
  ['3', 'The configuration, the directory, the disk or the store. What was committed is kept.'],
  ['4', 'No seed could be reached, or robots.txt forbids it.'],
  ['130, 143', 'Interrupted. gossamer resume goes on.'],
] as const;

/** All options, whoever takes them, those that are rarely needed after the others of their group. */
function groups(): OptionGroup[] {
  const found = new Map<string, OptionSpec[]>();
  for (const advanced of [false, true]) {
    for (const { title, specs } of COMMANDS.flatMap((command) => groupsOf(command, advanced))) {
      const known = found.get(title) ?? [];
      found.set(title, [...known, ...specs.filter((spec) => !known.includes(spec))]);
    }
  }
  return [...found].map(([title, specs]) => ({ title, specs }));
}

function option(spec: OptionSpec): string {
  const takers = COMMANDS.filter((command) => acceptsOption(command, spec));
  const who = takers.length === COMMANDS.length ? 'all commands' : takers.join(', ');
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  return entry(
    `${short}${describeFlags(spec)}`,
    `${describeOption(spec)}. ${variablesOf(spec).join(', ')}. Taken by: ${who}.`,
  );
}

const section = (title: string, body: string): string => `.SH ${title}\n${body}`;
const entry = (term: string, meaning: string): string => `.TP\n.B ${text(term)}\n${text(meaning)}`;

/** A backslash, and a full stop or an apostrophe at the start of a line, mean something to the formatter. */
function text(words: string): string {
  return words.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/gm, '\\&$&');
}
