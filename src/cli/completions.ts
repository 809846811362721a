import { COMMAND_SPECS, COMMANDS, type Command } from '../config/commands.js';
import type { OptionSpec } from '../config/option-spec.js';
import { acceptsOption, OPTION_KEYS, specFor } from '../config/options.js';

/** What a shell completes when Tab is pressed, for each shell a script that is made from the tables of commands and options. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const isShell = (name: string): name is Shell => (SHELLS as readonly string[]).includes(name);

export function completionScript(shell: Shell): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell]();
}

/** What may follow a flag: nothing (a switch), one of these words, a file, or a value that no shell can guess. */
type Value = 'none' | 'file' | 'any' | readonly string[];

interface Flag {
  readonly short: string | null;
  /** Without dashes; a switch has both of its forms. */
  readonly names: readonly string[];
  readonly value: Value;
  /** The value may be left out, and then stands behind `=` only. */
  readonly isOptional: boolean;
  readonly isRepeatable: boolean;
  readonly sentence: string;
}

function flagsOf(command: Command): Flag[] {
  const accepted = OPTION_KEYS.map((key) => specFor(command, key)).filter((spec) => acceptsOption(command, spec));
  return [...accepted.map(flagOf), HELP, VERSION];
}

const HELP = {
  ...{ short: 'h', names: ['help'], value: 'none', isOptional: false, isRepeatable: false },
  sentence: 'Show help',
} satisfies Flag;
const VERSION = { ...HELP, short: 'V', names: ['version'], sentence: 'Show the version' } satisfies Flag;

function flagOf(spec: OptionSpec): Flag {
  const aliases = spec.alias === undefined ? [] : [spec.alias];
  return {
    short: spec.short ?? null,
    names: [spec.flag, ...aliases, ...(spec.type === 'boolean' ? [`no-${spec.flag}`] : [])],
    value: whatFollows(spec),
    isOptional: spec.bare !== undefined,
    isRepeatable: spec.type === 'list',
    sentence: spec.sentence,
  };
}

function whatFollows(spec: OptionSpec): Value {
  switch (spec.type) {
    case 'boolean':
      return 'none';
    case 'enum':
      return spec.values;
    case 'path':
      return 'file';
    case 'list':
      return spec.item === 'path'
        ? 'file'
        : spec.item === 'report'
          ? (spec.values ?? []).map((each) => `${each}=`)
          : 'any';
    default:
      return 'any';
  }
}

/** What an argument of a command is, which its usage line says. */
function argumentOf(command: Command): 'folder' | 'file' | 'shell' | 'any' {
  const { usage } = COMMAND_SPECS[command];
  return usage.includes('shell')
    ? 'shell'
    : usage.includes('file')
      ? 'file'
      : /\bdir\b|\broot\b/.test(usage)
        ? 'folder'
        : 'any';
}

/** What several commands have in common stands once, with all of their names. */
function byCommands<T>(entriesOf: (command: Command) => readonly T[]): { entry: T; commands: Command[] }[] {
  const found = new Map<string, { entry: T; commands: Command[] }>();
  for (const command of COMMANDS) {
    for (const entry of entriesOf(command)) {
      const key = JSON.stringify(entry);
      const known = found.get(key) ?? { entry, commands: [] };
      known.commands.push(command);
      found.set(key, known);
    }
  }
  return [...found.values()];
}

const dashed = ({ short, names }: Flag): string[] => [
  ...(short === null ? [] : [`-${short}`]),
  ...names.map((name) => `--${name}`),
];

/** It has to run in the bash 3.2 of macOS, which has no `mapfile` and no `compopt`. */
function bashScript(): string {
  const values = byCommands((command) =>
    flagsOf(command)
      .filter(({ value }) => value !== 'none')
      .map((flag) => ({ flags: dashed(flag), value: flag.value })),
  );
  const words = (list: readonly string[]) => `_gossamer_words '${list.join(' ')}'`;
  const cases = values.map(({ entry: { flags, value }, commands }) => {
    const patterns = flags.flatMap((flag) =>
      commands.length === COMMANDS.length ? [`*' ${flag}'`] : commands.map((command) => `'${command} ${flag}'`),
    );
    const action = value === 'file' ? '_gossamer_files -f' : value === 'any' ? ':' : words(value as readonly string[]);
    return `    ${patterns.join('|')}) ${action}; return ;;`;
  });
  const flags = COMMANDS.map((command) => `    ${command}) ${words(flagsOf(command).flatMap(dashed))} ;;`);
  const argument = { folder: '_gossamer_files -d', file: '_gossamer_files -f', shell: words(SHELLS), any: ':' };
  return `# gossamer, for bash. To load it in every shell: gossamer completions bash > ~/.local/share/bash-completion/completions/gossamer
_gossamer_take() {
  local line
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(compgen "$@" -- "$word")
}

_gossamer_words() {
  local IFS=$' \\t\\n'
  _gossamer_take -W "$1"
  case "\${COMPREPLY[*]}" in
    *=) compopt -o nospace 2>/dev/null ;;
  esac
}

_gossamer_files() {
  _gossamer_take "$1"
  compopt -o filenames 2>/dev/null
}

_gossamer() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}" command='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${COMMANDS.join('|')}) command="\${COMP_WORDS[i]}"; break ;;
    esac
  done
  if [ -z "$command" ]; then
    _gossamer_words '${[...COMMANDS, '--help', '--version'].join(' ')}'
    return
  fi
  # Bash takes --flag=value for three words.
  if [ "$word" = '=' ]; then
    word=''
  elif [ "$before" = '=' ]; then
    before="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  case "$before" in
    -*) ;;
    *) [ "\${COMP_WORDS[COMP_CWORD - 1]}" != '=' ] || { _gossamer_files -f; return; } ;;
  esac
  case "$command $before" in
${cases.join('\n')}
  esac
  case "$word" in
    -*) ;;
    *)
      case "$command" in
${COMMANDS.map((command) => `        ${command}) ${argument[argumentOf(command)]} ;;`).join('\n')}
      esac
      return
      ;;
  esac
  case "$command" in
${flags.join('\n')}
  esac
}

complete -F _gossamer gossamer
`;
}

