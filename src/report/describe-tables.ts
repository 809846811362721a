import type { TableColumn } from './parquet.js';
import { HOST_COLUMNS, LINK_COLUMNS } from './tables.js';

/** The lines of edges and hosts in words: docs/schemas/edge-1.json and host-1.json. */

const JSON_TYPES: Readonly<Record<TableColumn['type'], string>> = {
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  time: 'string',
};

interface Described extends TableColumn {
  readonly sentence: string;
  readonly isOptional?: true;
  readonly isNullable?: true;
}

export const edgeSchema = (): string => lineSchema('edge-1', 'A line of `edges`', 'A link.', LINK_COLUMNS);

export const hostSchema = (): string =>
  lineSchema('host-1', 'A line of `hosts`', 'A host and what became of it.', HOST_COLUMNS);

function lineSchema(name: string, title: string, description: string, columns: readonly Described[]): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `https://github.com/gossamer-crawler/gossamer/schema/${name}.json`,
    title,
    description: `${description} New keys may be added under the same version.`,
    type: 'object',
    required: columns.filter(({ isOptional }) => !isOptional).map(({ name: key }) => key),
    properties: Object.fromEntries(
      columns.map(({ name: key, type, sentence, isNullable }) => [
        key,
        { description: sentence, type: isNullable ? [JSON_TYPES[type], 'null'] : JSON_TYPES[type] },
      ]),
    ),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
