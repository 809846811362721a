import { hash } from 'node:crypto';
import { ownCopy } from '../base/text.js';

/** No URL longer than this is ever kept whole or asked for, whatever the options say. */
export const LONGEST_URL = 65_536;

const PREFIX_LENGTH = 200;
/** A URL in normal form is ASCII: none of them can be taken for a shortened one. */
const SHORTENED = /…sha256:[0-9a-f]{64}$/;

/** What is kept of a URL that is too long: how it begins, and the hash of all of it. Two such URLs are never merged. */
export const shortened = (url: string): string =>
  `${ownCopy(url.slice(0, PREFIX_LENGTH))}…sha256:${hash('sha256', url, 'hex')}`;

/** Such a text stands for a URL that is not kept: it can never be asked for. */
export const isShortened = (url: string): boolean => SHORTENED.test(url);
