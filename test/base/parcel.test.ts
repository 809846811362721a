import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gather, type Part, PLAIN, pack, type Shape, unpack, weightOf } from '../../src/base/parcel.js';
import { crossed, posted } from './crossing.js';

type AnyShape = Shape<unknown>;

/** Lone surrogates, NULs, quotes, line separators: whatever a page can bring. */
const hostile = fc.string({ unit: 'binary', maxLength: 20 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const bytes = fc.uint8Array({ maxLength: 30 });
const words = fc.array(fc.nat(0xffff_ffff), { maxLength: 10 }).map((all) => Uint32Array.from(all));
/** JSON has no minus zero. */
const plain = fc.jsonValue({ stringUnit: 'binary' }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** Shapes of any depth, each with values of it. */
const { shaped } = fc.letrec<{ shaped: [AnyShape, fc.Arbitrary<unknown>] }>((tie) => ({
  shaped: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<[AnyShape, fc.Arbitrary<unknown>]>(
      ['bytes', maybe(bytes)],
      ['words', maybe(words)],
      ['text', maybe(hostile)],
      ['parts', fc.array(fc.oneof(hostile, bytes), { maxLength: 4 })],
      ['clone', maybe(fc.record({ never: fc.constant(Number.POSITIVE_INFINITY), set: fc.constant(new Set(['a'])) }))],
      [PLAIN, plain],
    ),
    tie('shaped').map(([shape, values]): [AnyShape, fc.Arbitrary<unknown>] => [
      [shape],
      maybe(fc.array(values, { maxLength: 4 })),
    ]),
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('shaped'), { maxKeys: 4 })
      .map((fields): [AnyShape, fc.Arbitrary<unknown>] => [
        Object.fromEntries(Object.entries(fields).map(([name, [shape]]) => [name, shape])),
        maybe(
          fc
            .tuple(
              // Fields may be absent.
              fc.record(Object.fromEntries(Object.entries(fields).map(([name, [, values]]) => [name, values])), {
                requiredKeys: [],
              }),
              plain,
            )
            .map(([record, rest]) => ({ ...record, rest })),
        ),
      ]),
  ),
}));
const shapedValue = shaped.chain(([shape, values]) => values.map((value) => ({ shape, value })));

describe('a value of any shape', () => {
  it('arrives in another thread as it was sent', () => {
    fc.assert(
      fc.property(shapedValue, ({ shape, value }) => {
        const sent = structuredClone(value);
        expect(crossed(shape, value)).toStrictEqual(sent);
      }),
      { numRuns: 500 },
    );
  });

  it('is as it was once it is packed', () => {
    fc.assert(
      fc.property(shapedValue, ({ shape, value }) => {
        const before = structuredClone(value);
        pack(shape, value);
        expect(value).toEqual(before);
      }),
    );
  });

  it('can be unpacked where it was packed', () => {
    fc.assert(
      fc.property(shapedValue, ({ shape, value }) => {
        expect(unpack(shape, pack(shape, value))).toEqual(value);
      }),
    );
  });
});

describe('what is easily lost', () => {
  it('nothing at all, null and an empty text stay apart', () => {
    for (const value of [undefined, null, '', 0, false]) {
      expect(crossed<unknown>(PLAIN, value)).toBe(value);
    }
    expect(crossed<unknown>('text', '')).toBe('');
    expect(crossed<unknown>('text', null)).toBe(null);
  });

  it('a field that is undefined is absent', () => {
    const shape: Shape<{ a?: Uint8Array | undefined; b: number }> = { a: 'bytes' };
    expect(Object.keys(crossed<{ a?: Uint8Array | undefined; b: number }>(shape, { a: undefined, b: 1 }))).toEqual([
      'b',
    ]);
  });

  it('bytes and words of no length arrive as such', () => {
    const value = { a: new Uint8Array(), b: new Uint32Array(), c: [new Uint32Array(), null] };
    const shape: Shape<typeof value> = { a: 'bytes', b: 'words', c: ['words'] };
    const arrived = crossed(shape, value);
    expect(arrived).toEqual({ a: new Uint8Array(), b: new Uint32Array(), c: [new Uint32Array(), null] });
  });

  it('halves of surrogate pairs and NULs are neither replaced nor cut', () => {
    const text = 'a\ud800\0\udc00b\u2028"\\';
    expect(crossed<string>('text', text)).toBe(text);
    expect(crossed<string>(PLAIN, text)).toBe(text);
  });

  it('words begin where words may, whatever length the bytes before them have', () => {
    for (let length = 0; length < 20; length++) {
      const value = { a: new Uint8Array(length).fill(7), b: Uint32Array.of(1, 2 ** 32 - 1) };
      const sent = structuredClone(value);
      expect(crossed<typeof value>({ a: 'bytes', b: 'words' }, value)).toEqual(sent);
    }
  });
});

describe('bytes on their way', () => {
  it('are gathered in one block, however many there are', () => {
    const moved: ArrayBuffer[] = [];
    const parts = Array.from({ length: 1_000 }, (_, i) => new Uint8Array(i % 50).fill(i));
    const { block } = gather(parts, moved);
    expect(moved).toEqual([block]);
  });

  it('change their thread with their buffer where they are large and it is theirs alone', () => {
    const own = new Uint8Array(1 << 20).fill(1);
    const [arrived] = posted({ text: '', parts: [own] }).parts as [Uint8Array];
    expect([own.byteLength, arrived.byteLength, arrived[0]]).toEqual([0, 1 << 20, 1]);
  });

  it('are copied out of a buffer that others use too', () => {
    const shared = new Uint8Array(1 << 20).fill(2);
    const [arrived] = posted({ text: '', parts: [shared.subarray(1, 1 << 19)] }).parts as [Uint8Array];
    expect([shared.byteLength, arrived.byteLength, arrived[0]]).toEqual([1 << 20, (1 << 19) - 1, 2]);
  });

  it('may stand in a message twice', () => {
    const large = new Uint8Array(1 << 20).fill(3);
    const [one, other] = posted({ text: '', parts: [large, large] }).parts as [Uint8Array, Uint8Array];
    expect([one.length, other.length, one[9], other[9]]).toEqual([1 << 20, 1 << 20, 3, 3]);
  });

  it('are passed on from thread to thread, words as words', () => {
    const parcel = pack<{ edges: Uint32Array }>({ edges: 'words' }, { edges: Uint32Array.of(5, 6) });
    const twice = posted(posted(parcel));
    expect(unpack<{ edges: Uint32Array }>({ edges: 'words' }, twice).edges).toEqual(Uint32Array.of(5, 6));
  });
});

describe('texts that together are longer than one can be', () => {
  it('travel beside each other where the shape says so', () => {
    const half = 'x'.repeat(2 ** 28);
    const value = { a: half, b: half, c: half };
    const { text, parts } = pack<typeof value>({ a: 'text', b: 'text', c: 'text' }, value);
    expect([text, parts.length]).toEqual(['{"a":0,"b":1,"c":2}', 3]);
  });
});

describe('the weight of a parcel', () => {
  it('is that of its texts and bytes', () => {
    const parts: Part[] = ['four', new Uint8Array(10), Uint32Array.of(1, 2), { cloned: true }];
    expect(weightOf({ text: '{}', parts })).toBe(2 + 4 + 10 + 8);
  });
});

describe('a shape', () => {
  it('has to name what is no plain data: the compiler says so', () => {
    interface Record {
      id: number;
      bytes: Uint8Array | null;
      nested?: { words: Uint32Array }[];
      names: Set<string>;
    }
    const complete: Shape<Record> = { bytes: 'bytes', nested: [{ words: 'words' }], names: 'clone' };
    // @ts-expect-error bytes are not named
    const missing: Shape<Record> = { nested: [{ words: 'words' }], names: 'clone' };
    // @ts-expect-error words are not named
    const missingWithin: Shape<Record> = { bytes: 'bytes', nested: [{}], names: 'clone' };
    // @ts-expect-error a Set is no plain data
    const missingSet: Shape<Record> = { bytes: 'bytes', nested: [{ words: 'words' }] };
    // @ts-expect-error there is no such field
    const unknown: Shape<Record> = { ...complete, byte: 'bytes' };
    // @ts-expect-error words are no bytes
    const mistaken: Shape<Record> = { bytes: 'words', nested: [{ words: 'words' }], names: 'clone' };
    expect([complete, missing, missingWithin, missingSet, unknown, mistaken]).toHaveLength(6);
  });
});
