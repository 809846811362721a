const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const MARKDOWN = /^\s*text\/(?:x-)?markdown\b/i;

const CSS = /^\s*text\/css\s*(?:;|$)/i;

/** What a Content-Type says that a body is; null says nothing. */
export const isHtmlType = (contentType: string | null): boolean => contentType !== null && HTML.test(contentType);
export const isMarkdownType = (contentType: string | null): boolean =>
  contentType !== null && MARKDOWN.test(contentType);
export const isCssType = (contentType: string | null): boolean => contentType !== null && CSS.test(contentType);
