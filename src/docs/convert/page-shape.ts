import type { Element } from '../../content/element.js';
import { compileSelector, type Selector, selectAll } from '../../content/select.js';
import { HostPolicies, type HostPolicy, policiesOf } from '../../url/host-policies.js';

/** What the user says is the text of a page, and what is not, as CSS selectors. */
export interface ShapeOptions {
  /** What these match is the text; where nothing does, it is looked for as on any page. */
  content: readonly string[];
  /** What these match is gone before anything else is looked at. */
  remove: readonly string[];
  /** What holds for pages of some hosts: `content` in its place, `remove` besides. */
  hosts?: readonly HostPolicy[];
  /** Whether images are left out. */
  dropsImages?: boolean;
}

export interface PageShape {
  content: readonly Selector[];
  remove: readonly Selector[];
  dropsImages?: boolean;
}

export const ANY_SHAPE: PageShape = { content: [], remove: [] };

/** The shape of each page, by its URL. */
export type ShapeOf = (url: string) => PageShape;

/** The part of the options that a shape is made of, without what may be secret. */
export const shapeOptions = (options: {
  readonly content: readonly string[];
  readonly remove: readonly string[];
  readonly hosts: readonly HostPolicy[];
  readonly images: string;
}): ShapeOptions => ({
  ...{ content: options.content, remove: options.remove },
  hosts: policiesOf(options.hosts, ['content', 'remove']),
  dropsImages: options.images === 'drop',
});

/** Throws UsageError that names what is wrong with a selector. */
export function pageShapes({ content, remove, hosts = [], dropsImages = false }: ShapeOptions): ShapeOf {
  const plain = { ...pageShape({ content, remove }), dropsImages };
  const entries = hosts.map((host) => pageShape({ content: host.content ?? [], remove: host.remove ?? [] }));
  if (!hosts.some((host) => host.content !== undefined || host.remove !== undefined)) {
    return () => plain;
  }
  const policies = new HostPolicies(hosts);
  return (url) => {
    const { from } = policies.ofUrl(url);
    return {
      content: from.content === undefined ? plain.content : entries[from.content]!.content,
      remove: from.remove === undefined ? plain.remove : [...plain.remove, ...entries[from.remove]!.remove],
      dropsImages,
    };
  };
}

/** Throws UsageError that names what is wrong with a selector. */
export const pageShape = ({ content, remove }: Pick<ShapeOptions, 'content' | 'remove'>): PageShape => ({
  content: content.map(compileSelector),
  remove: remove.map(compileSelector),
});

/** Takes out of a tree what is not wanted. */
export function removeUnwanted(tree: Element, { remove }: PageShape): void {
  for (const selector of remove) {
    for (const element of selectAll(tree, selector)) {
      const { parent } = element;
      const at = parent?.children.indexOf(element) ?? -1;
      if (at >= 0) {
        parent!.children.splice(at, 1);
      }
    }
  }
}

/** The parts of a page that are its text, in its order, none within another; none where no selector matches. */
export function wantedParts(tree: Element, { content }: PageShape): Element[] {
  const found = new Set(content.flatMap((selector) => selectAll(tree, selector)));
  if (found.size === 0) {
    return [];
  }
  const parts: Element[] = [];
  const waiting = [tree];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (found.has(element)) {
      parts.push(element);
      continue;
    }
    for (const child of element.children.toReversed()) {
      if (typeof child !== 'string') {
        waiting.push(child);
      }
    }
  }
  return parts;
}
