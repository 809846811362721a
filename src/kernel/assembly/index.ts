/** The innermost loops of a crawl, in AssemblyScript; scripts/compile-assembly.js makes WebAssembly of them. */
export {
  additionLength,
  enterFolder,
  findUrl,
  folderLength,
  forgetUrls,
  rememberUrl,
} from './known-urls';
export { ADDITION, BASE, HAS_RULE, HREFS, LONGEST_BASE, MOST_HREFS, PAGE, SKETCH, SKETCH_BYTES } from './memory';
export { findByte, initialiseMarkup, passPlainMarkup } from './plain-markup';
export { addJoining, beginWords, finishText, passText, words } from './words';
