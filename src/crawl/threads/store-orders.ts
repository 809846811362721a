/** Do nothing more, for ever: the process is about to end. */
export const HALT = 'halt';
/** The answer to it. */
export const HALTED = 'halted';
