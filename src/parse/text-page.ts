import { isMarkdownType, isPlainType } from './media-type.js';

/** Endings of texts that people read. What is served as text/plain besides is mostly source code. */
const TEXTS: ReadonlySet<string> = new Set(['', 'txt', 'text', 'md', 'markdown', 'rst', 'adoc', 'asciidoc', 'org']);
/** Sources of pages that are there anyway, and texts for machines; llms-full.txt says what all pages say. */
const NO_PAGE = /\/_sources\/|\/(?:robots|ads|app-ads|security|humans|llms[^/]*)\.txt$/i;

const endingOf = (path: string): string => /\.(\w{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** Whether an answer is plain text that is a page of a site. @param path of its URL */
export const isTextPage = (type: string | null, path: string): boolean =>
  isPlainType(type) && TEXTS.has(endingOf(path)) && !NO_PAGE.test(path);

/** Many servers know no type for files in Markdown. */
export const isMarkdownPage = (type: string | null, path: string): boolean =>
  isMarkdownType(type) || (isPlainType(type) && /^(?:md|markdown)$/.test(endingOf(path)));
