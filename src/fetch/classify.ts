import { causeChain, type ErrorClass, FetchError } from '../base/errors.js';

const TRANSIENT = new Set<ErrorClass>([
  'timeout',
  'connection_refused',
  'connection_reset',
  'http_5xx',
  'rate_limited',
]);

/** Whether asking again later may help. A name is looked up twice before it is `dns`, so that is final. */
export const isTransient = (errorClass: ErrorClass): boolean => TRANSIENT.has(errorClass);

const BY_CODE: Record<string, [ErrorClass, string]> = {
  ECONNREFUSED: ['connection_refused', 'The connection was refused.'],
  EHOSTUNREACH: ['connection_refused', 'The host cannot be reached.'],
  ENETUNREACH: ['connection_refused', 'The network cannot be reached.'],
  EADDRNOTAVAIL: ['connection_refused', 'The address cannot be connected to.'],
  EACCES: ['connection_refused', 'The system does not allow the connection.'],
  EPERM: ['connection_refused', 'The system does not allow the connection.'],
  ECONNRESET: ['connection_reset', 'The connection was reset.'],
  ECONNABORTED: ['connection_reset', 'The connection was reset.'],
  EPIPE: ['connection_reset', 'The connection was closed while the request was sent.'],
  UND_ERR_SOCKET: ['connection_reset', 'The server closed the connection.'],
  UND_ERR_INFO: ['connection_reset', 'The server closed the stream.'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['connection_reset', 'The body ended before its Content-Length.'],
  ERR_HTTP2_STREAM_ERROR: ['connection_reset', 'The server closed the stream.'],
  ERR_HTTP2_SESSION_ERROR: ['connection_reset', 'The server closed the connection.'],
  ERR_HTTP2_GOAWAY_SESSION: ['connection_reset', 'The server closed the connection.'],
  ETIMEDOUT: ['timeout', 'The connection timed out.'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'The connection timed out.'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'The headers did not come in time.'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'The body did not come in time.'],
  UND_ERR_HEADERS_OVERFLOW: ['too_large', 'The headers are larger than 64 KiB.'],
  HPE_HEADER_OVERFLOW: ['too_large', 'The headers are larger than 64 KiB.'],
  EPROTO: ['tls', 'The TLS handshake failed.'],
};

/** The codes of OpenSSL's verdicts on a certificate that have no common beginning. */
const CERTIFICATE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CRL_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|ERR_OSSL_)/;

/** The FetchError that anything thrown on the way of a request stands for, with what was thrown as its cause. */
export function classify(error: unknown, verbose: boolean): FetchError {
  if (error instanceof FetchError) return error;
  const [errorClass, message] = describe(error);
  return fetchError(errorClass, message, error, verbose);
}

export function fetchError(errorClass: ErrorClass, message: string, cause: unknown, verbose: boolean): FetchError {
  const text = verbose && cause !== undefined ? `${message} (${causeChain(cause).join(' ← ')})` : message;
  return new FetchError(errorClass, text, { cause });
}

function describe(error: unknown): [ErrorClass, string] {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (CERTIFICATE.test(code)) return ['tls', `TLS: ${tlsReason(error) ?? message}.`];
  if (code.startsWith('HPE_')) return ['unknown', `${message}.`];
  return ['unknown', message];
}

/** OpenSSL's own message is full of its file names; what it says stands beside it. */
function tlsReason(error: unknown): string | null {
  const reason = error instanceof Error && 'reason' in error ? error.reason : null;
  if (reason === 'wrong version number') return 'what answers there does not speak TLS (wrong version number)';
  return typeof reason === 'string' && reason !== '' && 'library' in (error as Error) ? reason : null;
}

export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Those of the parser come without one.
  return error.name === 'HTTPParserError' ? 'HPE_ERROR' : '';
}
