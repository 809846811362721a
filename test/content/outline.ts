import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { math, mathHtml } from 'micromark-extension-math';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** What Markdown means, by a parser that is not ours. */
export function rendered(markdown: string): string {
  return micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm(), math()],
    htmlExtensions: [gfmHtml(), mathHtml({ strict: 'ignore', throwOnError: false })],
  });
}

/** What a page says: its blocks, and its lines as stretches of text with all that is true of them. White space is as it is seen. */
export type Outline = (string | Outline)[];

const MARKS: Readonly<Record<string, string>> = {
  b: 'strong',
  strong: 'strong',
  em: 'em',
  i: 'em',
  del: 'del',
  s: 'del',
  code: 'code',
  kbd: 'kbd',
  sub: 'sub',
  sup: 'sup',
  mark: 'mark',
  ins: 'ins',
};
const BLOCKS = new Set(
  'p div section article main body html h1 h2 h3 h4 h5 h6 ul ol li pre table blockquote hr dl dt dd details'.split(' '),
);

export function outlineOf(html: string): Outline {
  const document = parse(html, { scriptingEnabled: false });
  const root = document.childNodes.find((node) => node.nodeName === 'html') as Element;
  const body = root.childNodes.find((node) => node.nodeName === 'body') as Element;
  return blocksOf(body.childNodes);
}

const isElement = (node: Node): node is Element => 'tagName' in node;
const attribute = (element: Element, name: string): string =>
  element.attrs.find((each) => each.name === name)?.value ?? '';

/** The renderer escapes more than it is given. */
const target = (element: Element, name: string): string => decodeURIComponent(attribute(element, name));

function blocksOf(nodes: readonly Node[]): Outline {
  const out: Outline = [];
  let line: Node[] = [];
  const flush = (): void => {
    const runs = runsOf(line);
    if (runs.length > 0) {
      out.push(['p', ...runs]);
    }
    line = [];
  };
  for (const node of nodes) {
    if (!isElement(node) || !BLOCKS.has(node.tagName)) {
      line.push(node);
      continue;
    }
    flush();
    addBlock(node, out);
  }
  flush();
  return out;
}

function addBlock(element: Element, out: Outline): void {
  const { tagName, childNodes } = element;
  if (/^h[1-6]$/.test(tagName)) {
    const runs = runsOf(childNodes);
    if (runs.length > 0) {
      out.push([tagName, ...runs]);
    }
  } else if (tagName === 'ul' || tagName === 'ol') {
    const items = childNodes.filter(isElement).map((item) => ['li', ...blocksOf(item.childNodes)]);
    const start = tagName === 'ol' ? `ol ${attribute(element, 'start') || '1'}` : 'ul';
    if (items.some((item) => item.length > 1)) {
      out.push([start, ...items]);
    }
  } else if (tagName === 'pre') {
    out.push(['pre', languageOf(element), textOf(element).replace(/\n$/, '')]);
  } else if (tagName === 'blockquote') {
    const inner = blocksOf(childNodes);
    if (inner.length > 0) {
      out.push(['quote', ...inner]);
    }
  } else if (tagName === 'hr') {
    out.push('hr');
  } else if (tagName === 'table') {
    out.push(['table', ...rowsOf(element)]);
  } else {
    out.push(...blocksOf(childNodes));
  }
}

function languageOf(pre: Element): string {
  const code = pre.childNodes.find(isElement);
  return code === undefined ? '' : (/language-(\S+)/.exec(attribute(code, 'class'))?.[1] ?? '');
}

function rowsOf(element: Element): Outline {
  return element.childNodes.filter(isElement).flatMap((child) => {
    if (child.tagName !== 'tr') {
      return rowsOf(child);
    }
    return [['tr', ...child.childNodes.filter(isElement).map((cell) => ['td', ...runsOf(cell.childNodes)])]];
  });
}

function textOf(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) {
    return node.value;
  }
  return isElement(node) ? node.childNodes.map(textOf).join('') : '';
}

/** Words of one kind are one stretch, with what is true of it in braces; `␣` is a space and `⏎` a line break. */
function runsOf(nodes: readonly Node[]): string[] {
  const runs: { text: string; marks: string }[] = [];
  const addWords = (text: string, marks: string): void => {
    const last = runs.at(-1);
    if (last?.marks === marks && !isBlank(last.text)) {
      last.text += text;
    } else {
      runs.push({ text, marks });
    }
  };
  const addBlank = (sign: '␣' | '⏎'): void => {
    const last = runs.at(-1);
    if (last === undefined) {
      return;
    }
    if (!isBlank(last.text)) {
      runs.push({ text: sign, marks: '' });
    } else if (sign === '⏎') {
      last.text = sign;
    }
  };
  const visit = (node: Node, marks: readonly string[]): void => {
    if (node.nodeName === '#text' && 'value' in node) {
      for (const part of node.value.split(/([\t\n\f\r ]+)/)) {
        if (part === '') {
          continue;
        }
        if (/[^\t\n\f\r ]/.test(part)) {
          addWords(part, marks.join(' '));
        } else {
          addBlank('␣');
        }
      }
    } else if (isElement(node)) {
      visitElement(node, marks);
    }
  };
  const visitElement = (element: Element, marks: readonly string[]): void => {
    const { tagName } = element;
    if (tagName === 'br') {
      addBlank('⏎');
    } else if (tagName === 'img') {
      addWords(`<${attribute(element, 'alt')}>(${target(element, 'src')})`, marks.join(' '));
    } else {
      const isLink = tagName === 'a' && attribute(element, 'href') !== '';
      const mark = isLink ? `a:${target(element, 'href')}` : MARKS[tagName];
      const inner = mark === undefined ? marks : [...new Set([...marks, mark])].sort();
      for (const child of element.childNodes) {
        visit(child, inner);
      }
    }
  };
  for (const node of nodes) {
    visit(node, []);
  }
  if (runs.length > 0 && isBlank(runs.at(-1)!.text)) {
    runs.pop();
  }
  return runs.map(({ text, marks }) => (marks === '' ? text : `${text} {${marks}}`));
}

const isBlank = (text: string): boolean => text === '␣' || text === '⏎';
