import { type ApiClient, ApiTrouble } from './api-client.js';
import { hostInCertificate, isBelow } from './host-names.js';
import { JsonObjects } from './json-objects.js';
import { isNoJson, MAX_ANSWER_BYTES, MAX_ENTRY_BYTES, parseObject, type SourceEnd } from './source.js';

/**
 * The names below a domain in the public logs of certificates, as crt.sh lists them: one long list, a certificate an object, its names in
 * `name_value`, one a line. A name comes as often as it is there. `take` returns false where it has enough.
 */
export async function readCertificateNames(
  client: ApiClient,
  baseUrl: string,
  domain: string,
  take: (name: string) => boolean,
): Promise<SourceEnd> {
  const url = new URL(baseUrl);
  url.search = `?q=${encodeURIComponent(`%.${domain}`)}&output=json`;
  const objects = new JsonObjects(MAX_ENTRY_BYTES);
  let bytes = 0;
  const end = await client.ask(url.href, (piece) => {
    if (bytes === 0 && isNoJson(piece)) throw new ApiTrouble('its answer is not JSON');
    bytes += piece.length;
    for (const text of objects.read(piece)) {
      for (const name of namesIn(text, domain)) {
        if (!take(name)) return false;
      }
    }
    return bytes <= MAX_ANSWER_BYTES;
  });
  if (bytes > MAX_ANSWER_BYTES) return { cut: 'too large' };
  if (end === 'enough') return { cut: 'limit' };
  return { cut: end === 'truncated' || (end === 'complete' && !objects.isComplete) ? 'broken off' : null };
}

function namesIn(text: string, domain: string): string[] {
  const written = parseObject(text)?.name_value;
  if (typeof written !== 'string') return [];
  return written
    .split('\n')
    .map(hostInCertificate)
    .filter((name) => name !== null)
    .filter((name) => isBelow(name, domain));
}
