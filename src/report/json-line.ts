/** C1 controls, DEL, the marks that reorder or hide text, and noncharacters: JSON allows them as they are, a terminal or YAML does not. */
const UNPRINTABLE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/g;

/** One line of JSON. Exact: what is not fit for a terminal is escaped, and every parser gives it back as it was. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value).replace(UNPRINTABLE, escaped)}\n`;

/** The same for people: a line a value. */
export const jsonLines = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(UNPRINTABLE, escaped)}\n`;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
