import { type Case, group, page, type Truth } from './case.js';

const file = group('file');
const REFERENCE = 'RFC 3986 5.2';
const MARKDOWN = 'CommonMark 0.31';

/** A link on the HTML page of the folder, and the files beside it. */
const html = (rest: string, truth: Truth, standard: string, markup: string, files: Record<string, string> = {}): Case =>
  file(rest, truth, standard, null, null, {
    files: { 'page-of-{name}.html': `<!doctype html><title>{name}</title><p>Some text.</p>${markup}`, ...files },
  });
const markdown = (
  rest: string,
  truth: Truth,
  standard: string,
  text: string,
  files: Record<string, string> = {},
): Case =>
  file(rest, truth, standard, null, null, {
    files: { 'page-of-{name}.md': `# Some title\n\nSome text.\n\n${text}\n`, ...files },
  });
const text = (rest: string, truth: Truth, extension: string, content: string): Case =>
  file(rest, truth, 'RFC 3986 appendix C', null, truth === 'fine' ? page() : null, {
    files: { [`page-of-{name}.${extension}`]: content },
  });
const PAGE = '<!doctype html><title>A page</title><p id="place">Some text.</p>';

export const FILE_CASES: readonly Case[] = [
  html('html', 'fine', REFERENCE, '<a href="{name}.html">a link</a>', { '{name}.html': PAGE }),
  html('html-gone', 'broken', REFERENCE, '<a href="{name}.html">a link</a>'),
  html('img-gone', 'broken', REFERENCE, '<img src="{name}.png" alt="">'),
  html('space', 'fine', REFERENCE, '<a href="a%20{name}.html">a link</a>', { 'a {name}.html': PAGE }),
  html('number-sign', 'fine', REFERENCE, '<a href="a%23{name}.html">a link</a>', { 'a#{name}.html': PAGE }),
  html('folder', 'fine', 'HTTP servers answer a folder with its index page', '<a href="{name}/">a link</a>', {
    '{name}/index.html': PAGE,
  }),
  html('fragment', 'fine', 'HTML 7.4.6.4', '<a href="{name}.html#place">a link</a>', { '{name}.html': PAGE }),
  html('fragment-missing', 'broken', 'HTML 7.4.6.4', '<a href="{name}.html#nowhere">a link</a>', {
    '{name}.html': PAGE,
  }),
  html('sheet-url-gone', 'broken', 'CSS Values 4, 4.5', '<link rel="stylesheet" href="of-{name}.css">', {
    'of-{name}.css': 'p { background: url(img/{name}.png) }',
  }),
  markdown('md', 'fine', `${MARKDOWN}, 6.3`, '[a link]({name}.md "title")', { '{name}.md': '# Other\n' }),
  markdown('md-gone', 'broken', `${MARKDOWN}, 6.3`, '[a link]({name}.md)'),
  markdown('md-reference-gone', 'broken', `${MARKDOWN}, 4.7`, '[a link][r]\n\n[r]: {name}.md'),
  markdown('md-image-gone', 'broken', `${MARKDOWN}, 6.4`, '![an image]({name}.png)'),
  markdown('md-parentheses', 'fine', `${MARKDOWN}, 6.3`, '[a link]({name}(1).md)', { '{name}(1).md': '# Other\n' }),
  markdown('md-angle', 'fine', `${MARKDOWN}, 6.3`, '[a link](<a {name}.md>)', { 'a {name}.md': '# Other\n' }),
  markdown('md-html-gone', 'broken', `${MARKDOWN}, 6.6`, 'Text <a href="{name}.md">a link</a>.'),
  markdown('md-code', 'no link', `${MARKDOWN}, 6.1`, 'Write `[a link]({name}.md)` so.'),
  markdown('md-fence', 'no link', `${MARKDOWN}, 4.5`, '~~~\n[a link]({name}.md)\n~~~'),
  markdown('md-indented', 'no link', `${MARKDOWN}, 4.4`, '    [a link]({name}.md)'),
  markdown('md-escaped', 'no link', `${MARKDOWN}, 2.4`, '\\[a link\\]({name}.md)'),
  markdown('md-comment', 'no link', `${MARKDOWN}, 4.6`, '<!--\n[a link]({name}.md)\n-->'),
  markdown('md-heading', 'fine', 'GitHub Flavored Markdown, anchors', '[a link]({name}.md#two-words)', {
    '{name}.md': '# Other\n\n## Two words\n',
  }),
  markdown('md-heading-missing', 'broken', 'GitHub Flavored Markdown, anchors', '[a link]({name}.md#no-words)', {
    '{name}.md': '# Other\n\n## Two words\n',
  }),
  markdown('md-autolink-gone', 'broken', `${MARKDOWN}, 6.5`, 'See <{main}{t}>.'),
  text('txt', 'fine', 'txt', 'See {main}{t}, and more.\n'),
  text('txt-gone', 'broken', 'txt', 'See <{main}{t}>.\n'),
  text('rst-gone', 'broken', 'rst', 'Title\n=====\n\nSee `the page <{main}{t}>`_.\n'),
  text('mdx-gone', 'broken', 'mdx', '# Title\n\n[a link]({main}{t})\n'),
];
