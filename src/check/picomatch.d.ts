/** The part of picomatch that is used: the package brings no types. */
declare module 'picomatch' {
  interface Options {
    dot?: boolean;
    posix?: boolean;
    nonegate?: boolean;
    noextglob?: boolean;
    strictBrackets?: boolean;
  }
  export default function picomatch(glob: string, options?: Options): (file: string) => boolean;
}
