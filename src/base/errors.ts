/**
 * Every error the program throws on purpose. `code` is stable; `exitCode` is what the command line ends with.
 * Anything else that is thrown is a defect and is shown with its stack.
 */
export class GossamerError extends Error {
  /** Stable: what went wrong, for programs. */
  readonly code: string;
  /** What the command line ends with. */
  readonly exitCode: number;

  constructor(code: string, message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The command line, an option or an argument is wrong. Nothing was started. */
export class UsageError extends GossamerError {
  constructor(message: string) {
    super('usage', message, 2);
  }
}

/** Configuration, directory, disk or store. The state that was committed is kept. */
export class StateError extends GossamerError {
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, 3, options);
  }
}

/** No seed could be reached, or robots.txt forbids it. */
export class SeedError extends GossamerError {
  constructor(message: string) {
    super('no_seed', message, 4);
  }
}

/** Why a URL failed, as it stands in every output. */
export const ERROR_CLASSES = [
  'timeout',
  'dns',
  'connection_refused',
  'connection_reset',
  'tls',
  'auth_required',
  'http_4xx',
  'http_5xx',
  'rate_limited',
  'redirect_loop',
  'redirect_limit',
  'malformed_html',
  'too_large',
  'too_slow',
  'blocked_address',
  'invalid_url',
  'not_cached',
  'not_kept',
  'hook',
  'internal',
  'unknown',
] as const;
/** Why a URL failed, as it stands in every output. */
export type ErrorClass = (typeof ERROR_CLASSES)[number];

export const isErrorClass = (text: string): text is ErrorClass => (ERROR_CLASSES as readonly string[]).includes(text);

/** A request that got no usable answer. Settles its URL as failed, or sends it back to its host's queue (see retries). */
export class FetchError extends GossamerError {
  /** One of `ERROR_CLASSES`. */
  readonly errorClass: ErrorClass;

  constructor(errorClass: ErrorClass, message: string, options?: ErrorOptions) {
    super(`fetch_${errorClass}`, message, 3, options);
    this.errorClass = errorClass;
  }
}

/**
 * The message of anything thrown, with its causes, on one line each. One whose words stand in `said` or in a line before is left out.
 *
 * @param said what the reader is told besides
 */
export function causeChain(error: unknown, said: string): string[] {
  const lines: string[] = [];
  let current: unknown = error;
  for (let depth = 0; current !== undefined && current !== null && depth < 10; depth++) {
    const line = current instanceof Error ? `${current.name}: ${current.message}` : String(current);
    const news = (isNamelessError(current) ? current.message : line).replace(/\.$/, '');
    if (![said, ...lines].some((told) => told.includes(news))) {
      lines.push(line);
    }
    current = current instanceof Error ? current.cause : undefined;
  }
  return lines;
}

/** Whether its name tells nothing: that of a `TypeError` hints at a defect, those of our own errors are no words for a reader. */
const isNamelessError = (error: unknown): error is Error =>
  error instanceof GossamerError || (error instanceof Error && error.name === 'Error');
