import { barePathOf, extensionOf } from '../url/host.js';
import { isMarkdownType, isPlainType } from './media-type.js';

/** Endings of texts that people read. What is served as text/plain besides is mostly source code. */
const TEXTS: ReadonlySet<string> = new Set(['', 'txt', 'text', 'md', 'markdown', 'rst', 'adoc', 'asciidoc', 'org']);
/** Sources of pages that are there anyway, and texts for machines; llms-full.txt says what all pages say. */
const NO_PAGE = /\/_sources\/|\/(?:robots|ads|app-ads|security|humans|llms[^/]*)\.txt$/i;

/** Whether an answer is plain text that is a page of a site. */
export const isTextPage = (type: string | null, url: string): boolean =>
  isPlainType(type) && TEXTS.has(extensionOf(url)) && !NO_PAGE.test(barePathOf(url));

/** Many servers know no type for files in Markdown. */
export const isMarkdownPage = (type: string | null, url: string): boolean =>
  isMarkdownType(type) || (isPlainType(type) && /^(?:md|markdown)$/.test(extensionOf(url)));
