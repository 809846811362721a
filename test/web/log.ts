import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** One request as the server saw it. The log is the judge of what a crawler did. */
export interface LoggedRequest {
  /** Monotonic milliseconds (hrtime: one zero for all processes of the machine) at which the request was read. */
  at: number;
  /** The name in the Host header, lower case, without port. */
  host: string;
  method: string;
  /** The request target as sent, query included. */
  path: string;
  /** 0 until there is an answer, and where there never was a response. */
  status: number;
  userAgent: string;
  headers: Record<string, string>;
  /** Number of the TCP connection. */
  connection: number;
  /** When the response was handed over completely, or its connection closed. */
  endedAt: number | null;
}

/**
 * The log as JSON lines: one when a request comes, one when it ends, so that requests that are still open can be read too.
 * Lines leave once per turn of the event loop; a killed server loses at most the last turn.
 */
export class LogFile {
  readonly #descriptor: number;
  readonly #numbers = new WeakMap<LoggedRequest, number>();
  #waiting = '';
  #last = 0;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'a');
    // The line break ends what a killed predecessor may have left half written; numbers start again from here.
    writeSync(this.#descriptor, '\n{"opened":true}\n');
  }

  began(request: LoggedRequest): void {
    const number = ++this.#last;
    this.#numbers.set(request, number);
    this.#append({ number, ...request });
  }

  ended(request: LoggedRequest): void {
    this.#append({ number: this.#numbers.get(request), status: request.status, endedAt: request.endedAt });
  }

  close(): void {
    this.#flush();
    closeSync(this.#descriptor);
  }

  #append(line: object): void {
    if (this.#waiting === '') {
      setImmediate(() => this.#flush());
    }
    this.#waiting += `${JSON.stringify(line)}\n`;
  }

  #flush(): void {
    if (this.#waiting === '') {
      return;
    }
    const lines = Buffer.from(this.#waiting);
    this.#waiting = '';
    for (let written = 0; written < lines.length; ) {
      written += writeSync(this.#descriptor, lines, written);
    }
  }
}

/** The requests in a log file, in the order in which they came; also while the server still writes it. */
export function readLog(file: string): LoggedRequest[] {
  const requests: LoggedRequest[] = [];
  let byNumber = new Map<number, LoggedRequest>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') {
      continue;
    }
    const entry = parseWhole(line);
    if (entry === null) {
      continue;
    }
    if (entry.opened) {
      byNumber = new Map();
      continue;
    }
    const { number, ...fields } = entry;
    const known = byNumber.get(number);
    if (known) {
      Object.assign(known, fields);
    } else {
      byNumber.set(number, fields);
      requests.push(fields);
    }
  }
  return requests;
}

/** Null for a line that a kill cut short. */
function parseWhole(line: string): (LoggedRequest & { number: number; opened?: boolean }) | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
