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
  ERR_CLOSED_EARLY: ['connection_reset', 'The server closed the connection.'],
  ERR_UPGRADE: ['connection_reset', 'The server answers 101, and wants to speak another protocol than HTTP.'],
  ERR_CONTRADICTING_LENGTHS: ['connection_reset', 'The headers contradict each other about the length of the body.'],
  ERR_IMPOSSIBLE_LENGTH: ['connection_reset', 'The Content-Length is a number that no body can have.'],
  UND_ERR_SOCKET: ['connection_reset', 'The server closed the connection.'],
  UND_ERR_INFO: ['connection_reset', 'The server closed the stream.'],
  ERR_HTTP2_STREAM_ERROR: ['connection_reset', 'The server closed the stream.'],
  ERR_HTTP2_SESSION_ERROR: ['connection_reset', 'The server closed the connection.'],
  ERR_HTTP2_GOAWAY_SESSION: ['connection_reset', 'The server closed the connection.'],
  ETIMEDOUT: ['timeout', 'The connection timed out.'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'The connection timed out.'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'The headers did not come in time.'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'The body did not come in time.'],
  ERR_HEADERS_OVERFLOW: ['too_large', 'The headers are larger than 64 KiB.'],
  UND_ERR_HEADERS_OVERFLOW: ['too_large', 'The headers are larger than 64 KiB.'],
};

/** The codes of OpenSSL's verdicts on a certificate that have no common beginning. */
const CERTIFICATE =
  /^(?:EPROTO$|ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CRL_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|ERR_OSSL_)/;

/** What the codes mean, for people who run the site. */
const TLS_WORDS: readonly [code: RegExp, words: string][] = [
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'the certificate is not valid yet'],
  [/^CERT_REVOKED$/, 'the certificate was revoked'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'the server has signed its certificate itself'],
  [/^SELF_SIGNED_CERT_IN_CHAIN$/, 'the certificate comes from an authority that nobody here trusts'],
  [
    /^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/,
    'the server does not send the certificates between its own and a known authority',
  ],
  [/^UNABLE_TO_GET_ISSUER_CERT/, 'the certificate comes from an authority that is not known here'],
  [/ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/, 'the certificate is for other names'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/, 'the server does not speak TLS at this port'],
  [
    /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW/,
    'the server only speaks versions of TLS that are no longer safe',
  ],
  [/UNRECOGNIZED_NAME/, 'the server does not know this name'],
  [
    /HANDSHAKE_FAILURE|NO_SHARED_CIPHER|DH_KEY_TOO_SMALL|EE_KEY_TOO_SMALL|INSUFFICIENT_SECURITY/,
    'the server offers nothing that is safe enough',
  ],
  [/CERTIFICATE_REQUIRED|BAD_CERTIFICATE/, 'the server wants a certificate from its visitors'],
];

function tlsWords(code: string): string {
  const words =
    TLS_WORDS.find(([pattern]) => pattern.test(code))?.[1] ?? 'the server and this program found no common ground';
  return `TLS: ${words} (${code}).`;
}

/** The FetchError that anything thrown on the way of a request stands for, with what was thrown as its cause. */
export function classify(error: unknown, verbose: boolean): FetchError {
  if (error instanceof FetchError) {
    return error;
  }
  const [errorClass, message] = describe(error);
  return fetchError(errorClass, message, error, verbose);
}

export function fetchError(errorClass: ErrorClass, message: string, cause: unknown, verbose: boolean): FetchError {
  const causes = verbose ? causeChain(cause, message) : [];
  const text = causes.length > 0 ? `${message} (${causes.join(' ← ')})` : message;
  return new FetchError(errorClass, text, { cause });
}

function describe(error: unknown): [ErrorClass, string] {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const known = BY_CODE[code];
  if (known !== undefined) {
    return known;
  }
  if (CERTIFICATE.test(code)) {
    return ['tls', tlsWords(code)];
  }
  if (code.startsWith('HPE_')) {
    return ['connection_reset', `What came is no response of HTTP: ${detailOf(message)}.`];
  }
  return ['unknown', message];
}

/** The parser's own complaint, without the words that it always uses. */
const detailOf = (message: string): string => /\((.*)\)\.?$/.exec(message)?.[1] ?? message.replace(/\.$/, '');

export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return '';
  }
  if ('code' in error && typeof error.code === 'string') {
    return error.code;
  }
  // Errors of the parser have no code.
  return error.name === 'HTTPParserError' ? 'HPE_ERROR' : '';
}
