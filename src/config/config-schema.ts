import { describeKey } from './describe.js';
import { HOST_KEYS, MOST_ENTRIES, MOST_PATTERNS } from './host-entries.js';
import type { NumberSpec, OptionSpec } from './option-spec.js';
import { CONFIG_FILE_KEYS, configKeyOf, specOf } from './options.js';
import { isQuantity, writeValue } from './values.js';

const FIGURE = String.raw`^\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*`;
const DURATION = String.raw`${FIGURE}(ms|s|m|h|d)?\s*$`;
const SIZE = `${FIGURE}([kKmMgGtT]([iI]?[bB])?|[bB])?`;

/** A JSON Schema for gossamer.config.json: with it an editor completes keys and marks what would be refused. */
export function configSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Config file of gossamer',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      check: CHECK_SCHEMA,
      audit: AUDIT_SCHEMA,
      ...Object.fromEntries(CONFIG_FILE_KEYS.map(specOf).map((spec) => [configKeyOf(spec), schemaOf(spec)])),
    },
  };
}

const TEXT = { type: 'string', minLength: 1 };
const TIME = { type: ['number', 'string'], pattern: DURATION, minimum: 0 };

const CHECK_SCHEMA = {
  description: 'Rules of `gossamer check`.',
  type: 'object',
  additionalProperties: false,
  properties: {
    rules: {
      type: 'array',
      maxItems: 1000,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['match'],
        properties: {
          match: {
            description: 'A glob, or re: and an expression; or several.',
            anyOf: [TEXT, { type: 'array', items: TEXT, minItems: 1 }],
          },
          ignore: {
            description: 'Leave these links out; false keeps what a later rule would leave out.',
            type: 'boolean',
          },
          accept: { description: 'Status codes that count as fine, as --accept.', ...TEXT },
          maxAge: { description: 'How old a cached result may be.', ...TIME },
          failOn: { description: 'Edits what makes the run fail, as --fail-on.', ...TEXT },
        },
      },
    },
  },
};

const AUDIT_SCHEMA = {
  description: 'Rules and thresholds of `gossamer audit`.',
  type: 'object',
  additionalProperties: false,
  properties: {
    rules: {
      description: 'By the id of a rule: false leaves it out, a severity replaces its own.',
      type: 'object',
      additionalProperties: { enum: [false, 'error', 'warning', 'notice'] },
    },
    failOn: { description: 'What makes the run fail, as --fail-on.', ...TEXT },
    thresholds: {
      type: 'object',
      additionalProperties: false,
      properties: {
        titleLength: { description: 'Characters of a title.', type: 'integer', minimum: 1, maximum: 4096 },
        descriptionLength: { description: 'Characters of a description.', type: 'integer', minimum: 1, maximum: 4096 },
        depth: { description: 'Clicks from the start.', type: 'integer', minimum: 0, maximum: 1_000_000 },
        slow: { description: 'Time until a page was there.', ...TIME },
        heavy: { description: 'Of the HTML of a page.', type: ['number', 'string'], pattern: SIZE, minimum: 0 },
        thinWords: { description: 'A page with fewer is thin.', type: 'integer', minimum: 0, maximum: 1_000_000 },
        nearDuplicate: {
          description: 'The share of their text that nearly equal pages have in common.',
          type: 'number',
          minimum: 0.8,
          maximum: 1,
        },
        redirectHops: {
          description: 'Redirects with more hops are chains.',
          type: 'integer',
          minimum: 0,
          maximum: 100,
        },
      },
    },
  },
};

function schemaOf(spec: OptionSpec): object {
  const written = spec.default === null || spec.type === 'list' ? null : writtenDefault(spec);
  return {
    description: describeKey(spec),
    ...valuesOf(spec),
    ...(written === null ? {} : { default: written }),
  };
}

function writtenDefault(spec: OptionSpec): unknown {
  return spec.type === 'duration' || spec.type === 'size' ? writeValue(spec, spec.default) : spec.default;
}

function valuesOf(spec: OptionSpec): object {
  if (isQuantity(spec)) {
    return quantity(spec);
  }
  switch (spec.type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'enum':
      return { enum: spec.values };
    case 'list':
      if (spec.item === 'host') {
        return {
          type: 'array',
          maxItems: MOST_ENTRIES,
          items: { anyOf: [{ type: 'string', minLength: 1 }, hostSchema()] },
        };
      }
      return { type: 'array', items: { type: 'string', minLength: 1 } };
    default:
      return { type: 'string', minLength: 1 };
  }
}

/** One entry of `hosts`. */
function hostSchema(): object {
  const keys = Object.values(HOST_KEYS).map(({ written, spec }) => [
    written,
    spec === null
      ? { description: 'Sent to origins that match.', type: 'object', additionalProperties: { type: 'string' } }
      : { description: `As --${spec.flag}, for hosts that match.`, ...valuesOf(spec) },
  ]);
  return {
    type: 'object',
    additionalProperties: false,
    required: ['match'],
    minProperties: 2,
    properties: {
      match: {
        description: 'A glob on names of hosts such as *.example.com, or several.',
        anyOf: [TEXT, { type: 'array', items: TEXT, minItems: 1, maxItems: MOST_PATTERNS }],
      },
      ...Object.fromEntries(keys),
    },
  };
}

/** Bounds are for bare numbers: what a text amounts to is beyond a schema. */
function quantity(spec: NumberSpec): object {
  const unit = spec.type === 'duration' && spec.bareUnit !== 'ms' ? 1000 : 1;
  const bounds = { minimum: spec.min / unit, maximum: spec.max / unit };
  switch (spec.type) {
    case 'duration':
      return { type: ['number', 'string'], pattern: DURATION, ...bounds };
    case 'size':
      return { type: ['number', 'string'], pattern: `${SIZE}${spec.perSecond ? '(/s)?' : ''}\\s*$`, ...bounds };
    default:
      return { type: spec.type, ...bounds };
  }
}
