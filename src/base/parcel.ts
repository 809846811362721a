/**
 * How values cross from one thread to another. A shape says which fields of a record are not plain data; all that it does not name travels
 * as one JSON text, because text is copied between threads while an object is taken apart and put together again field by field.
 *
 *   'bytes' 'words'  a Uint8Array or a Uint32Array. It is given away: the sender must not look into it again
 *   'text'           a string that is passed on unopened, or is so long that it should not be written as JSON
 *   'parts'          the parts of a parcel inside this one, which are passed on unopened too
 *   'clone'          anything that a message can carry as it is: shared memory, sets, numbers that may be infinite
 *   [shape]          a list, of which each element has the shape
 *   { field: shape } a record with such fields; any of them may be null or absent
 *
 * A field that is undefined arrives absent, as JSON has it.
 */
export type Shape<T> = unknown extends T ? AnyShape : ShapeOf<Exclude<T, null | undefined>>;

/** A value on its way: its text, with a number in place of each part that travels beside it. */
export interface Parcel {
  text: string;
  parts: Part[];
}
export type Part = string | object;

type Leaf = 'bytes' | 'words' | 'text' | 'parts' | 'clone';
type AnyShape = Leaf | readonly [AnyShape] | { readonly [field: string]: AnyShape | undefined };

type ShapeOf<T> = T extends Uint8Array
  ? 'bytes'
  : T extends Uint32Array
    ? 'words'
    : T extends string
      ? 'text' | { readonly [field: string]: never }
      : T extends readonly (infer E)[]
        ? readonly [Shape<E>] | 'clone' | (E extends Part ? 'parts' : never) | PlainOnly<T>
        : T extends object
          ? 'clone' | Fields<T>
          : { readonly [field: string]: never };
type Fields<T> = { readonly [K in keyof T as false extends IsPlain<T[K]> ? K : never]-?: Shape<T[K]> } & {
  readonly [K in keyof T]?: Shape<T[K]>;
};
type PlainOnly<T> = false extends IsPlain<T> ? never : { readonly [field: string]: never };
/** Whether JSON gives it back as it was. */
type IsPlain<T> = T extends string | number | boolean | null | undefined
  ? true
  : T extends readonly (infer E)[]
    ? IsPlain<E>
    : T extends ArrayBufferView | ReadonlySet<unknown> | ReadonlyMap<unknown, unknown> | SharedArrayBuffer
      ? false
      : T extends object
        ? [keyof T] extends [never]
          ? false
          : IsPlain<T[keyof T]>
        : false;

type Holder = Record<string | number, unknown>;

/** Of a parcel that is passed on unopened. */
export const PASSED_ON: Shape<Parcel> = { text: 'text', parts: 'parts' };

/** Nothing of it is more than plain data. */
export const PLAIN = {};

/** While it is written the value has numbers in place of its parts; it is as it was when this returns, or throws. */
export function pack<T>(shape: Shape<T>, value: T): Parcel {
  const root: Holder = { value };
  const parts: Part[] = [];
  const taken: unknown[] = [];
  try {
    takeParts(shape as AnyShape, root, 'value', parts, taken);
    // Nothing at all is no JSON.
    return { text: JSON.stringify(root.value) ?? '', parts };
  } finally {
    for (let i = taken.length - 3; i >= 0; i -= 3) {
      (taken[i] as Holder)[taken[i + 1] as string] = taken[i + 2];
    }
  }
}

export function unpack<T>(shape: Shape<T>, { text, parts }: Parcel): T {
  const root: Holder = { value: text === '' ? undefined : JSON.parse(text) };
  putParts(shape as AnyShape, root, 'value', parts);
  return root.value as T;
}

/** How much there is of it, in characters and bytes; what is cloned is not counted. */
export function weightOf({ text, parts }: Parcel): number {
  let weight = text.length;
  for (const part of parts) {
    weight += typeof part === 'string' ? part.length : ArrayBuffer.isView(part) ? part.byteLength : 0;
  }
  return weight;
}

