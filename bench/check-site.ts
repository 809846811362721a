import { tree } from '../test/web/plain.js';
import type { Site, SiteAnswer } from '../test/web/site.js';
import { openWeb } from '../test/web/web.js';

/** The site of the scenario `check` as a process of its own: `check-site.js PAGES [DEAD]` prints its port. */
const [pages, dead] = process.argv.slice(2).map(Number) as [number, number | undefined];
const web = await openWeb({ keepLog: false });
const sound = tree({ pages, links: 10, bodyBytes: 2_000 });
web.site('127.0.0.1', dead === undefined ? sound : withDeadLinks(sound, dead));
process.stdout.write(`${web.port}\n`);

/** Each page has two links more: to one of so many pages that are not there, and to a place that its parent does not have. */
function withDeadLinks(site: Site, count: number): Site {
  return {
    handle(request) {
      const answer = site.handle(request) as SiteAnswer & { body: Buffer };
      const number = Number(/^\/p(\d+)$/.exec(request.path)?.[1] ?? 0);
      if (answer.status !== 200 || answer.body === undefined) {
        return answer;
      }
      const links = `<a href="/gone-${number % count}">gone</a> <a href="/p${number % 100}#part-${number % count}">part</a>`;
      return { ...answer, body: Buffer.concat([answer.body, Buffer.from(links)]) };
    },
  };
}
