import type { Inline } from './model.js';

const UNSEEN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2028\u2029\u2060\ufeff]/g;

/** Text as it is read: one space for any white space, and none of the characters that are not seen. */
export function visible(text: string): string {
  return text.replace(UNSEEN, '').replace(/[\t\n\f\r \u00a0]+/g, ' ');
}

/**
 * White space as a browser shows it: one space between words, none at the ends and around line breaks. Spaces move out of what is
 * emphasised or linked, neighbours of one kind become one, and what is empty goes.
 */
export function tidy(content: readonly Inline[]): Inline[] {
  const state = { afterSpace: true };
  const tidied = tidyList(content, state);
  takeTrailing(tidied);
  while (isBreak(tidied[0])) {
    tidied.shift();
  }
  return tidied;
}

interface State {
  /** At the start, after a space or a line break: another space would not be seen. */
  afterSpace: boolean;
}

function tidyList(content: readonly Inline[], state: State): Inline[] {
  const out: Inline[] = [];
  for (const node of content) {
    if (typeof node === 'string') {
      addText(out, node, state);
    } else if (node.type === 'break') {
      trimEnd(out);
      out.push(node);
      state.afterSpace = true;
    } else if (node.type === 'code') {
      addCode(out, node.text, state);
    } else if ('children' in node) {
      addWrapper(out, node, state);
    } else {
      out.push(node);
      if (node.type !== 'anchor') {
        state.afterSpace = false;
      }
    }
  }
  return out;
}

function addText(out: Inline[], text: string, state: State): void {
  let seen = visible(text);
  if (state.afterSpace && seen.startsWith(' ')) {
    seen = seen.slice(1);
  }
  if (seen === '') {
    return;
  }
  state.afterSpace = seen.endsWith(' ');
  const last = out.length - 1;
  if (typeof out[last] === 'string') {
    out[last] += seen;
  } else {
    out.push(seen);
  }
}

function addCode(out: Inline[], text: string, state: State): void {
  const seen = visible(text);
  const inner = seen.trim();
  if (seen.startsWith(' ')) {
    addText(out, ' ', state);
  }
  if (inner === '') {
    return;
  }
  const last = out.at(-1);
  if (typeof last === 'object' && last.type === 'code') {
    last.text += inner;
  } else {
    out.push({ type: 'code', text: inner });
  }
  state.afterSpace = false;
  if (seen.endsWith(' ')) {
    addText(out, ' ', state);
  }
}

type Wrapper = Extract<Inline, { children: Inline[] }>;

function addWrapper(out: Inline[], node: Wrapper, state: State): void {
  const children = tidyList(node.children, state);
  const leading = takeLeading(children);
  const trailing = takeTrailing(children);
  appendAll(out, leading);
  if (children.some((child) => typeof child === 'string' || child.type !== 'anchor')) {
    wrap(out, node, children);
  } else {
    appendAll(out, children);
  }
  appendAll(out, trailing);
}

/** Two neighbours of a kind are joined, because their marks would run together. */
function wrap(out: Inline[], node: Wrapper, children: Inline[]): void {
  const last = out.at(-1);
  const isSame =
    typeof last === 'object' &&
    'children' in last &&
    last.type === node.type &&
    (node.type === 'strong' || node.type === 'emphasis' || node.type === 'delete' || isSameLink(last, node));
  if (isSame) {
    appendAll((last as Wrapper).children, children);
  } else {
    out.push({ ...node, children });
  }
}

function appendAll(out: Inline[], content: readonly Inline[]): void {
  for (const node of content) {
    const last = out.at(-1);
    if (typeof node === 'string' && typeof last === 'string') {
      out[out.length - 1] = last + node;
    } else if (typeof node === 'object' && typeof last === 'object' && node.type === 'code' && last.type === 'code') {
      last.text += node.text;
    } else {
      out.push(node);
    }
  }
}

function isSameLink(one: Inline, other: Inline): boolean {
  return (
    typeof one === 'object' &&
    typeof other === 'object' &&
    one.type === 'link' &&
    other.type === 'link' &&
    one.href === other.href
  );
}

const isAnchor = (node: Inline | undefined): boolean => typeof node === 'object' && node.type === 'anchor';
const isBreak = (node: Inline | undefined): boolean => typeof node === 'object' && node.type === 'break';

/** Takes the anchors, and the space or the line breaks at the start away. */
function takeLeading(content: Inline[]): Inline[] {
  let anchors = 0;
  while (isAnchor(content[anchors])) {
    anchors++;
  }
  if (anchors > 0) {
    return [...content.splice(0, anchors), ...takeLeading(content)];
  }
  const first = content[0];
  if (typeof first === 'string' && first.startsWith(' ')) {
    if (first === ' ') {
      content.shift();
    } else {
      content[0] = first.slice(1);
    }
    return [' '];
  }
  let breaks = 0;
  while (isBreak(content[breaks])) {
    breaks++;
  }
  return content.splice(0, breaks);
}

function takeTrailing(content: Inline[]): Inline[] {
  const taken: Inline[] = trimEnd(content) ? [' '] : [];
  while (isBreak(content.at(-1))) {
    taken.push(content.pop()!);
    trimEnd(content);
  }
  return taken.length > 1 ? taken.filter(isBreak) : taken;
}

/** Whether there was a space at the end. */
function trimEnd(content: Inline[]): boolean {
  const last = content.at(-1);
  if (typeof last !== 'string' || !last.endsWith(' ')) {
    return false;
  }
  if (last === ' ') {
    content.pop();
  } else {
    content[content.length - 1] = last.slice(0, -1);
  }
  return true;
}
