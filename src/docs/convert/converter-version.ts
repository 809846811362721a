import { VERSION } from '../../config/version.js';

/** By which build pages were made into Markdown: another may make something else of them. The build writes a hash of its files in its place. */
export const CONVERTER_VERSION: string = VERSION;