function zshScript(): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const described = (text: string) => text.replace(/[[\]:\\]/g, '\\$&');
  const shown = byCommands(flagsOf);
  const entries = shown.flatMap(({ entry, commands }) => {
    const all = dashed(entry);
    return all.map((flag) => {
      const others = entry.isRepeatable ? '*' : `(${all.join(' ')})`;
      return {
        commands,
        spec: quote(`${others}${flag}${zshEnding(flag, entry)}[${described(entry.sentence)}]${zshValue(entry)}`),
      };
    });
  });
  const indexes = (command: Command) =>
    entries.flatMap(({ commands }, i) => (commands.includes(command) ? [i + 1] : []));
  const argument = {
    folder: "'*:folder:_files -/'",
    file: "'*:file or URL:_files'",
    shell: `'1:shell:(${SHELLS.join(' ')})'`,
    any: "'*:argument: '",
  };
  return `#compdef gossamer
# gossamer, for zsh. To load it in every shell: gossamer completions zsh > a file named _gossamer in a folder of $fpath
_gossamer() {
  local -a commands options
  commands=(
${COMMANDS.map((command) => `    ${quote(`${command}:${COMMAND_SPECS[command].sentence}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    _arguments '(- *)--help[Show help]' '(- *)--version[Show the version]'
    return
  fi
  options=(
${entries.map(({ spec }) => `    ${spec}`).join('\n')}
  )
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${COMMANDS.map((command) => `    ${command}) _arguments -s ${ranges(indexes(command)).join(' ')} ${argument[argumentOf(command)]} ;;`).join('\n')}
  esac
}

if [ "$funcstack[1]" = _gossamer ]; then
  _gossamer "$@"
else
  compdef _gossamer gossamer
fi
`;
}

function zshEnding(flag: string, { value, isOptional }: Flag): string {
  if (value === 'none') {
    return '';
  }
  return flag.startsWith('--') ? (isOptional ? '=-' : '=') : '+';
}

function zshValue({ value, isOptional }: Flag): string {
  if (value === 'none') {
    return '';
  }
  const action = value === 'file' ? '_files' : value === 'any' ? ' ' : `(${(value as readonly string[]).join(' ')})`;
  return `${isOptional ? '::' : ':'}value:${action}`;
}

/** The elements of the array `options`, those that stand side by side as one range. */
function ranges(indexes: readonly number[]): string[] {
  const found: [number, number][] = [];
  for (const index of indexes) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === index - 1) {
      last[1] = index;
    } else {
      found.push([index, index]);
    }
  }
  return found.map(([from, to]) => `"\${(@)options[${from},${to}]}"`);
}

function fishScript(): string {
  const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const commands = COMMANDS.map(
    (command) =>
      `complete -c gossamer -n __fish_use_subcommand -f -a ${command} -d ${quote(COMMAND_SPECS[command].sentence)}`,
  );
  const flags = byCommands(flagsOf).map(
    ({ entry: { short, names, value, isOptional, sentence }, commands: takers }) => {
      const when = `-n '__fish_seen_subcommand_from ${takers.join(' ')}'`;
      const called = [...(short === null ? [] : [`-s ${short}`]), ...names.map((name) => `-l ${name}`)].join(' ');
      const needed = isOptional ? '' : ' -r';
      const follows =
        value === 'none'
          ? ''
          : value === 'file'
            ? `${needed} -F`
            : value === 'any'
              ? `${needed} -f`
              : `${needed} -f -a '${(value as readonly string[]).join(' ')}'`;
      return `complete -c gossamer ${when} ${called}${follows} -d ${quote(sentence)}`;
    },
  );
  const argument = {
    folder: "-f -a '(__fish_complete_directories)'",
    file: '-F',
    shell: `-f -a '${SHELLS.join(' ')}'`,
    any: '-f',
  };
  const args = COMMANDS.map(
    (command) => `complete -c gossamer -n '__fish_seen_subcommand_from ${command}' ${argument[argumentOf(command)]}`,
  );
  return `# gossamer, for fish. To load it in every shell: gossamer completions fish > ~/.config/fish/completions/gossamer.fish
${[...commands, ...args, ...flags].join('\n')}
`;
}
