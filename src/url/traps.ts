/** URLs that a program makes without end: fixed rules for one URL at a time, and a watch over what patterns bring. */
export { AllowedTraps } from './allowed-traps.js';
export { queryPatternOf, shapeOf } from './shape.js';
export { allowTrapFlag, isTooLong, isTrapByLooks, type TrapLimits, trapCause } from './trap-cause.js';
export { TrapRules, type TrapRulesOptions } from './trap-rules.js';
export { type FetchedPage, TrapWatch, type TrapWatchData, type TrapWatchOptions } from './trap-watch.js';
