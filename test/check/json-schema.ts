/** The keywords of JSON Schema that the schemas here use. An unknown one is an error: nothing is passed over. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly uniqueItems?: boolean;
  readonly format?: string;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const ANNOTATIONS = new Set(['$schema', '$id', 'title', 'description', 'default', '$defs', 'definitions']);

const FORMATS: Readonly<Record<string, RegExp>> = {
  uri: /^[a-z][a-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/i,
  'uri-reference': /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})*$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typeOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'array' : typeof value;
}

type Check = (value: never, given: never, complain: Complain, root: Schema, path: string, schema: Schema) => void;
type Complain = (what: string) => void;

const CHECKS: Readonly<Record<string, Check>> = {
  $ref(value: unknown, ref: string, complain, root, path) {
    const definition = (root.$defs ?? root.definitions)?.[ref.replace(/^#\/(?:\$defs|definitions)\//, '')];
    if (definition === undefined) {
      complain(`no definition ${ref}`);
    } else {
      for (const error of errorsOf(value, definition, root, path)) {
        complain(error);
      }
    }
  },
  type(value: unknown, types: string | string[], complain) {
    const is = (type: string) => (type === 'integer' ? Number.isInteger(value) : typeOf(value) === type);
    if (![types].flat().some(is)) {
      complain(`is ${typeOf(value)}, not ${types}`);
    }
  },
  const(value: unknown, wanted: unknown, complain) {
    if (value !== wanted) {
      complain(`is not ${String(wanted)}`);
    }
  },
  enum(value: unknown, choice: unknown[], complain) {
    if (!choice.includes(value)) {
      complain(`${String(value)} is none of ${choice.join(' ')}`);
    }
  },
  pattern(value: unknown, pattern: string, complain) {
    if (typeof value === 'string' && !new RegExp(pattern, 'u').test(value)) {
      complain(`does not match ${pattern}`);
    }
  },
  minimum(value: unknown, minimum: number, complain) {
    if (typeof value === 'number' && value < minimum) {
      complain(`is below ${minimum}`);
    }
  },
  maximum(value: unknown, maximum: number, complain) {
    if (typeof value === 'number' && value > maximum) {
      complain(`is above ${maximum}`);
    }
  },
  minItems(value: unknown, fewest: number, complain) {
    if (Array.isArray(value) && value.length < fewest) {
      complain(`has fewer than ${fewest} items`);
    }
  },
  minLength(value: unknown, shortest: number, complain) {
    if (typeof value === 'string' && value.length < shortest) {
      complain(`is shorter than ${shortest}`);
    }
  },
  anyOf(value: unknown, schemas: Schema[], complain, root, path) {
    if (schemas.every((schema) => errorsOf(value, schema, root, path).length > 0)) {
      complain('is none of what it may be');
    }
  },
  oneOf(value: unknown, schemas: Schema[], complain, root, path) {
    if (schemas.filter((schema) => errorsOf(value, schema, root, path).length === 0).length !== 1) {
      complain('is not exactly one of what it may be');
    }
  },
  uniqueItems(value: unknown, unique: boolean, complain) {
    const items = Array.isArray(value) && unique ? value.map((item) => JSON.stringify(item)) : [];
    if (new Set(items).size !== items.length) {
      complain('has an item twice');
    }
  },
  format(value: unknown, format: string, complain) {
    if (FORMATS[format] === undefined) {
      complain(`the validator does not know format ${format}`);
    } else if (typeof value === 'string' && !FORMATS[format].test(value)) {
      complain(`is no ${format}`);
    }
  },
  maxItems(value: unknown, most: number, complain) {
    if (Array.isArray(value) && value.length > most) {
      complain(`has more than ${most} items`);
    }
  },
  items(value: unknown, schema: Schema, complain, root, path) {
    for (const [place, item] of (Array.isArray(value) ? value : []).entries()) {
      for (const error of errorsOf(item, schema, root, `${path}/${place}`)) {
        complain(error);
      }
    }
  },
  required(value: unknown, names: string[], complain) {
    for (const name of names) {
      if (isObject(value) && !Object.hasOwn(value, name)) {
        complain(`has no ${name}`);
      }
    }
  },
  properties(value: unknown, properties: Record<string, Schema>, complain, root, path) {
    for (const [name, schema] of Object.entries(properties)) {
      if (isObject(value) && Object.hasOwn(value, name)) {
        for (const error of errorsOf(value[name], schema, root, `${path}/${name}`)) {
          complain(error);
        }
      }
    }
  },
  propertyNames(value: unknown, schema: Schema, complain, root, path) {
    for (const name of Object.keys(isObject(value) ? value : {})) {
      for (const error of errorsOf(name, schema, root, `${path}/${name}`)) {
        complain(error);
      }
    }
  },
  additionalProperties(value: unknown, allowed: Schema | boolean, complain, root, path, schema) {
    if (allowed === true) {
      return;
    }
    for (const [name, each] of Object.entries(isObject(value) ? value : {})) {
      if (!Object.hasOwn(schema.properties ?? {}, name)) {
        for (const error of allowed === false ? [`has ${name}`] : errorsOf(each, allowed, root, `${path}/${name}`)) {
          complain(error);
        }
      }
    }
  },
};

/** What is wrong with a value, each with the path to it. */
export function errorsOf(value: unknown, schema: Schema, root: Schema = schema, path = ''): string[] {
  const errors: string[] = [];
  for (const [keyword, given] of Object.entries(schema)) {
    const check = CHECKS[keyword];
    if (check !== undefined) {
      const complain = (what: string) => errors.push(what.startsWith('/') ? what : `${path || '/'}: ${what}`);
      check(value as never, given as never, complain, root, path, schema);
    } else if (!ANNOTATIONS.has(keyword)) {
      errors.push(`${path || '/'}: the validator does not know ${keyword}`);
    }
  }
  return errors;
}

/** The same schema with no room for keys that it does not name. */
export function closed(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) =>
    isObject(value) && isObject(value.properties) && !('additionalProperties' in value) && 'type' in value
      ? { ...value, additionalProperties: false }
      : value,
  ) as Schema;
}
