import {
  fieldsOf,
  type NamedField,
  type PageFieldSource,
  type PageFieldType,
  ROW_FIELDS,
} from '../store/page-fields.js';

/** The fields of a page in words: for docs/OUTPUTS.md, docs/STORE.md, docs/schemas/page-1.json and the editors of those who use the library. */

const SOURCES: Readonly<Record<PageFieldSource, string>> = {
  crawl: 'the crawl',
  answer: 'the answer',
  headers: 'headers',
  body: 'the page',
};
/** A time is text in files; in the library it is a number. */
const JSON_TYPES: Readonly<Record<PageFieldType, object>> = {
  text: { type: 'string' },
  integer: { type: 'integer', minimum: 0 },
  number: { type: 'number', minimum: 0 },
  time: { type: 'string', format: 'date-time' },
  flag: { const: true },
  state: { enum: ['done', 'failed', 'skipped', 'deferred'] },
  data: { type: 'object' },
  list: { type: 'array', items: { type: 'object' } },
  record: { type: 'object', additionalProperties: { type: 'string' } },
  extras: { type: 'object' },
};
const TYPESCRIPT: Readonly<Record<PageFieldType, string>> = {
  text: 'string',
  integer: 'number',
  number: 'number',
  time: 'number',
  flag: 'boolean',
  state: "'done' | 'failed' | 'skipped' | 'deferred'",
  data: 'Record<string, unknown>',
  list: 'readonly Record<string, unknown>[]',
  record: 'Record<string, string>',
  extras: 'Record<string, unknown>',
};

/** Of docs/OUTPUTS.md: the keys of a line of pages.jsonl. */
export function renderPageKeys(): string {
  const rows = fieldsOf('jsonl').map(({ name, source, sentence, isOptional }) => {
    const condition = isOptional ? ' The key is left out if there is nothing to say.' : '';
    return `| \`${name}\` | ${SOURCES[source]} | ${sentence}${condition} |\n`;
  });
  return `| key | from | |\n|---|---|---|\n${rows.join('')}`;
}

/** Of docs/STORE.md: the columns of `pages`. */
export function renderPageColumns(): string {
  const rows = ROW_FIELDS.map(({ columnName, sentence }) => `| \`${columnName}\` | ${sentence} |\n`);
  return `| column of \`pages\` | |
|---|---|
| \`id\` | → \`urls.id\` |
| \`seq\` | ascending in the order of settling |
| \`redirect_to\` | → \`urls.id\`, the next hop; follow it until it is null |
${rows.join('')}`;
}

/** docs/schemas/page-1.json: the JSON Schema of a line of pages.jsonl. */
export function pageSchema(): string {
  const fields = fieldsOf('jsonl');
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://github.com/gossamer-crawler/gossamer/schema/page-1.json',
    title: 'A line of pages.jsonl',
    description: 'One URL and what became of it. New keys may be added under the same version.',
    type: 'object',
    required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    properties: Object.fromEntries(
      fields.map((field) => [field.name, { description: field.sentence, ...jsonType(field) }]),
    ),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function jsonType({ type, nullable, isOptional }: NamedField): object {
  return nullable && !isOptional ? { anyOf: [JSON_TYPES[type], { type: 'null' }] } : JSON_TYPES[type];
}

/** page-types.d.ts as it is in the package: the same types as in the source, with a comment at each field. */
export function renderPageTypes(): string {
  return `/** One URL and what became of it: a line of pages.jsonl. */
export interface PageResult {
${fieldsOf('kept').map(member).join('\n')}
}

/**
 * A URL and what became of it, as an iteration gives it. What only the end of a crawl can tell is not in it: the first parent, and where
 * a chain of redirects ends (or that it never does). A kept crawl has both, see \`readCrawl\`.
 */
export interface CrawledPage {
${fieldsOf('live').map(member).join('\n')}
}
`;
}

const member = ({ name, type, nullable, sentence }: NamedField): string =>
  `  /** ${sentence} */\n  ${name}: ${TYPESCRIPT[type]}${nullable ? ' | null' : ''};`;