function takeParts(shape: AnyShape, holder: Holder, key: string | number, parts: Part[], taken: unknown[]): void {
  const value = holder[key];
  if (value === null || value === undefined) {
    return;
  }
  if (typeof shape === 'string') {
    taken.push(holder, key, value);
    if (shape === 'parts') {
      holder[key] = [parts.length, (value as Part[]).length];
      for (const part of value as Part[]) {
        parts.push(part);
      }
    } else {
      holder[key] = parts.push(value as Part) - 1;
    }
  } else if (isList(shape)) {
    for (let i = 0; i < (value as unknown[]).length; i++) {
      takeParts(shape[0], value as Holder, i, parts, taken);
    }
  } else {
    for (const field in shape) {
      takeParts(shape[field]!, value as Holder, field, parts, taken);
    }
  }
}

function putParts(shape: AnyShape, holder: Holder, key: string | number, parts: readonly Part[]): void {
  const value = holder[key];
  if (value === null || value === undefined) {
    return;
  }
  if (shape === 'parts') {
    const [from, count] = value as [number, number];
    holder[key] = parts.slice(from, from + count);
  } else if (typeof shape === 'string') {
    const part = parts[value as number]!;
    holder[key] = shape === 'words' ? asWords(part) : part;
  } else if (isList(shape)) {
    for (let i = 0; i < (value as unknown[]).length; i++) {
      putParts(shape[0], value as Holder, i, parts);
    }
  } else {
    for (const field in shape) {
      putParts(shape[field]!, value as Holder, field, parts);
    }
  }
}

const isList = (shape: AnyShape): shape is readonly [AnyShape] => Array.isArray(shape);

/** What has crossed arrives as bytes, at a place where words may begin. */
const asWords = (part: Part): Uint32Array =>
  part instanceof Uint32Array
    ? part
    : new Uint32Array(
        (part as Uint8Array).buffer,
        (part as Uint8Array).byteOffset,
        (part as Uint8Array).byteLength >> 2,
      );

/** Parts as a message has them: bytes are gathered in one block, and the number of them stands in their place. */
export interface Gathered {
  parts: (Part | number)[];
  block: ArrayBuffer | null;
}

/** From this size on, bytes that have a buffer to themselves change their thread with it; below, copying them costs less than that. */
const LARGE = 32 << 10;
/** Each part begins where any typed array may. */
const ALIGNED = 8;

/** @param moved gets the buffers that the message takes with it */
export function gather(parts: readonly Part[], moved: ArrayBuffer[]): Gathered {
  const gathered: (Part | number)[] = [];
  const small: Uint8Array[] = [];
  let size = 0;
  for (const part of parts) {
    if (!ArrayBuffer.isView(part) || !(part.buffer instanceof ArrayBuffer)) {
      gathered.push(part);
      continue;
    }
    const { buffer, byteOffset, byteLength } = part;
    if (byteLength >= LARGE && byteLength === buffer.byteLength && !moved.includes(buffer)) {
      moved.push(buffer);
      gathered.push(new Uint8Array(buffer));
    } else {
      small.push(new Uint8Array(buffer, byteOffset, byteLength));
      size += roomFor(byteLength);
      gathered.push(byteLength);
    }
  }
  if (small.length === 0) {
    return { parts: gathered, block: null };
  }
  const block = new Uint8Array(size);
  let at = 0;
  for (const bytes of small) {
    block.set(bytes, at);
    at += roomFor(bytes.length);
  }
  moved.push(block.buffer);
  return { parts: gathered, block: block.buffer };
}

export function spread({ parts, block }: Gathered): Part[] {
  let at = 0;
  return parts.map((part) => {
    if (typeof part !== 'number') {
      return part;
    }
    const bytes = new Uint8Array(block!, at, part);
    at += roomFor(part);
    return bytes;
  });
}

const roomFor = (length: number): number => Math.ceil(length / ALIGNED) * ALIGNED;
