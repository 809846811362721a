export const BANG = 0x21;
export const DOUBLE_QUOTE = 0x22;
export const SINGLE_QUOTE = 0x27;
export const HYPHEN = 0x2d;
export const SLASH = 0x2f;
export const LESS_THAN = 0x3c;
export const EQUALS = 0x3d;
export const GREATER_THAN = 0x3e;
export const QUESTION = 0x3f;

export const isSpace = (byte: number | undefined): boolean =>
  byte !== undefined &&
  byte <= 0x20 &&
  (byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d || byte === 0x0c);

export const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
