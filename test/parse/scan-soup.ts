import fc from 'fast-check';

/**
 * Generators of tag soup. Left out is what a tree builder drops though a tokenizer sees it: anything in select and
 * frameset, frames, a form in a form, and the ids of html, head, body and parts of tables in the wrong place.
 */
const oneOf = (...words: string[]) => fc.constantFrom(...words);
const words = (list: string) => oneOf(...list.split(' '));
const joined = (part: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(part, { maxLength }).map((parts) => parts.join(''));
const sequence = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));

const attributeName = fc.oneof(
  { weight: 4, arbitrary: words('href HREF src rel id name class content srcset hreflang type lang data http-equiv') },
  { weight: 1, arbitrary: oneOf('=', 'a"b', "'", 'x\0', 'poster', 'href\0', 'xlink:href') },
  { weight: 1, arbitrary: words('data-gossamer-ignore Data-Gossamer-IGNORE data-gossamer-ignored') },
);
const value = fc.oneof(
  words(
    'x ../a.html?b=1&amp;c=2 #f a>b a<b = &copy=1 &copy &#x41; é 😀 next canonical stylesheet image refresh robots',
  ),
  oneOf('', ' ', '\0', 'a\r\nb', '1;url=r', 'a 1x, b', ' x\n'),
  joined(oneOf('a', '&', ';', '#', '=', '/', ' ', '\n', '-', 'lt', '1', '<', '>'), 6),
);
const writtenValue = fc.oneof(
  value.map((text) => `"${text.replaceAll('"', '')}"`),
  value.map((text) => `'${text.replaceAll("'", '')}'`),
  value.map((text) => text.replace(/[\s>"']/g, '')),
);
const gap = oneOf(' ', '  ', '\n', '/', ' / ', '\t', '\f', '\r\n', '');
const assignment = oneOf('=', '=', '=', ' =', '= ', ' = ', '==');
const attribute = fc.oneof(sequence(gap, attributeName, assignment, writtenValue), sequence(gap, attributeName));

const tagName = oneOf(
  ...'a A area link img image div p b span li meta base video audio source track embed object input'.split(' '),
  ...'noscript template h1 button x-y abbr'.split(' '),
  'i\0',
);
const structure = oneOf(
  '<table>',
  '<tr>',
  '<td class=x>',
  '<html lang=en>',
  '<head>',
  '<body class="a">',
  '</table>',
  '</body>',
);
const startTag = sequence(fc.constant('<'), tagName, joined(attribute, 4), oneOf('>', '/>', ' >', ' />'));
const endTag = sequence(fc.constant('</'), tagName, oneOf('>', ' >', '/>', ' a=">">', '="x>'));

const rawContent = joined(
  oneOf(
    '<a href=1>',
    '<!--',
    '-->',
    '--!>',
    '<script',
    '</script',
    '<script>',
    '</script >',
    '</style>',
    '</title',
    '>',
    ' ',
    '-',
    '<',
    '/',
    '&lt;',
    '"',
    '</ ',
  ),
  8,
);
const rawElement = fc
  .tuple(words('script style title textarea xmp iframe noembed noframes SCRIPT'), rawContent, fc.boolean())
  .map(([name, content, isClosed]) => `<${name}>${content}${isClosed ? `</${name}>` : ''}`);

const comment = sequence(
  oneOf('<!--', '<!-', '<!', '<?', '</ ', '<![CDATA['),
  joined(oneOf('-', '--', '!', '>', '<', '<!--', '<a href=c>', 'x', ']]>', '-->'), 6),
  oneOf('-->', '--!>', '>', ''),
);
const text = oneOf(
  'text',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '&amp;',
  '&lt',
  'é',
  '😀',
  '<',
  '< ',
  '<1',
  '>',
  '"',
  '\0',
  'a < b',
);

/** Balanced, and without end tags of HTML: which elements of HTML are open is not followed inside. */
const svg = joined(
  oneOf(
    '<style><a href=s></style>',
    '<title><b>t</b></title>',
    '<script><a href=j></script>',
    '<![CDATA[<a href=d>]]>',
    '<path d="M0>0"/>',
    '<a xlink:href=l>t</a>',
    '<a href=h id=i></a>',
    '<a data-gossamer-ignore href=h></a>',
    '<image href=1 src=2 />',
    '<g></h></g>',
    '<desc><style><a href=e></style></desc>',
    '<foreignObject><title>x</title><img src=f></foreignObject>',
    '<math/>',
  ),
  5,
).map((content) => `<svg>${content}</svg>`);

export const tagSoup = joined(
  fc.oneof(
    { weight: 6, arbitrary: startTag },
    { weight: 2, arbitrary: endTag },
    { weight: 2, arbitrary: text },
    rawElement,
    comment,
    structure,
  ),
  12,
);

export const foreignSoup = joined(fc.oneof(startTag, rawElement, svg, text), 8);

export const characterSoup = joined(
  fc.oneof(
    words('< > / ! - -- a href = " \' script style title & amp ; template x ? img src textarea </ é'),
    oneOf(' ', '\n', '\0', '<a href="', '<div class="'),
  ),
  24,
);
