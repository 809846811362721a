import type { HostPolicy } from '../url/host-policies.js';
import type { Command } from './commands.js';

export const GROUPS = [
  'Input and scope',
  'Limits',
  'URL identity',
  'Traps',
  'Layers of concurrency',
  'Politeness',
  'Fetching',
  'Network',
  'Hooks',
  'Several machines',
  'Checking',
  'Output',
  'Watching',
  'Question',
  'General',
] as const;
export type Group = (typeof GROUPS)[number];

export const EXPORT_FORMATS = [
  'jsonl',
  'sitemap',
  'csv',
  'parquet',
  'edges',
  'hosts',
  'seeds',
  'warc',
  'wacz',
  'cdxj',
] as const;
export const EXPORT_TABLES = ['pages', 'links', 'hosts'] as const;
/** Of what a table of `export` is. */
export type ExportTable = (typeof EXPORT_TABLES)[number];
/** The formats of `export`. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const CHECK_FORMATS = [
  'terminal',
  'json',
  'jsonl',
  'csv',
  'junit',
  'sarif',
  'github',
  'markdown',
  'html',
] as const;
/** The formats of reports of a check. */
export type CheckFormat = (typeof CHECK_FORMATS)[number];
/** Those that no other command writes. */
export const FORMATS_OF_GRAPHS = ['graphml', 'gexf', 'dot', 'svg'] as const;
export const GRAPH_FORMATS = ['terminal', 'csv', 'jsonl', 'html', 'parquet', ...FORMATS_OF_GRAPHS] as const;
/** The formats of a link graph. */
export type GraphFormat = (typeof GRAPH_FORMATS)[number];
/** What a corpus makes of the images of its pages. */
export const IMAGE_WAYS = ['keep', 'download', 'drop'] as const;
export type ImageWay = (typeof IMAGE_WAYS)[number];

export const GRAPH_LEVELS = ['page', 'folder', 'host'] as const;
/** What a node of a link graph is. */
export type GraphLevel = (typeof GRAPH_LEVELS)[number];
export const AUDIT_FORMATS = ['terminal', 'json', 'csv', 'parquet', 'markdown', 'sarif', 'html'] as const;
/** The formats of reports of an audit. */
export type AuditFormat = (typeof AUDIT_FORMATS)[number];
export type Format = ExportFormat | CheckFormat | GraphFormat | AuditFormat;
export const FORMATS: readonly Format[] = [
  ...new Set<Format>([...EXPORT_FORMATS, ...CHECK_FORMATS, ...GRAPH_FORMATS, ...AUDIT_FORMATS]),
];
/** What a crawl writes while it runs. */
export const CRAWL_FORMATS = ['jsonl', 'warc'] as const satisfies readonly ExportFormat[];
export const DIFF_FORMATS = ['terminal', 'json', 'jsonl', 'html'] as const satisfies readonly CheckFormat[];
/** The formats of `diff`. */
export type DiffFormat = (typeof DIFF_FORMATS)[number];

/** What may differ of a page between two crawls. */
export const DIFF_ASPECTS = [
  'status',
  'redirect',
  'title',
  'description',
  'h1',
  'canonical',
  'robots',
  'content',
  'links',
  'assets',
] as const;
/** What may differ of a page between two crawls. */
export type DiffAspect = (typeof DIFF_ASPECTS)[number];
export const DIFF_PARTS = [...DIFF_ASPECTS, 'findings'] as const;
/** What a comparison of two crawls can leave out: an aspect of pages, or the findings. */
export type DiffPart = (typeof DIFF_PARTS)[number];

export const PRESETS = ['big-site', 'many-hosts', 'low-memory', 'ci'] as const;
export type Preset = (typeof PRESETS)[number];

/** An output and its file. */
export interface ReportTarget<Of extends Format = Format> {
  /** What is written. */
  readonly format: Of;
  /** The file that it is written to. */
  readonly path: string;
}

export const isExportFormat = (format: string): format is ExportFormat =>
  (EXPORT_FORMATS as readonly string[]).includes(format);
export const isExport = (target: ReportTarget): target is ReportTarget<ExportFormat> => isExportFormat(target.format);

