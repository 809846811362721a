import { ENTITY_TABLE } from './scan-entity-table.js';

interface Entities {
  /** Every name, to be followed by a semicolon. */
  readonly terminated: ReadonlyMap<string, string>;
  /** The old names that count without one. */
  readonly bare: ReadonlyMap<string, string>;
}

const LONGEST_BARE_NAME = 6;
const SHORTEST_BARE_NAME = 2;

/** What the numbers 128 to 159 mean: windows-1252, and the control character itself where that has a hole. */
export const WINDOWS_1252_HIGH_CONTROLS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

let entities: Entities | undefined;

/** Most pages of a crawl use a handful of references, so the table is only unpacked when the first one is met. */
function loadEntities(): Entities {
  const terminated = new Map<string, string>();
  const bare = new Map<string, string>();
  for (const [, name, mark, codePoints] of ENTITY_TABLE.matchAll(/(\w+)([:!])(\S+)/g)) {
    const characters = String.fromCodePoint(...codePoints!.split('+').map((hex) => Number.parseInt(hex, 16)));
    terminated.set(name!, characters);
    if (mark === '!') bare.set(name!, characters);
  }
  return { terminated, bare };
}

function numericReference(digits: string, radix: 10 | 16): string {
  const codePoint = Number.parseInt(digits, radix);
  if (codePoint >= 0x80 && codePoint <= 0x9f) return WINDOWS_1252_HIGH_CONTROLS[codePoint - 0x80]!;
  const isCharacter = codePoint > 0 && codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff);
  return isCharacter ? String.fromCodePoint(codePoint) : '\ufffd';
}

function bareReference(whole: string, name: string, next: string, inAttribute: boolean): string {
  entities ??= loadEntities();
  for (let length = Math.min(LONGEST_BARE_NAME, name.length); length >= SHORTEST_BARE_NAME; length--) {
    const characters = entities.bare.get(name.slice(0, length));
    if (characters === undefined) continue;
    // In `?a=1&copy=2` and `?a=1&copyright` an author meant a parameter, not a sign: the standard leaves those alone.
    if (inAttribute && (length < name.length || next === '=')) return whole;
    return characters + whole.slice(1 + length);
  }
  return whole;
}

const REFERENCE = /&(?:#[xX]([0-9a-fA-F]+);?|#([0-9]+);?|([0-9a-zA-Z]+)(;?))/g;

/** Replaces character references as an HTML5 tokenizer does; in attribute values the rule for bare names is stricter. */
export function decodeReferences(text: string, inAttribute: boolean): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, hex, decimal, name, semicolon, offset: number) => {
    if (hex !== undefined) return numericReference(hex, 16);
    if (decimal !== undefined) return numericReference(decimal, 10);
    if (semicolon === ';') {
      entities ??= loadEntities();
      const characters = entities.terminated.get(name);
      if (characters !== undefined) return characters;
    }
    return bareReference(whole, name, semicolon === ';' ? ';' : (text[offset + whole.length] ?? ''), inAttribute);
  });
}
