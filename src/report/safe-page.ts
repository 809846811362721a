import { createHash } from 'node:crypto';
import { jsonLine } from './output.js';

/** What keeps a report in HTML safe, whatever pages of strangers have put into it. */

/** JSON to stand in a `script` element. Every `<` is escaped: no `</script>` and no `<!--` can stand in the data. */
export const embedded = (value: unknown): string => jsonLine(value).trimEnd().replaceAll('<', '\\u003c');

/** The policy of a page that has this style sheet and this script alone: no other runs, nothing is asked for, and no markup is made from text. */
export const policyOf = (style: string, script: string): string =>
  [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    `script-src ${sourceOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
