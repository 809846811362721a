import { ERROR, RpcError } from './json-rpc.js';

/** What a client gave, looked at: a wrong one is refused by name. */

export function textArgument(values: Record<string, unknown>, name: string, maxLength: number): string | null {
  const value = values[name];
  if (value === undefined || value === null) {
    return null;
  }
  if (typeof value !== 'string') {
    throw wrong(name, 'is not text');
  }
  if (value.length > maxLength) {
    throw wrong(name, `has more than ${maxLength} characters`);
  }
  return value;
}

export function integerArgument(
  values: Record<string, unknown>,
  name: string,
  lowest: number,
  highest: number,
): number | null {
  const value = values[name];
  if (value === undefined || value === null) {
    return null;
  }
  if (typeof value !== 'number' || !Number.isInteger(value) || value < lowest || value > highest) {
    throw wrong(name, `is not a whole number from ${lowest} to ${highest}`);
  }
  return value;
}

export const requiredArgument = <T>(value: T | null, name: string): T => {
  if (value === null) {
    throw wrong(name, 'is missing');
  }
  return value;
};

const wrong = (name: string, what: string): RpcError => new RpcError(ERROR.invalidParams, `${name} ${what}`);
