import type { ComponentChildren } from 'preact';
import { Outside } from './explain.js';
import { isWebUrl, shown } from './format.js';

/**
 * Markdown of a corpus, to be read. It makes elements of blocks and a few marks within them; whatever it does not know stays text. Nothing
 * is ever parsed as HTML.
 */
export function Markdown({ text, open }: { text: string; open(path: string): void }) {
  return <>{blocksOf(text).map((block, place) => blockElement(block, place, open))}</>;
}

type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: string[] }
  | { kind: 'table'; text: string }
  | { kind: 'rule' }
  | { kind: 'text'; text: string };

const LIST_ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;

function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) {
      blocks.push({ kind: 'text', text: paragraph.join(' ') });
      paragraph = [];
    }
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    const item = LIST_ITEM.exec(line);
    if (fence !== undefined) {
      flush();
      const code: string[] = [];
      for (i++; i < lines.length && !lines[i]!.trim().startsWith(fence); i++) {
        code.push(lines[i]!);
      }
      blocks.push({ kind: 'code', text: code.join('\n') });
    } else if (heading !== null) {
      flush();
      blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]! });
    } else if (/^\s*\|.*\|\s*$/.test(line)) {
      flush();
      const rows = [line];
      while (i + 1 < lines.length && /^\s*\|/.test(lines[i + 1]!)) {
        rows.push(lines[++i]!);
      }
      blocks.push({ kind: 'table', text: rows.join('\n') });
    } else if (item !== null) {
      flush();
      const items = [item[2]!];
      while (i + 1 < lines.length && lines[i + 1]!.trim() !== '') {
        const next = LIST_ITEM.exec(lines[++i]!);
        if (next === null) {
          items.push(`${items.pop()} ${lines[i]!.trim()}`);
        } else {
          items.push(next[2]!);
        }
      }
      blocks.push({ kind: 'list', isOrdered: item[1] !== undefined, items });
    } else if (/^\s*>/.test(line)) {
      flush();
      const quoted = [line.replace(/^\s*>\s?/, '')];
      while (i + 1 < lines.length && /^\s*>/.test(lines[i + 1]!)) {
        quoted.push(lines[++i]!.replace(/^\s*>\s?/, ''));
      }
      blocks.push({ kind: 'quote', text: quoted.join(' ') });
    } else if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) {
      flush();
      blocks.push({ kind: 'rule' });
    } else if (line.trim() === '') {
      flush();
    } else {
      paragraph.push(line.trim());
    }
  }
  flush();
  return blocks;
}

function blockElement(block: Block, key: number, open: (path: string) => void): ComponentChildren {
  switch (block.kind) {
    case 'heading': {
      // The page has an h1 and this sheet an h2 of its own.
      const Name = `h${Math.min(6, block.level + 2)}` as 'h3';
      return <Name key={key}>{inline(block.text, open)}</Name>;
    }
    case 'table':
      return tableElement(block.text, key, open);
    case 'code':
      return (
        <pre key={key} tabIndex={0}>
          {shown(block.text.replaceAll('\n', '\u240a')).replaceAll('\u240a', '\n')}
        </pre>
      );
    case 'quote':
      return <blockquote key={key}>{inline(block.text, open)}</blockquote>;
    case 'list': {
      const items = block.items.map((item, place) => <li key={place}>{inline(item, open)}</li>);
      return block.isOrdered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
    case 'rule':
      return <hr key={key} />;
    case 'text':
      return <p key={key}>{inline(block.text, open)}</p>;
  }
}

const DIVIDER = /^[\s|:-]+$/;

function tableElement(text: string, key: number, open: (path: string) => void): ComponentChildren {
  const [head, ...rows] = text
    .split('\n')
    .filter((line, place) => !(place === 1 && DIVIDER.test(line)))
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/),
    );
  return (
    <table key={key}>
      <thead>
        <tr>
          {head!.map((cell, place) => (
            <th key={place}>{inline(cell.trim(), open)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, at) => (
          <tr key={at}>
            {cells.map((cell, place) => (
              <td key={place}>{inline(cell.trim(), open)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Code, links, bold and italics. */
const MARK = /(`+)(.+?)\1|!?\[([^\]]*)\]\(\s*<?([^\s)>]+)>?[^)]*\)|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)/g;

function inline(text: string, open: (path: string) => void): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(MARK)) {
    parts.push(plain(text.slice(end, match.index)));
    end = match.index + match[0].length;
    const [, , code, label, target, bold, italic] = match;
    if (code !== undefined) {
      parts.push(<code>{shown(code)}</code>);
    } else if (target !== undefined) {
      parts.push(linkTo(target, label === '' ? target : label!, match[0].startsWith('!'), open));
    } else {
      parts.push(bold === undefined ? <em>{plain(italic!)}</em> : <strong>{plain(bold)}</strong>);
    }
  }
  return [...parts, plain(text.slice(end))];
}

/** Pictures are named and not loaded. */
function linkTo(target: string, label: string, isPicture: boolean, open: (path: string) => void): ComponentChildren {
  const text = isPicture ? `[picture: ${plain(label)}]` : plain(label.replaceAll(/[`*]/g, ''));
  if (isWebUrl(target)) {
    return <Outside url={target}>{text}</Outside>;
  }
  return /^[^:#?]+\.md(?:#.*)?$/.test(target) && !isPicture ? (
    <button type="button" class="plain link" onClick={() => open(target)}>
      {text}
    </button>
  ) : (
    text
  );
}

const plain = (text: string): string => shown(text.replaceAll(/\\([\\`*_{}[\]()#+.!|<>~-])/g, '$1'));
