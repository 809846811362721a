import { printable } from '../base/text.js';

/** Status codes that count as fine, as `200..299,403`. */
export interface StatusSet {
  has(status: number): boolean;
}

const PART = /^(\d{3})(?:\.\.(\d{3}))?$/;

/** @param fail takes what is wrong, as the end of a sentence that begins with the name of the option */
export function parseStatusSet(text: string, fail: (problem: string) => never): StatusSet {
  const ranges = text.split(',').map((part): readonly [number, number] => {
    const [, first, last = first] = PART.exec(part.trim()) ?? [];
    if (first === undefined || Number(first) < 100) {
      return fail(`must be status codes and ranges of them such as 200..299,403, got ${printable(text, 100)}`);
    }
    if (Number(last) < Number(first)) fail(`must not have a range that ends before it begins, got ${part.trim()}`);
    return [Number(first), Number(last)];
  });
  return { has: (status) => ranges.some(([first, last]) => status >= first && status <= last) };
}
