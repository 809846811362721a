/**
 * The key by which indexes of archives are sorted (SURT): the name of the host turned round, so that all of a site stand together. It folds what
 * the canonicaliser of the Internet Archive folds, because whoever looks a page up makes the key in the same way.
 */
export function surtOf(url: string): string {
  const match = /^(https?):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(url);
  if (match === null) {
    return url.toLowerCase();
  }
  const [, scheme, authority, path, query = ''] = match as unknown as [string, string, string, string, string?];
  const [, name = authority, port = ''] = /^(.*?)(?::(\d+))?$/.exec(authority.replace(/^[^@]*@/, '')) ?? [];
  const host = name
    .toLowerCase()
    .replace(/^www\d*\./, '')
    .replace(/^\[(.*)\]$/, '$1');
  const isUsual = port === '' || port === (scheme.toLowerCase() === 'https' ? '443' : '80');
  const turned = host.includes(':') ? host : host.split('.').reverse().join(',');
  return `${turned}${isUsual ? '' : `:${port}`})${pathKey(path)}${queryKey(query)}`;
}

function pathKey(path: string): string {
  const folded = withoutSession(
    escaped(unescaped(path))
      .replace(/\/{2,}/g, '/')
      .toLowerCase(),
  );
  return folded.length > 1 ? folded.replace(/\/$/, '') : '/';
}

function queryKey(query: string): string {
  const text = escaped(unescaped(query.slice(1))).toLowerCase();
  const sorted = text.replace(SESSION_PARAMETER, '$1').replace(/&$/, '').split('&').sort(byBytes).join('&');
  return sorted === '' ? '' : `?${sorted}`;
}

const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const withoutSession = (path: string): string =>
  path.replace(/^(.*\/)(?:\((?:[a-z]\([0-9a-z]{24}\))+\)\/|\([0-9a-z]{24}\)\/)([^?]+\.aspx.*)$/, '$1$2');

const SESSION_PARAMETER =
  /(^|&)(?:jsessionid=[0-9a-z]{32}|phpsessid=[0-9a-z]{32}|sid=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)/;

/** As often as there is anything to undo; each character is a byte. */
function unescaped(text: string): string {
  let now = Buffer.from(text).toString('latin1');
  for (let before = ''; before !== now; ) {
    before = now;
    now = now.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  }
  return now;
}

const escaped = (bytes: string): string =>
  bytes.replace(/[^\x21-\x7e]|[#%]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Fourteen digits. */
export const cdxTime = (at: number): string => new Date(at).toISOString().replace(/\D/g, '').slice(0, 14);
