import { parseArgs as parseTokens } from 'node:util';
import { UsageError } from '../base/errors.js';
import { printable } from '../base/text.js';
import { COMMAND_SPECS, COMMANDS, type Command, isCommand } from '../config/commands.js';
import { gossamerNameOf, refuseLaterOption } from '../config/later.js';
import { acceptsOption, OPTION_KEYS, type OptionKey, specOf } from '../config/options.js';
import type { RawFlags } from '../config/resolve.js';
import { didYouMean, nearestName } from '../config/suggest.js';

export interface ParsedArgs {
  /** null: only with `help` or `version`, or when there was nothing on the command line. */
  readonly command: Command | null;
  readonly positionals: readonly string[];
  readonly flags: RawFlags;
  readonly help: boolean;
  readonly version: boolean;
}

/** These commands check their seeds themselves, and say what is wrong with an empty one. */
const TAKES_SEEDS: ReadonlySet<Command> = new Set(['crawl', 'check', 'docs', 'preview', 'robots', 'add']);
const ACTIONS: Readonly<Record<string, string>> = { help: 'h', version: 'V' };

interface Meaning {
  readonly key: OptionKey;
  /** For a switch, what this flag sets it to. */
  readonly sets?: boolean;
}

/** What flags mean to a command; null: as far as that is known before there is one. A flag may mean one thing to one command and another to others. */
function meaningsFor(command: Command | null): Map<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  const isOthers = (key: OptionKey): boolean => command !== null && !acceptsOption(command, specOf(key));
  // Those of the command come last, and stay.
  for (const key of [...OPTION_KEYS].sort((a, b) => Number(isOthers(b)) - Number(isOthers(a)))) {
    const { flag, alias, type } = specOf(key);
    if (type === 'boolean') {
      meanings.set(flag, { key, sets: true });
      meanings.set(`no-${flag}`, { key, sets: false });
    } else {
      meanings.set(flag, { key });
      if (alias !== undefined) {
        meanings.set(alias, { key });
      }
    }
  }
  return meanings;
}

/** The command that the words name. What is a word, and what the value of a flag, may depend on it. */
function commandIn(argv: readonly string[]): Command | null {
  const named = (assumed: Command | null): string => {
    const words = tokenize(argv, meaningsFor(assumed)).flatMap((token) =>
      token.kind === 'positional' ? [token.value] : [],
    );
    return (words[0] === 'help' ? words[1] : words[0]) ?? '';
  };
  const name = named(null);
  return isCommand(name) ? name : (COMMANDS.find((command) => named(command) === command) ?? null);
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** The command line as the table of options understands it. Values stay text: `resolveOptions` reads them. */
export function parseArgs(argv: readonly string[]): ParsedArgs {
  const meanings = meaningsFor(commandIn(argv));
  const tokens = tokenize(argv, meanings);
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const flags: Partial<Record<OptionKey, string | boolean | string[]>> = {};
  const seen = { help: words[0] === 'help', version: false };
  const given: { key: OptionKey; rawName: string }[] = [];
  const [name, ...positionals] = seen.help ? words.slice(1) : words;

  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'option') {
      if (token.name === 'help' || token.name === 'version') {
        seen[token.name] = true;
        continue;
      }
      const following = tokens[index + 1];
      const meaning = meaningOf(
        token,
        meanings,
        isCommand(name ?? '') ? (name as Command) : null,
        following?.kind === 'positional' ? following.value : undefined,
      );
      given.push({ key: meaning.key, rawName: token.rawName });
      collect(flags, meaning, token);
    }
  }

  const command = name === undefined ? null : commandNamed(name);
  if (command !== null && !TAKES_SEEDS.has(command) && positionals.includes('')) {
    throw new UsageError('an argument is empty');
  }
  if (!seen.help && !seen.version) {
    if (command === null && given.length > 0) {
      throw new UsageError(`name a command before ${given[0]!.rawName}; one of ${COMMANDS.join(', ')}`);
    }
    if (command !== null) {
      checkCommandTakes(command, given);
      checkArguments(command, positionals);
    }
  }
  return { command, positionals, flags, ...seen };
}

