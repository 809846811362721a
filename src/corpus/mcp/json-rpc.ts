/** JSON-RPC 2.0, as far as the Model Context Protocol uses it: one message a line, no batches. */

export type Id = string | number | null;

export interface Call {
  /** undefined where no answer is awaited. */
  id: Id | undefined;
  method: string;
  params: Record<string, unknown>;
}

export const ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  noResource: -32002,
} as const;

/** An answer that says what is wrong with a call. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const answer = (id: Id, result: object): object => ({ jsonrpc: '2.0', id, result });

export const refusal = (id: Id, { code, message }: RpcError): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

/** null if the line is an answer to somebody. */
export function readCall(line: string): Call | null {
  const message = parsed(line);
  if (!isObject(message) || message.jsonrpc !== '2.0') {
    throw new RpcError(ERROR.invalidRequest, 'not a JSON-RPC 2.0 message');
  }
  const { id, method, params } = message;
  if (method === undefined && (message.result !== undefined || message.error !== undefined)) {
    return null;
  }
  if (typeof method !== 'string' || !isId(id)) {
    throw new RpcError(ERROR.invalidRequest, 'not a JSON-RPC 2.0 request');
  }
  if (params !== undefined && !isObject(params)) {
    throw new RpcError(ERROR.invalidParams, 'params is not an object');
  }
  return { id, method, params: params ?? {} };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new RpcError(ERROR.parse, 'not JSON');
  }
}

/** Of a message that cannot be answered otherwise. */
export function idIn(line: string): Id {
  try {
    const { id } = JSON.parse(line);
    return typeof id === 'string' || typeof id === 'number' ? id : null;
  } catch {
    return null;
  }
}

const isId = (id: unknown): id is Id | undefined =>
  id === undefined || id === null || typeof id === 'string' || typeof id === 'number';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
