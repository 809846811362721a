import {
  APART,
  answer,
  type Case,
  close,
  group,
  hang,
  headElse,
  image,
  notFound,
  page,
  raw,
  reset,
  to,
} from './case.js';

const head = group('head');
const SAME = 'RFC 9110 9.3.2: a HEAD answers as a GET would; the GET is what a reader does';
const IMAGE = '<img src="{own}{t}.png" alt="">';

/** HEAD fails in its way, GET is fine. */
const refused = (rest: string, how: Parameters<typeof headElse>[0]): Case =>
  head(rest, 'fine', SAME, APART, headElse(how, page()));
/** HEAD is fine, GET is not. */
const feigned = (rest: string, how: Parameters<typeof headElse>[0]): Case =>
  head(rest, 'broken', SAME, APART, headElse(page(), how));

export const HEAD_CASES: readonly Case[] = [
  ...[400, 403, 404, 405, 410, 429, 500, 501, 503].map((code) => refused(String(code), answer(code))),
  refused('reset', reset),
  refused('closed', close),
  refused('hangs', hang),
  refused('circle', to('{t}')),
  refused('to-gone', to('/nowhere/{name}')),
  refused(
    'with-body',
    raw('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody'),
  ),
  feigned('fine-get-404', notFound),
  feigned('fine-get-410', answer(410)),
  feigned('fine-get-500', answer(500)),
  feigned('fine-get-to-gone', to('/nowhere/{name}')),
  head('image-405', 'fine', SAME, IMAGE, null, { routes: { '{t}.png': headElse(answer(405), image) } }),
  head('image-fine-get-404', 'broken', SAME, IMAGE, null, { routes: { '{t}.png': headElse(image, notFound) } }),
];