function tokenize(argv: readonly string[], meanings: ReadonlyMap<string, Meaning>) {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {};
  for (const [name, short] of Object.entries(ACTIONS)) {
    options[name] = { type: 'boolean', short };
  }
  for (const [flag, { key, sets }] of meanings) {
    const { short, flag: mainFlag } = specOf(key);
    const type = sets === undefined && specOf(key).bare === undefined ? 'string' : 'boolean';
    options[flag] = short !== undefined && flag === mainFlag ? { type, short } : { type };
  }
  return parseTokens({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function meaningOf(
  token: OptionToken,
  meanings: ReadonlyMap<string, Meaning>,
  command: Command | null,
  following: string | undefined,
): Meaning {
  const meaning = meanings.get(token.name);
  if (meaning !== undefined) {
    return meaning;
  }
  const later = token.rawName.startsWith('--')
    ? refuseLaterOption(token.name, token.rawName, token.value ?? following)
    : null;
  if (later !== null) {
    throw new UsageError(later);
  }
  const here = token.rawName.startsWith('--') ? gossamerNameOf(token.name) : null;
  if (here !== null) {
    throw new UsageError(`unknown option ${token.rawName}; you may mean ${here}`);
  }
  const candidates = [...meanings].filter(([, { key }]) => command === null || acceptsOption(command, specOf(key)));
  const suggestion = token.rawName.startsWith('--')
    ? nearestName(token.name, [...candidates.map(([flag]) => flag), ...Object.keys(ACTIONS)])
    : null;
  throw new UsageError(
    `unknown option ${printable(token.rawName, 100)}${didYouMean(suggestion === null ? null : `--${suggestion}`)}`,
  );
}

function collect(
  flags: Partial<Record<OptionKey, string | boolean | string[]>>,
  meaning: Meaning,
  token: OptionToken,
): void {
  const { key, sets } = meaning;
  if (sets !== undefined) {
    if (token.value !== undefined) {
      throw new UsageError(`${token.rawName} takes no value, got ${printable(token.value, 100)}`);
    }
    flags[key] = sets;
    return;
  }
  const { bare } = specOf(key);
  if (bare !== undefined) {
    flags[key] = token.value ?? bare;
    return;
  }
  // `--delay --workers 5` is a forgotten value, `--delay -5` a wrong one, and `-` is a file name.
  if (token.value === undefined || (!token.inlineValue && looksLikeOption(token.value, specOf(key).signed === true))) {
    throw new UsageError(`${token.rawName} needs a value`);
  }
  const earlier = flags[key];
  flags[key] = specOf(key).type === 'list' ? [...(Array.isArray(earlier) ? earlier : []), token.value] : token.value;
}

/** Where a value has a sign, `-dead` is one. So is `-fjson`, which is then refused because nothing has that name. */
const looksLikeOption = (text: string, isSigned: boolean): boolean =>
  /^--?[a-z]/i.test(text) && !(isSigned && /^-[a-z]{3}/.test(text));

function commandNamed(name: string): Command {
  if (isCommand(name)) {
    return name;
  }
  const shown = printable(name, 200);
  if (/[.:/]/.test(name)) {
    throw new UsageError(`${shown} is not a command; did you mean gossamer crawl ${shown}?`);
  }
  throw new UsageError(`unknown command ${shown}${didYouMean(nearestName(name, COMMANDS))}`);
}

function checkCommandTakes(command: Command, given: readonly { key: OptionKey; rawName: string }[]): void {
  for (const { key, rawName } of given) {
    const spec = specOf(key);
    if (acceptsOption(command, spec)) {
      continue;
    }
    if (command === 'resume' && spec.commands.includes('crawl')) {
      throw new UsageError(`${rawName} cannot be changed on resume: seeds, scope and identity stay as they were`);
    }
    const others = COMMANDS.filter((other) => acceptsOption(other, spec)).map((other) => `\`gossamer ${other}\``);
    const here = gossamerNameOf(spec.flag);
    const hint = here === null ? '' : `; you may mean ${here}`;
    throw new UsageError(`${rawName} is an option of ${others.join(', ')}, not of \`gossamer ${command}\`${hint}`);
  }
}

function checkArguments(command: Command, positionals: readonly string[]): void {
  const { usage, fewestArguments, mostArguments } = COMMAND_SPECS[command];
  if (positionals.length < fewestArguments) {
    throw new UsageError(`\`gossamer ${command}\` needs ${usage}`);
  }
  if (positionals.length > mostArguments) {
    throw new UsageError(
      `\`gossamer ${command}\` takes only ${usage}, got also ${printable(positionals[mostArguments]!, 200)}`,
    );
  }
}
