/** What a page says, between HTML and Markdown. Readers make it of a tree, writers make text of it. */
export type Inline =
  | string
  | Wrapped
  | InlineTag
  | Link
  | { readonly type: 'code'; text: string }
  | { readonly type: 'math'; readonly tex: string }
  | { readonly type: 'image'; readonly src: string; readonly alt: string }
  | { readonly type: 'footnote'; readonly label: string }
  | { readonly type: 'anchor'; readonly id: string }
  | { readonly type: 'break' };

export interface Wrapped {
  readonly type: 'strong' | 'emphasis' | 'delete';
  readonly children: Inline[];
}

/** What Markdown has no sign for and viewers take as HTML. */
export interface InlineTag {
  readonly type: 'tag';
  readonly name: 'kbd' | 'sub' | 'sup' | 'mark' | 'ins' | 'abbr';
  readonly title: string | null;
  readonly children: Inline[];
}

export interface Link {
  readonly type: 'link';
  readonly href: string;
  readonly children: Inline[];
}

export type Block =
  | Paragraph
  | Heading
  | Code
  | List
  | Table
  | Quote
  | { readonly type: 'math'; readonly tex: string }
  | { readonly type: 'rule' }
  | { readonly type: 'details'; readonly summary: Inline[]; readonly children: Block[] }
  | { readonly type: 'footnote'; readonly label: string; readonly children: Block[] };

export interface Paragraph {
  readonly type: 'paragraph';
  readonly content: Inline[];
}

export interface Heading {
  readonly type: 'heading';
  readonly level: number;
  readonly content: Inline[];
  /** What links may name it by. */
  readonly ids: readonly string[];
}

export interface Code {
  readonly type: 'code';
  readonly language: string;
  readonly text: string;
}

export type Alert = 'NOTE' | 'TIP' | 'IMPORTANT' | 'WARNING' | 'CAUTION';

export interface Quote {
  readonly type: 'quote';
  readonly alert: Alert | null;
  readonly children: Block[];
}

export interface Item {
  readonly checked: boolean | null;
  readonly children: Block[];
}

export interface List {
  readonly type: 'list';
  /** The first number; null if the list has none. */
  readonly start: number | null;
  /** Terms and what is said of them: one that follows another goes on with it. */
  readonly isOfTerms: boolean;
  readonly items: Item[];
}

export type Alignment = 'left' | 'center' | 'right' | null;

export interface Table {
  readonly type: 'table';
  readonly alignments: readonly Alignment[];
  /** As many cells as there are alignments, in the head and in each row. */
  readonly head: readonly Inline[][];
  readonly rows: readonly Inline[][][];
}

/** The words alone. */
export function plainText(content: readonly Inline[]): string {
  let text = '';
  for (const node of content) {
    if (typeof node === 'string') {
      text += node;
    } else if ('children' in node) {
      text += plainText(node.children);
    } else if (node.type === 'code') {
      text += node.text;
    } else if (node.type === 'math') {
      text += node.tex;
    } else if (node.type === 'image') {
      text += node.alt;
    } else if (node.type === 'break') {
      text += ' ';
    }
  }
  return text;
}
