import fc from 'fast-check';

/** The rule as the standard has it, with no shortcut. */
export function expected(href: string, base: string): string | null {
  let url: URL;
  try {
    url = new URL(href, base);
  } catch {
    return null;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return url.href;
  }
  url.username = '';
  url.password = '';
  url.hash = '';
  return url.href.replace(/%[0-9a-fA-F]{2}/g, (found) => found.toUpperCase());
}

export const BASES = [
  'http://example.com/',
  'https://example.com/docs/api/index.html',
  'https://example.com/docs/api/?page=2',
  'https://example.com/a//b/c',
  'http://example.com:8080/x/y.html?q=a/b',
  'http://127.0.0.1:3000/%D0%9F/x',
  'http://[::1]/a/b',
];

const piece = fc.oneof(
  { weight: 8, arbitrary: fc.stringMatching(/^[a-zA-Z0-9._~-]{1,6}$/) },
  { weight: 4, arbitrary: fc.constantFrom('/', '../', './', '..', '.', '//', '?', '#', '&', '=', 'a.html') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        '\\',
        '\t',
        '\n',
        '\r',
        ' ',
        ';',
        ':',
        '@',
        '!',
        "'",
        '"',
        '(',
        ')',
        '*',
        '+',
        ',',
        '$',
        '|',
        '^',
        '`',
        '{',
        '<',
      ],
      ...['%2e', '%2E%2e', '%', '%zz', '%c3%a9', '%2f', 'é', '日本', '\ud800', '\u0000', '\u00ad', '[', ']', '\u3002'],
      ...['http:', 'https:', 'HTTP:', 'http:/', 'http://', 'https://', 'hTTps://', 'ftp://', 'mailto:', 'javascript:'],
      ...[
        'example.com',
        'EXAMPLE.com',
        'xn--bcher-kva.example',
        'bücher.example',
        'a..b',
        '0x7f.1',
        '2130706433',
        '1.2',
      ],
      ...['localhost', 'a--b.example', 'user:pw@', ':80', ':443', ':8080', ':99999', '[::1]', '//example.org', 'a.0x1'],
    ),
  },
);
export const messyHref = fc.array(piece, { maxLength: 7 }).map((pieces) => pieces.join(''));
export const plainHref = fc
  .tuple(
    fc.constantFrom(
      '',
      '',
      '../',
      '../../',
      './',
      '/',
      '?',
      '#',
      'https://example.org/',
      'http://a.b-c.io',
      'http://xn--a.io/',
      'https://x1.y2',
    ),
    fc.stringMatching(/^[a-z0-9._/-]{0,12}$/),
    fc.constantFrom('', '?x=1', '?a=b&c=/../d', '#f', '?q#f', '#a b?c'),
  )
  .map((parts) => parts.join(''));