interface Shared {
  /** Without dashes. The variable (GOSSAMER_MAX_BODY) and the config key (maxBody) follow from it. */
  readonly flag: string;
  /** The config key, where it is another than the flag in camelCase. */
  readonly configKey?: string;
  /** The variable, where another option has the flag for other commands. */
  readonly variable?: string;
  readonly short?: string;
  /** A second flag of the same meaning. */
  readonly alias?: string;
  /** The variable of an older crawler that is still read; GOSSAMER_… wins over it. */
  readonly oldVariable?: string;
  readonly group: Group;
  /** One sentence, without the full stop. */
  readonly sentence: string;
  /** What help shows for the value. */
  readonly placeholder?: string;
  /** Rarely needed: at the end of help. */
  readonly advanced: boolean;
  /** May be changed on `resume`. */
  readonly resumable: boolean;
  /** The commands that take it; `resume` also takes what is resumable. */
  readonly commands: readonly Command[];
  /** Belongs to one start of the program and is never kept in the store. */
  readonly perRun?: true;
  /** May hold a credential: never shown in full, never kept in the store. */
  readonly secret?: true;
  /** Its value may be a name with a sign before it, such as `-dead`. */
  readonly signed?: true;
  /** What the flag means without a value; a value then follows `=` alone. */
  readonly bare?: string;
  /** In words, where the default is worked out later or the figure alone would mislead. */
  readonly defaultText?: string;
  readonly boundsText?: string;
}

interface Single<Type extends string, Value> extends Shared {
  readonly type: Type;
  /** null: not set. */
  readonly default: Value | null;
  readonly defaultFor?: Partial<Readonly<Record<Command, Value>>>;
}

interface Bounded {
  readonly min: number;
  readonly max: number;
}

interface Checked {
  /** What is wrong with the text, as the end of a sentence ("must be …"), or null. */
  readonly check?: (text: string) => string | null;
  /** The check of commands that take other texts. */
  readonly checkFor?: Partial<Readonly<Record<Command, (text: string) => string | null>>>;
}

export type NumberSpec =
  | (Single<'integer' | 'number', number> & Bounded)
  | (Single<'duration', number> & Bounded & { readonly bareUnit?: 'ms' })
  | (Single<'size', number> & Bounded & { readonly perSecond?: true });
export type BooleanSpec = Single<'boolean', boolean>;
export type TextSpec = Single<'text' | 'path', string> & Checked;
export interface EnumSpec extends Single<'enum', string> {
  readonly values: readonly string[];
  /** The values of commands that take only some of them. */
  readonly valuesFor?: Partial<Readonly<Record<Command, readonly string[]>>>;
}
export interface ListSpec extends Shared, Checked {
  readonly type: 'list';
  readonly item: 'text' | 'path' | 'report' | 'host';
  readonly default: readonly [];
  /** In a variable, entries are separated by newlines; with this, by commas too. Only where no entry can hold a comma. */
  readonly splitsAtComma?: true;
  /** The formats of reports that a command writes, where it does not write all. */
  readonly values?: readonly string[];
  readonly valuesFor?: Partial<Readonly<Record<Command, readonly string[]>>>;
}
export type OptionSpec = NumberSpec | BooleanSpec | TextSpec | EnumSpec | ListSpec;

interface Items {
  text: string;
  path: string;
  report: ReportTarget;
  host: HostPolicy;
}
interface Values {
  integer: number;
  number: number;
  duration: number;
  size: number;
  boolean: boolean;
  text: string;
  path: string;
}

/** The TypeScript type of an option's value, from its declaration. */
export type ValueOf<Spec> = Spec extends { type: 'list'; item: infer Item extends keyof Items }
  ? readonly Items[Item][]
  : Spec extends { type: 'enum'; values: readonly (infer Value)[] }
    ? Value | NullOf<Spec>
    : Spec extends { type: infer Type extends keyof Values }
      ? Values[Type] | NullOf<Spec>
      : never;
/** Its default is null: nothing is set. */
type NullOf<Spec> = Spec extends { default: null } ? null : never;

export type OptionValue =
  | number
  | boolean
  | string
  | null
  | readonly string[]
  | readonly ReportTarget[]
  | readonly HostPolicy[];
