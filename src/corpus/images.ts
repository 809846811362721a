import { createHash } from 'node:crypto';

/** An image in the folder of a corpus. */
export interface CorpusImage {
  /** In the corpus, made of nothing but a hash of the bytes and their kind. */
  path: string;
  bytes: Uint8Array;
}

/** Signs by which formats begin that hold pixels and nothing else. SVG is none: it may hold scripts. */
const SIGNS: readonly [extension: string, sign: RegExp][] = [
  ['png', /^\x89PNG\r\n\x1a\n/],
  ['jpg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF[\s\S]{4}WEBP/],
  ['avif', /^[\s\S]{4}ftyp(?:avif|avis)/],
];
const SIGN_BYTES = 16;
const NAME = /^images\/[0-9a-f]{32}\.(?:png|jpg|gif|webp|avif)$/;

/** Whether a file of the folder is an image that a run has put there. */
export const isImagePath = (path: string): boolean => NAME.test(path);

/** The name goes by the bytes alone, whatever URL and Content-Type say; null if they are no image that is saved. */
export function imageNamed(bytes: Uint8Array): CorpusImage | null {
  const start = Buffer.from(bytes.subarray(0, SIGN_BYTES)).toString('latin1');
  const extension = SIGNS.find(([, sign]) => sign.test(start))?.[0];
  return extension === undefined
    ? null
    : { path: `images/${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}.${extension}`, bytes };
}
