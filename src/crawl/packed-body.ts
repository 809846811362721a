import { deflateRawSync } from 'node:zlib';
import type { KeptBody } from '../store/page-row.js';

/** Fast: pages are packed in the lane that fetched them, and taken apart once. */
const LEVEL = 1;

export const packBody = (body: Uint8Array, type: string | null): KeptBody => ({
  type,
  packed: deflateRawSync(body, { level: LEVEL }).toString('base64'),
});
