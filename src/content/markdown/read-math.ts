import { type Element, textOf, walk } from '../element.js';

export interface Formula {
  readonly tex: string;
  readonly isDisplay: boolean;
}

const LONGEST_TEX = 20_000;
const WRAPPERS = ['math', 'arithmatex', 'mwe-math-element', 'katex', 'katex-display', 'MathJax_Preview', 'texhtml'];

/** The TeX of an element that is a formula, however the page shows it; null for all others and for those without TeX. */
export function formulaOf(element: Element): Formula | null {
  const { name } = element;
  if (name === 'math') {
    return fromMathMl(element);
  }
  if (name === 'script') {
    return fromScript(element);
  }
  if (name === 'mjx-container') {
    return fromAnnotation(element, element.attribute('display') === 'true');
  }
  if (element.attributes.length === 0) {
    return null;
  }
  if (name === 'img') {
    return fromImage(element);
  }
  if (name !== 'span' && name !== 'div' && name !== 'p') {
    return null;
  }
  const wrapper = element.classes.find((each) => WRAPPERS.includes(each));
  if (wrapper === undefined) {
    return null;
  }
  const isDisplay = name === 'div' || wrapper === 'katex-display' || element.hasClass('display');
  return wrapper === 'math' || wrapper === 'arithmatex'
    ? fromText(element, isDisplay)
    : fromAnnotation(element, isDisplay);
}

const clean = (tex: string): string => tex.trim().slice(0, LONGEST_TEX);

function formula(tex: string, isDisplay: boolean): Formula | null {
  const text = clean(tex);
  return text === '' ? null : { tex: text, isDisplay };
}

/** `\(…\)` and `\[…\]`, as they wait for MathJax. */
function fromText(element: Element, isDisplay: boolean): Formula | null {
  const image = element.children.find((child): child is Element => typeof child !== 'string' && child.name === 'img');
  if (image !== undefined) {
    return formula(image.attribute('alt') ?? '', isDisplay);
  }
  const annotated = fromAnnotation(element, isDisplay);
  if (annotated !== null) {
    return annotated;
  }
  const text = textOf(element).trim();
  const inner = /^\\\(([\s\S]*)\\\)$/.exec(text) ?? /^\$([^$][\s\S]*)\$$/.exec(text);
  if (inner !== null) {
    return formula(inner[1]!, isDisplay);
  }
  const display = /^\\\[([\s\S]*)\\\]$/.exec(text) ?? /^\$\$([\s\S]*)\$\$$/.exec(text);
  if (display !== null) {
    return formula(display[1]!, true);
  }
  // Pandoc without a renderer leaves words and signs, which read well as they are.
  return text.includes('\\') ? formula(text, isDisplay) : null;
}

function fromAnnotation(element: Element, isDisplay: boolean): Formula | null {
  for (const node of walk(element)) {
    if (typeof node === 'string') {
      continue;
    }
    if (node.name === 'annotation' && /tex/i.test(node.attribute('encoding') ?? '')) {
      return formula(textOf(node), isDisplay || isBlockMath(element));
    }
    if (node.name === 'math' && node.has('alttext')) {
      return formula(node.attribute('alttext')!, isDisplay || isBlockMath(node));
    }
  }
  return null;
}

const isBlockMath = (element: Element): boolean =>
  element.name === 'math' && (element.attribute('display') === 'block' || element.attribute('mode') === 'display');

function fromMathMl(element: Element): Formula | null {
  return fromAnnotation(element, isBlockMath(element));
}

/** What MathJax 2 leaves of TeX that it has shown. */
function fromScript(element: Element): Formula | null {
  const type = element.attribute('type') ?? '';
  return type.startsWith('math/tex') ? formula(textOf(element), type.includes('mode=display')) : null;
}

function fromImage(element: Element): Formula | null {
  const isMath = element.hasClass('math') || element.hasClass('tex') || element.hasClass('latex');
  return isMath ? formula(element.attribute('alt') ?? '', false) : null;
}

/** MathML without TeX, as a line of text that says the same. */
export function spokenMath(element: Element): string {
  const parts = element.children
    .map((child) => (typeof child === 'string' ? child.trim() : spokenMath(child)))
    .filter((part) => part !== '');
  const group = (part: string | undefined): string => (part === undefined ? '' : part.length > 1 ? `(${part})` : part);
  const [first, second, third] = parts;
  switch (element.name) {
    case 'mfrac':
      return `${group(first)}/${group(second)}`;
    case 'msup':
      return `${group(first)}^${group(second)}`;
    case 'msub':
      return `${group(first)}_${group(second)}`;
    case 'msubsup':
      return `${group(first)}_${group(second)}^${group(third)}`;
    case 'msqrt':
      return `√(${parts.join('')})`;
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'mtr':
      return parts.join(' ');
    case 'mtable':
      return parts.join('; ');
    default:
      return parts.join('');
  }
}
