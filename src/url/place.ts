import { hostKeyOf, isHttp, originOf } from './host.js';

/** Where keys live that are not URLs (a library user's own identity): one origin, one host, no network. */
const NOWHERE = 'local:';

/** The origin that a URL, or a key that stands for one, is queued under. */
export const queueOriginOf = (url: string): string => (isHttp(url) ? originOf(url) : NOWHERE);

/** What pacing goes by for an origin. */
export const hostOfOrigin = (origin: string): string => (origin === NOWHERE ? NOWHERE : hostKeyOf(`${origin}/`));

/** Whether there is a server behind a host or origin: one that has a robots.txt and can be in trouble. */
export const isServer = (hostOrOrigin: string): boolean => hostOrOrigin !== NOWHERE;
