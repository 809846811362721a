const LONGEST_TITLE = 80;

/** The first line, where it stands by itself or is underlined; else nothing. */
export function titleOfText(text: string): string {
  const [first = '', second = ''] = text.slice(0, 1_000).trimStart().split(/\r?\n/);
  const isHeading = second.trim() === '' || /^([=*~#-])\1{2,}\s*$/.test(second);
  return isHeading && first.length <= LONGEST_TITLE ? first.trim() : '';
}

const UNDERLINED = /^(\S.{0,100})\n([=-])\2{2,}\s*$/;

/** Paragraphs are paragraphs, a line with a rule below it is a heading; what is set out with blanks is kept as it stands. */
export function htmlOfText(text: string): string {
  const escaped = text.replace(/\r\n?/g, '\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const blocks = escaped.split(/\n(?:[ \t]*\n)+/).filter((block) => block.trim() !== '');
  const html = blocks.map((block) => {
    const [, heading, line] = UNDERLINED.exec(block) ?? [];
    if (heading !== undefined) {
      const name = line === '=' ? 'h1' : 'h2';
      return `<${name}>${heading}</${name}>`;
    }
    return /^[ \t]|\S(?: {3}|\t)/m.test(block) ? `<pre>\n${block}</pre>` : `<p>${block}</p>`;
  });
  return `<body>${html.join('\n')}</body>`;
}
