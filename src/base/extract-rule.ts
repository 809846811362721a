/** One `--extract`: what is taken from each page, and the name under which it is kept. */
export interface ExtractRule {
  readonly name: string;
  /** All matches as a list, not the first alone. */
  readonly isList: boolean;
  readonly from: 'selector' | 'jsonld' | 'meta' | 're';
  /** The selector, path, name or expression. */
  readonly source: string;
  /** What is taken of an element: `text`, `html`, or the attribute of this name. Of selectors alone. */
  readonly take: ElementPart;
}

export type ElementPart = { readonly kind: 'text' | 'html' } | { readonly kind: 'attribute'; readonly name: string };

const RULE = /^([^=]*)=([\s\S]*)$/;
/** A column of any table, and a key of any program. */
const NAME = /^([A-Za-z][\w-]{0,63})(\[\])?$/;
const SOURCE = /^(jsonld|meta|re):([\s\S]*)$/;
/** It ends a selector. No selector ends so: an `@` can stand in quotes alone, and they are closed. */
const PART = /@([A-Za-z_:][\w:.-]*)$/;

/** Reads `NAME=SELECTOR@attribute`, `NAME[]=…`, `NAME=jsonld:PATH`, `NAME=meta:NAME` and `NAME=re:PATTERN`; in words what is wrong with another. */
export function readExtractRule(text: string): ExtractRule | string {
  const [, label, value] = RULE.exec(text) ?? [];
  if (label === undefined || value === undefined) {
    return 'there is no "="';
  }
  const [, name, brackets] = NAME.exec(label.trim()) ?? [];
  if (name === undefined || name in Object.prototype) {
    return 'a NAME is up to 64 letters, digits, "_" and "-", begins with a letter, and may end with "[]"';
  }
  const isList = brackets !== undefined;
  const [, from, source] = SOURCE.exec(value.trim()) ?? [];
  if (from !== undefined) {
    return source!.trim() === ''
      ? `nothing stands after "${from}:"`
      : { name, isList, from: from as 'jsonld' | 'meta' | 're', source: source!, take: { kind: 'text' } };
  }
  const [suffix, part] = PART.exec(value.trim()) ?? [''];
  const selector = value.trim().slice(0, value.trim().length - suffix.length);
  if (selector === '') {
    return 'there is no selector';
  }
  const take: ElementPart =
    part === undefined || part === 'text' || part === 'html'
      ? { kind: part ?? 'text' }
      : { kind: 'attribute', name: part.toLowerCase() };
  return { name, isList, from: 'selector', source: selector, take };
}
