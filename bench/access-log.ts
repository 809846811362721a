/** For nginx's http block: a line of JSON a request. $uri is what was served, decoded and with index.html filled in. */
export const LOG_FORMAT = `log_format visits escape=json '{"port":$server_port,"status":$status,"type":"$sent_http_content_type","path":"$uri"}';`;

/** A request as the server saw it. */
export interface Visit {
  readonly port: number;
  readonly status: number;
  readonly type: string;
  readonly path: string;
}

export function readVisits(log: string): Visit[] {
  return log
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Visit);
}

/** The HTML pages that were answered well, each once however it was spelled, as URLs. */
export function pagesOf(visits: Iterable<Visit>): Set<string> {
  const pages = new Set<string>();
  for (const { port, status, type, path } of visits) {
    if (status === 200 && /^(?:text\/html|application\/xhtml\+xml)\b/.test(type)) {
      pages.add(`http://127.0.0.1:${port}${path.split('/').map(encodeURIComponent).join('/')}`);
    }
  }
  return pages;
}

export function countMissing(expected: ReadonlySet<string>, actual: ReadonlySet<string>): number {
  let missing = 0;
  for (const page of expected) {
    if (!actual.has(page)) {
      missing++;
    }
  }
  return missing;
}
