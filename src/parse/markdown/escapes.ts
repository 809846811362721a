import { decodeReferences } from '../entities.js';

export const isPunctuation = (character: string | undefined): boolean =>
  character !== undefined && /^[!-/:-@[-`{-~]$/.test(character);

const ESCAPE = /\\([!-/:-@[-`{-~])|&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});/g;

/** What a destination means: backslashes and character references taken away. */
export function meaningOf(text: string): string {
  return text.replace(ESCAPE, (whole, character?: string) => character ?? decodeReferences(whole, true));
}
