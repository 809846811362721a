import { gather, type Parcel, pack, type Shape, spread, unpack } from '../../src/base/parcel.js';
import type { Message } from '../../src/base/worker-thread.js';

/** A parcel as it arrives in another thread; what it took with it is gone here. */
export function posted({ text, parts }: Parcel): Parcel {
  const moved: ArrayBuffer[] = [];
  const gathered = gather(parts, moved);
  return { text, parts: spread(structuredClone(gathered, { transfer: moved })) };
}

/** A value as it arrives. */
export const crossed = <T>(shape: Shape<T>, value: T): T => unpack<T>(shape, posted(pack<T>(shape, value)));

/** The value of a message as it arrives. */
export const told = <V>(message: Message<V, unknown>, value: V): V => crossed<unknown>(message.value, value) as V;
