const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:[;,]|$)/i;
const MARKDOWN = /^\s*text\/(?:x-)?markdown\s*(?:[;,]|$)/i;
const FEED = /^\s*application\/(?:rss|atom|rdf)\+xml\s*(?:;|$)/i;

/** What a Content-Type says that a body is; null says nothing. The whole name counts: `text/html-x` is not HTML. */
export const isHtmlType = (contentType: string | null): boolean => contentType !== null && HTML.test(contentType);
export const isMarkdownType = (contentType: string | null): boolean =>
  contentType !== null && MARKDOWN.test(contentType);
/** What a link element says that is at its end. */
export const isFeedType = (type: string | null): boolean => type !== null && FEED.test(type);
