const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:[;,]|$)/i;
const MARKDOWN = /^\s*text\/(?:x-)?markdown\s*(?:[;,]|$)/i;
const FEED = /^\s*application\/(?:rss|atom|rdf)\+xml\s*(?:;|$)/i;

const MDX = /^\s*text\/(?:x-)?mdx\s*(?:[;,]|$)/i;
const RST = /^\s*text\/(?:x-rst|prs\.fallenstein\.rst)\s*(?:[;,]|$)/i;
const CSS = /^\s*text\/css\s*(?:[;,]|$)/i;
const SVG = /^\s*image\/svg\+xml\s*(?:[;,]|$)/i;
const PLAIN = /^\s*text\/plain\s*(?:[;,]|$)/i;

/** What a Content-Type says that a body is; null says nothing. The whole name counts: `text/html-x` is not HTML. */
export const isHtmlType = (contentType: string | null): boolean => contentType !== null && HTML.test(contentType);
export const isMarkdownType = (contentType: string | null): boolean =>
  contentType !== null && MARKDOWN.test(contentType);
export const isMdxType = (contentType: string | null): boolean => contentType !== null && MDX.test(contentType);
export const isRstType = (contentType: string | null): boolean => contentType !== null && RST.test(contentType);
export const isPlainType = (contentType: string | null): boolean => contentType !== null && PLAIN.test(contentType);
export const isCssType = (contentType: string | null): boolean => contentType !== null && CSS.test(contentType);
export const isSvgType = (contentType: string | null): boolean => contentType !== null && SVG.test(contentType);
/** What a link element says that is at its end. */
export const isFeedType = (type: string | null): boolean => type !== null && FEED.test(type);
