const SEMANTIC = /<(\/?)(?:nav|main|article|aside|header|footer|section)\b/gi;
const NAMES = /\s(?:class|id|role|aria-[a-z]+|itemprop|data-[\w-]+)=(?:"[^"]*"|'[^']*'|[^\s>]+)/gi;
const GENERATOR = /<meta[^>]*generator[^>]*>/gi;

/**
 * A page as its readers see it, without what its makers say of it: no class, no id, no role, a `div` for every element that says what it is
 * for. What is found then is found by looking at the text.
 */
export const withoutNames = (html: string): string =>
  html.replace(SEMANTIC, '<$1div').replace(NAMES, '').replace(GENERATOR, '');
