/** What stands in an element: another one, or text as a reader sees it, its character references decoded. */
export type Child = Element | string;

const NO_CLASSES: readonly string[] = [];
const SPACES = /[\t\n\f\r ]+/;

/** An element of a page. The tree may be changed; code that moves a child has to set its parent too. */
export class Element {
  /** The name is in lower case, for elements of SVG too. */
  readonly name: string;
  /** Names and values in turn. Of two attributes with one name the first counts. */
  readonly attributes: readonly string[];
  readonly children: Child[] = [];
  parent: Element | null = null;
  #classes: readonly string[] | null = null;

  constructor(name: string, attributes: readonly string[]) {
    this.name = name;
    this.attributes = attributes;
  }

  attribute(name: string): string | null {
    const { attributes } = this;
    for (let i = 0; i < attributes.length; i += 2) {
      if (attributes[i] === name) {
        return attributes[i + 1]!;
      }
    }
    return null;
  }

  has(attribute: string): boolean {
    return this.attribute(attribute) !== null;
  }

  get id(): string {
    return this.attributes.length === 0 ? '' : (this.attribute('id') ?? '');
  }

  get classes(): readonly string[] {
    this.#classes ??= this.#readClasses();
    return this.#classes;
  }

  hasClass(name: string): boolean {
    return this.classes.includes(name);
  }

  append(child: Child): void {
    this.children.push(child);
    if (typeof child !== 'string') {
      child.parent = this;
    }
  }

  #readClasses(): readonly string[] {
    const value = this.attributes.length === 0 ? null : this.attribute('class');
    return value === null ? NO_CLASSES : value.split(SPACES).filter((each) => each !== '');
  }
}

/** All text of an element, as it stands. */
export function textOf(node: Child): string {
  if (typeof node === 'string') {
    return node;
  }
  const pieces: string[] = [];
  for (const child of walk(node)) {
    if (typeof child === 'string') {
      pieces.push(child);
    }
  }
  return pieces.join('');
}

/** An element and everything in it, in the order of the page. */
export function* walk(root: Child): Generator<Child> {
  const waiting: Child[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    if (typeof node !== 'string') {
      for (let i = node.children.length - 1; i >= 0; i--) {
        waiting.push(node.children[i]!);
      }
    }
  }
}
