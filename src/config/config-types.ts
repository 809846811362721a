import { describeKey } from './describe.js';
import {
  CONFIG_FILE_KEYS,
  configKeyOf,
  OPTION_KEYS,
  type OptionKey,
  specOf,
  usesOption,
  variableOf,
} from './options.js';

/** gossamer-config.d.ts as it is in the package: the same type as in the source, with a comment at each key. */
export function renderConfigTypes(): string {
  return `import type { AuditConfig } from './audit-config.js';
import type { CheckConfig } from './check-config.js';
import type { ConfigValue } from './config-value.js';

/** What a config file exports: flags in camelCase; durations and sizes as on the command line. */
export interface GossamerConfig {
${CONFIG_FILE_KEYS.map(renderKey).join('\n')}
  /** Rules of \`gossamer check\`. */
  readonly check?: CheckConfig;
  /** Rules and thresholds of \`gossamer audit\`. */
  readonly audit?: AuditConfig;
}
`;
}

/** What an editor shows of the options of the library: types of functions, and whose options they are. */
const WRITTEN_OUT = {
  crawl: 'CrawlOptions',
  check: 'CheckOptions',
  docs: 'DocsOptions',
  preview: 'PreviewKeys',
} as const;

/**
 * option-types.d.ts of the package: the options of each command, with a comment at each key. Keys that the same commands take stand in one
 * interface, which those of the commands extend: each sentence is there once.
 */
export function renderOptionTypes(): string {
  const commands = Object.keys(WRITTEN_OUT) as (keyof typeof WRITTEN_OUT)[];
  const shared = new Map<string, OptionKey[]>();
  for (const key of OPTION_KEYS) {
    const taking = commands.filter((command) => usesOption(command, specOf(key))).join(' ');
    shared.set(taking, [...(shared.get(taking) ?? []), key]);
  }
  shared.delete('');
  const nameOf = (taking: string) =>
    `KeysOf${taking.replace(/(?:^| )(.)/g, (_, first: string) => first.toUpperCase())}`;
  const groups = [...shared].map(
    ([taking, keys]) => `interface ${nameOf(taking)} {
${keys.map((key) => `  /** ${forLibrary(key)} */\n  readonly ${key}: Value<'${key}'>;`).join('\n')}
}
`,
  );
  const tables = commands.map((command) => {
    const extended = [...shared.keys()].filter((taking) => taking.split(' ').includes(command)).map(nameOf);
    return `/** The options of \`gossamer ${command}\` by their keys, in their normal units. */
export interface ${WRITTEN_OUT[command]} extends ${extended.join(', ')} {}
`;
  });
  return `import type { ValueOf } from './option-spec.js';
import type { OPTIONS } from './options.js';

type Value<Key extends keyof typeof OPTIONS> = ValueOf<(typeof OPTIONS)[Key]>;

${[...groups, ...tables].join('\n')}
export interface OptionsByCommand {
${commands.map((command) => `  ${command}: ${WRITTEN_OUT[command]};`).join('\n')}
}
`;
}

/** Of options.d.ts of the package: what of the table the types of values are worked out from. */
export function renderOptionTable(): string {
  const entries = OPTION_KEYS.map((key) => {
    const spec: { readonly [name: string]: unknown } = { ...specOf(key) };
    const kept = ['type', 'item', 'values', 'perSecond']
      .filter((name) => spec[name] !== undefined)
      .map((name) => `readonly ${name}: ${Array.isArray(spec[name]) ? 'readonly ' : ''}${JSON.stringify(spec[name])}`);
    return `  readonly ${key}: { ${[...kept, ...(spec.default === null ? ['readonly default: null'] : [])].join('; ')} };`;
  });
  return `export declare const OPTIONS: {\n${entries.join('\n')}\n};`;
}

/** Of docs/LIBRARY.md: each key, the flag that is the same, and which functions take it. */
export function renderLibraryKeys(): string {
  const functions = { crawl: 'crawl', check: 'checkLinks', docs: 'makeDocs', preview: 'preview' } as const;
  const commands = Object.keys(functions) as (keyof typeof functions)[];
  const rows = OPTION_KEYS.filter((key) => commands.some((command) => usesOption(command, specOf(key)))).map((key) => {
    const taken = commands
      .filter((command) => usesOption(command, specOf(key)))
      .map((command) => `\`${functions[command]}\``);
    return `| \`${key}\` | \`--${specOf(key).flag}\` | ${taken.join(' ')} |`;
  });
  return `| key | flag | taken by |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** The sentence of an option for programs, which give times in milliseconds and sizes in bytes. */
export function forLibrary(key: OptionKey): string {
  const spec = specOf(key);
  const unit = { duration: ' In milliseconds.', size: ' In bytes.' }[spec.type as string] ?? '';
  return `${describeKey(spec)}${unit} The same as --${spec.flag}.`.replaceAll('*/', '*\\/');
}

function renderKey(key: (typeof CONFIG_FILE_KEYS)[number]): string {
  const spec = specOf(key);
  const sentence = `${describeKey(spec)} The same as --${spec.flag} and ${variableOf(spec)}.`;
  // No sentence may end the comment that it stands in.
  return `  /** ${sentence.replaceAll('*/', '*\\/')} */\n  readonly ${configKeyOf(spec)}?: ConfigValue<'${key}'>;`;
}
