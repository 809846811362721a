import { COMMANDS, type Command } from './commands.js';
import { type EnumSpec, GROUPS, type ListSpec, type OptionSpec, PRESETS, type Preset } from './option-spec.js';
import { acceptsOption, configKeyOf, OPTION_KEYS, type OptionKey, specOf } from './options.js';
import { variablesOf } from './origin.js';
import { PRESET_VALUES } from './presets.js';
import { isQuantity, writeQuantity, writeValue } from './values.js';

/** The options in words: for `--help` and for docs/OPTIONS.md. */

const PLACEHOLDERS = {
  integer: 'N',
  number: 'N',
  duration: 'TIME',
  size: 'SIZE',
  text: 'TEXT',
  path: 'FILE',
  enum: 'WORD',
  list: 'TEXT',
  boolean: '',
};

/** The commands whose options `resume` takes. */
const RESUMED: readonly Command[] = ['crawl', 'check'];

export interface OptionGroup {
  readonly title: string;
  readonly specs: readonly OptionSpec[];
}

/** The options that a command takes, group by group; the rarely needed ones apart. */
export function groupsOf(command: Command, advanced: boolean): OptionGroup[] {
  return grouped((spec) => acceptsOption(command, spec) && spec.advanced === advanced);
}

/** `--workers N, --concurrency N`. A switch is named by the form that changes something. */
export function describeFlags(spec: OptionSpec): string {
  if (spec.type === 'boolean') {
    const forms = {
      true: [`--no-${spec.flag}`],
      false: [`--${spec.flag}`],
      null: [`--${spec.flag}`, `--no-${spec.flag}`],
    };
    return forms[`${spec.default}`].join(', ');
  }
  const placeholder = placeholderOf(spec);
  const flags = spec.alias === undefined ? [spec.flag] : [spec.flag, spec.alias];
  const value = spec.bare === undefined ? ` ${placeholder}` : `[=${placeholder}]`;
  return flags.map((flag) => `--${flag}${value}`).join(', ');
}

/** null if there is nothing to say: a switch that is off, an empty list. */
export function describeDefault(spec: OptionSpec, command?: Command): string | null {
  if (spec.type === 'list') {
    return null;
  }
  // On `resume`, the default is that of the command that is resumed.
  const whose = command === 'resume' ? RESUMED.find((name) => spec.commands.includes(name)) : command;
  const own = whose === undefined ? undefined : spec.defaultFor?.[whose];
  if (own !== undefined) {
    return writeValue(spec, own);
  }
  if (spec.defaultText !== undefined) {
    return spec.defaultText;
  }
  return spec.type === 'boolean' ? null : writeValue(spec, spec.default);
}

export function describeBounds(spec: OptionSpec, command?: Command): string | null {
  if (spec.boundsText !== undefined) {
    return spec.boundsText;
  }
  if (spec.type === 'enum' || spec.type === 'list') {
    return describeValues(spec, command);
  }
  return isQuantity(spec) ? `${writeQuantity(spec, spec.min)} to ${writeQuantity(spec, spec.max)}` : null;
}

function describeValues({ values, valuesFor }: EnumSpec | ListSpec, command?: Command): string | null {
  const wanted: readonly string[] = command === 'resume' ? RESUMED : [command ?? ''];
  const lists = Object.entries(valuesFor ?? {}).filter(([name]) => command === undefined || wanted.includes(name));
  if (lists.length > 1) {
    return lists.map(([name, list]) => `${name}: ${list.join(', ')}`).join('; ');
  }
  return (lists[0]?.[1] ?? values)?.join(', ') ?? null;
}

/** The sentence with default and bounds, as help shows it. */
export function describeOption(spec: OptionSpec, command?: Command): string {
  const preset = describeDefault(spec, command);
  const facts = [
    preset === null ? null : `default ${preset}`,
    describeBounds(spec, command),
    spec.type === 'list' ? 'repeatable' : null,
  ];
  const said = facts.filter((fact) => fact !== null);
  return said.length === 0 ? spec.sentence : `${spec.sentence} (${said.join('; ')})`;
}

/** The same for a key of the config file; the sentence of a switch that is on by default speaks of turning it off. */
export function describeKey(spec: OptionSpec): string {
  return `${spec.type === 'boolean' && spec.default === true ? 'false: ' : ''}${describeOption(spec)}.`;
}

/** What a preset sets, as flags that can be typed: `--workers 1024 --timeout 10s`. */
export function describePreset(name: Preset): string {
  return Object.entries(PRESET_VALUES[name])
    .map(([key, value]) => {
      const spec = specOf(key as OptionKey);
      return spec.type === 'boolean'
        ? `--${value ? '' : 'no-'}${spec.flag}`
        : `--${spec.flag} ${writeValue(spec, value).replace(/[ ,]/g, '')}`;
    })
    .join(' ');
}

