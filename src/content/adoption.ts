import { Element } from './element.js';
import type { OpenElements } from './open-elements.js';
import { SCOPE, SPECIAL } from './tag-rules.js';

const ROUNDS = 8;
/** Further in, formatting is not carried on. */
const CARRIED = 3;

const copyOf = (element: Element): Element => new Element(element.name, element.attributes);

/** Formatting that the end of a block has cut off goes on in the next one: `<p><b>one<p>two`. */
export function reopenFormatting(open: OpenElements): void {
  const { formatting } = open;
  const { entries } = formatting;
  let from = entries.length;
  while (from > 0 && entries[from - 1] !== null && open.placeOf(entries[from - 1]!) === -1) from--;
  for (let i = from; i < entries.length; i++) {
    const copy = copyOf(entries[i]!);
    if (!open.push(copy)) {
      open.tooDeep--;
      return;
    }
    formatting.replace(i, copy);
  }
}

/**
 * The end tag of formatting, by the adoption agency of HTML5: `<b>1<p>2</b>3</p>` is bold up to 2. False where no formatting
 * of that name is open, and the tag ends what any other would.
 */
export function endFormatting(name: string, open: OpenElements): boolean {
  const { formatting } = open;
  if (open.current.name === name && formatting.indexOf(open.current) === -1) {
    open.pop();
    return true;
  }
  for (let round = 0; round < ROUNDS; round++) {
    const element = formatting.find(name);
    if (element === null) return round > 0;
    const at = open.placeOf(element);
    if (at === -1) {
      formatting.remove(element);
      return true;
    }
    if (open.inScope(name, SCOPE) === -1) return true;
    const block = open.firstOf(SPECIAL, at + 1);
    if (block === -1) {
      open.popDownTo(at);
      formatting.remove(element);
      return true;
    }
    adopt(element, at, block, open);
  }
  return true;
}

/** Takes a block out of formatting that ends within it, and puts the formatting around what the block has so far. */
function adopt(element: Element, at: number, blockAt: number, open: OpenElements): void {
  const { formatting } = open;
  const block = open.at(blockAt)!;
  const parent = open.at(at - 1)!;
  let bookmark = formatting.indexOf(element);
  let last = block;
  for (let i = blockAt - 1, inner = 1; i > at; i--, inner++) {
    const node = open.at(i)!;
    const place = formatting.indexOf(node);
    if (place === -1 || inner > CARRIED) {
      if (place !== -1) formatting.remove(node);
      if (place !== -1 && place < bookmark) bookmark--;
      open.remove(node);
      continue;
    }
    const copy = copyOf(node);
    formatting.replace(place, copy);
    open.replace(i, copy);
    if (last === block) bookmark = place + 1;
    move(last, copy);
    last = copy;
  }
  move(last, parent);
  const copy = copyOf(element);
  for (const child of block.children.splice(0)) copy.append(child);
  block.append(copy);
  const old = formatting.indexOf(element);
  formatting.remove(element);
  formatting.insert(old < bookmark ? bookmark - 1 : bookmark, copy);
  open.remove(element);
  open.insertBehind(block, copy);
}

function move(element: Element, to: Element): void {
  const from = element.parent;
  if (from !== null) from.children.splice(from.children.lastIndexOf(element), 1);
  to.append(element);
}
