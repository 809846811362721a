import { domainToASCII, domainToUnicode } from 'node:url';
import { hostnameOf } from './host.js';

/**
 * Host names as people read them. The identity of a host is its ASCII form (xn--…), which is what is stored, compared and asked for; the
 * other form only ever stands beside it. A label is shown in Unicode where it can hardly be taken for another one: all of it is of one script
 * that is written from left to right, with ASCII digits and hyphens. So nothing invisible, nothing that reorders text, no mixture.
 */
const SCRIPTS =
  'Latin Greek Cyrillic Armenian Georgian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Ethiopic Khmer Hangul Hiragana Katakana Han'
    .split(' ')
    .map((script) => new RegExp(`^[\\p{Script=${script}}0-9-]+$`, 'u'));
/** Greek and Cyrillic letters that look like Latin ones; a label of nothing else stays as it is. */
const LATIN_LOOKALIKES = /^[αηικνορτυωасԁеһіјӏорԛѕԝхуъьҽпгѵѡ0-9-]+$/u;

/** The Unicode form of a host (with or without a port), or null if there is none to show. */
export function unicodeHost(host: string): string | null {
  if (!host.includes('xn--')) {
    return null;
  }
  const shown = host.split('.').map(unicodeLabel).join('.');
  return shown === host ? null : shown;
}

/** `bücher.example (xn--bcher-kva.example)`; a host without another form as it is. */
export function hostForPeople(host: string): string {
  const shown = unicodeHost(host);
  return shown === null ? host : `${shown} (${host})`;
}

/** The URL with its host in Unicode, whether that is safe to show or not; for patterns that are written so. */
export function withUnicodeHost(url: string): string {
  const host = hostnameOf(url);
  return host.includes('xn--') ? url.replace(host, () => domainToUnicode(host) || host) : url;
}

function unicodeLabel(label: string): string {
  if (!label.startsWith('xn--')) {
    return label;
  }
  const shown = domainToUnicode(label);
  // A label that decodes to plain ASCII, or that encodes to something else again, is a disguise.
  const isPlain =
    domainToASCII(shown) === label && SCRIPTS.some((script) => script.test(shown)) && !LATIN_LOOKALIKES.test(shown);
  return isPlain ? shown : label;
}