/** docs/OPTIONS.md. */
export function renderOptionsDoc(): string {
  const presets = PRESETS.map((name) => `| \`${name}\` | \`${describePreset(name)}\` |`);
  const tables = grouped(() => true).map(renderGroup);
  return `${DOC_HEAD}\n${PRESETS_HEAD}${presets.join('\n')}\n\n${tables.join('\n')}`;
}

const DOC_HEAD = `# Options

Generated from the table in \`src/config\` by \`node scripts/generate-docs.js\`; edit the table, not this page.

Every option can be given in three places besides its default: as a flag, as a variable and as a key of the config file.
A flag wins over a variable, a variable over the config file, that over a [preset](#presets), and that over what a crawl was
started with (\`resume\`). \`--print-config\` shows what is in force and from where. [CONFIG.md](CONFIG.md) shows how they go together.

- **Flags**: \`--workers 50\`, \`--workers=50\`, \`-w 50\` and \`-w50\` are the same. Every switch has a \`--no-\` form. Where a flag that
  is not repeatable stands twice, the last one counts.
- **Variables**: switches take \`true\`, \`1\`, \`yes\`, \`on\` and \`false\`, \`0\`, \`no\`, \`off\`. An empty variable counts as not set. The
  entries of a repeatable option are separated by newlines, and where the table says so also by commas. An unknown
  \`GOSSAMER_…\` variable is refused.
- **Config file**: \`gossamer.config.ts\`, \`gossamer.config.js\` (a default export) or \`gossamer.config.json\` in the current folder, or
  the file of \`--config\`. Its keys are the flags in camelCase, exactly as below; an unknown key is refused. Repeatable options are
  arrays. Relative paths start from the folder of the file.
- **Durations** take \`ms\`, \`s\`, \`m\`, \`h\` and \`d\`. A bare number is seconds, but milliseconds for \`--delay\`.
- **Sizes** take \`B\`, \`KiB\`, \`MiB\`, \`GiB\` and \`TiB\`. \`K\`, \`KB\` and \`KiB\` are all 1024 bytes, and so on, in any case. A bare number is bytes.
- **Resume**: rates, limits, time-outs and network options may be changed when a crawl goes on; seeds, scope and identity may
  not. Options that hold credentials are not kept on disk and must be given again.
`;

const PRESETS_HEAD = `## Presets

\`--preset NAME\` sets several options at once. Whatever is given beside it wins. None of them switches robots.txt off.

| preset | sets |
|---|---|
`;

function renderGroup(group: OptionGroup): string {
  return `## ${group.title}

| option | variable | config key | default | bounds | on resume | meaning |
|---|---|---|---|---|---|---|
${group.specs.map(renderRow).join('\n')}
`;
}

function renderRow(spec: OptionSpec): string {
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  const variables = variablesOf(spec).map((name) => `\`${name}\``);
  const cells = [
    `\`${short}${describeFlags(spec)}\``,
    `${variables.join(' ')}${spec.type === 'list' && spec.splitsAtComma ? ' (commas)' : ''}`,
    spec.flag === 'config' ? '' : `\`${configKeyOf(spec)}\``,
    describeDefaults(spec),
    describeBounds(spec) ?? '',
    acceptsOption('resume', spec) ? 'yes' : 'no',
    [spec.sentence, spec.type === 'list' ? '; repeatable' : '', `. ${commandsOf(spec)}`].join(''),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;
}

function describeDefaults(spec: OptionSpec): string {
  const own = spec.type === 'list' ? {} : (spec.defaultFor ?? {});
  const general = describeDefault(spec) ?? (spec.type === 'boolean' ? (spec.default ? 'on' : 'off') : 'none');
  return [general, ...Object.keys(own).map((name) => `${name}: ${describeDefault(spec, name as Command)}`)].join('; ');
}

function commandsOf(spec: OptionSpec): string {
  const taking = COMMANDS.filter((command) => acceptsOption(command, spec));
  return taking.length === COMMANDS.length ? 'All commands.' : `${taking.map((name) => `\`${name}\``).join(', ')}.`;
}

function grouped(wanted: (spec: OptionSpec) => boolean): OptionGroup[] {
  const specs = OPTION_KEYS.map(specOf).filter(wanted);
  return GROUPS.map((title) => ({ title, specs: specs.filter((spec) => spec.group === title) })).filter(
    (group) => group.specs.length > 0,
  );
}

function placeholderOf(spec: OptionSpec): string {
  return spec.placeholder ?? (spec.type === 'list' && spec.item === 'path' ? 'FILE' : PLACEHOLDERS[spec.type]);
}
