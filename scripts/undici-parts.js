/**
 * Parts of undici that are left out of the bundle: the program speaks HTTP/1.1 itself and sends bodies of bytes only, so the parser in
 * WebAssembly and the bodies of `fetch` are never reached.
 */
export default function leftOut() {
  throw new Error('a part of undici that the bundle leaves out (scripts/build.js)');
}
export const extractBody = leftOut;
