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

/** option-types.d.ts of the package: the options of each command, with a comment at each key. */
export function renderOptionTypes(): string {
  const tables = Object.entries(WRITTEN_OUT).map(([command, name]) => {
    const keys = OPTION_KEYS.filter((key) => usesOption(command as keyof typeof WRITTEN_OUT, specOf(key)));
    return `/** The options of \`gossamer ${command}\` by their keys, in their normal units. */
export interface ${name} {
${keys.map((key) => `  /** ${forLibrary(key)} */\n  readonly ${key}: Value<'${key}'>;`).join('\n')}
}
`;
  });
  return `import type { ValueOf } from './option-spec.js';
import type { OPTIONS } from './options.js';

type Value<Key extends keyof typeof OPTIONS> = ValueOf<(typeof OPTIONS)[Key]>;

${tables.join('\n')}
export interface OptionsByCommand {
${Object.entries(WRITTEN_OUT)
  .map(([command, name]) => `  ${command}: ${name};`)
  .join('\n')}
}
`;
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
