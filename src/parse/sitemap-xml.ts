import { SaxesParser } from 'saxes';
import { printable } from '../base/text.js';
import type { SitemapKind } from './sitemap.js';
import { isUnescaped } from './sitemap-ampersands.js';
import { FeedElements, type SitemapElements, UrlElements } from './sitemap-elements.js';
import type { SitemapEntries } from './sitemap-entries.js';

const SLICE_LENGTH = 65_536;
/** A text, comment or tag that goes on for longer than this many slices is hostile: the parser keeps all of it until it ends. */
const MAX_SLICES_PER_TOKEN = 16;
const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 256;
/** Twenty in each of 50,000 URLs. */
const MAX_BARE_AMPERSANDS = 1_000_000;
/** Two slices of nothing else: the parser keeps a piece of text for each. */
const MAX_BARE_AMPERSANDS_PER_TOKEN = 2 * SLICE_LENGTH;

/** A fault that hides nothing. */
export const BARE_AMPERSAND = 'xml: bare ampersand';

const KIND_OF_ROOT = new Map<string, SitemapKind>([
  ['urlset', 'urlset'],
  ['sitemapindex', 'index'],
  ['rss', 'feed'],
  ['feed', 'feed'],
  ['rdf', 'feed'],
]);

/** Ends the parser from within one of its handlers. `problem` is null where all that was wanted has been read. */
class Stop extends Error {
  readonly problem: string | null;

  constructor(problem: string | null) {
    super(problem ?? 'done');
    this.problem = problem;
  }
}

/** Reads up to the first fault; a bare ampersand, by far the most frequent one, is noted and read as it was meant. */
export function readSitemapXml(
  text: string,
  entries: SitemapEntries,
  isCut: boolean,
): { kind: SitemapKind; problem: string | null } {
  if (hasDeclarationInProlog(text)) return { kind: 'unknown', problem: 'dtd' };
  const reading = new XmlReading(entries);
  let problem: string | null = null;
  try {
    reading.read(text, isCut);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    problem = error.problem;
  }
  reading.elements?.end();
  return { kind: reading.kind, problem: problem ?? (reading.hasBareAmpersands ? BARE_AMPERSAND : null) };
}

class XmlReading {
  kind: SitemapKind = 'unknown';
  elements: SitemapElements | null = null;
  readonly #parser = new SaxesParser({ xmlns: false });
  readonly #entries: SitemapEntries;
  /** Of each element that is open: what relative URLs in it are resolved against. */
  readonly #bases: string[];
  #depth = 0;
  #attributes = 0;
  #slicesSinceToken = 0;
  #bareAmpersands = 0;
  #bareSinceToken = 0;

  constructor(entries: SitemapEntries) {
    this.#entries = entries;
    this.#bases = [entries.baseUrl];
    const parser = this.#parser;
    // With two handlers more V8 turns the parser into a dictionary, and reading takes eight times as long.
    parser.on('error', (error) => this.#fail(error));
    parser.on('attribute', () => this.#onAttribute());
    parser.on('opentag', (tag) => this.#onOpen(localName(tag.name), tag.attributes));
    parser.on('closetag', (tag) => this.#onClose(localName(tag.name)));
    parser.on('text', (text) => this.#onText(text));
    parser.on('cdata', (text) => this.#onText(text));
    parser.on('comment', () => this.#onToken());
  }

  get hasBareAmpersands(): boolean {
    return this.#bareAmpersands > 0;
  }

  read(text: string, isCut: boolean): void {
    const isBare = isUnescaped(text);
    for (let start = 0; start < text.length; start += SLICE_LENGTH) {
      if (++this.#slicesSinceToken > MAX_SLICES_PER_TOKEN) throw new Stop('xml: a text or tag without end');
      const slice = text.slice(start, start + SLICE_LENGTH).replace(/&/g, (ampersand, at: number) => {
        if (!isBare(start + at)) return ampersand;
        this.#countBareAmpersand();
        return '&amp;';
      });
      this.#parser.write(slice);
    }
    // Of a file that was cut at the cap it is known already that its end is missing.
    if (!isCut) this.#parser.close();
  }

  #countBareAmpersand(): void {
    const isTooMany = ++this.#bareAmpersands > MAX_BARE_AMPERSANDS;
    if (++this.#bareSinceToken > MAX_BARE_AMPERSANDS_PER_TOKEN || isTooMany) {
      throw new Stop('xml: too many bare ampersands');
    }
  }

  #onToken(): void {
    this.#slicesSinceToken = 0;
    this.#bareSinceToken = 0;
  }

  #onAttribute(): void {
    this.#onToken();
    if (++this.#attributes > MAX_ATTRIBUTES) throw new Stop('xml: too many attributes');
  }

  #onOpen(name: string, attributes: Record<string, string>): void {
    this.#onToken();
    this.#attributes = 0;
    if (++this.#depth > MAX_DEPTH) throw new Stop('xml: nested too deeply');
    const base = this.#entries.baseWithin(this.#bases.at(-1)!, attributes['xml:base']);
    this.#bases.push(base);
    if (this.#depth > 1) {
      this.elements?.open(name, attributes, base);
      return;
    }
    this.kind = KIND_OF_ROOT.get(name) ?? 'unknown';
    if (this.kind === 'unknown') throw new Stop(`not a sitemap: <${printable(name, 50)}>`);
    this.elements =
      this.kind === 'feed' ? new FeedElements(this.#entries) : new UrlElements(this.#entries, this.kind === 'index');
  }

  #onClose(name: string): void {
    this.#onToken();
    this.#bases.pop();
    if (this.#depth-- > 1) this.elements?.close(name);
    if (this.#entries.isFull) throw new Stop(null);
  }

  #onText(text: string): void {
    this.#onToken();
    this.elements?.text(text);
  }

  #fail(error: Error): never {
    // The parser's words for a declaration where none may be.
    const isDeclaration = /inappropriately located doctype|incorrect syntax\.$/.test(error.message);
    throw new Stop(isDeclaration ? 'dtd' : `xml: ${printable(error.message, 120)}`);
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

/** Whether anything but comments and processing instructions comes before the first element. */
function hasDeclarationInProlog(text: string): boolean {
  let at = 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++;
    const end = text.startsWith('<?', at) ? '?>' : text.startsWith('<!--', at) ? '-->' : null;
    if (end === null) return text.startsWith('<!', at);
    const endAt = text.indexOf(end, at);
    if (endAt < 0) return false;
    at = endAt + end.length;
  }
}
