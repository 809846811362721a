const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** What XML 1.0 cannot hold, not even escaped: most controls, lone surrogates, two non-characters. */
const FORBIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A URL as the text of an element. */
export function xmlUrl(url: string): string {
  return url.replace(FORBIDDEN, percentEncoded).replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

const percentEncoded = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** Two hyphens would end the comment. */
export const xmlComment = (text: string): string => `<!-- ${text.replace(/-(?=-|$)/g, '- ')} -->\n`;

/** Text from the net, in an element or an attribute. Not exact: what XML cannot hold is replaced. */
export const xmlText = (text: string): string =>
  text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"']/g, (character) => ESCAPES[character]!);
