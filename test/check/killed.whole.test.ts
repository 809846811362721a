import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckedLink, CheckSummary } from '../../src/check/report/result.js';
import { gossamer, type Run, start, temporaryFolder } from '../crawl/support.js';
import { inspect, type Kill } from '../kill/killing.js';
import { peakConcurrency, urlOf } from '../web/judge.js';
import type { LoggedRequest } from '../web/log.js';
import { Random } from '../web/random.js';
import { html, linkPage, pathSite, redirect, type SiteAnswer } from '../web/site.js';
import { openWeb, type WebInABox } from '../web/web.js';
import { HASTY } from './checking.js';
import { ok, status } from './planted.js';

const SEED = 20_261_115;
const PAGES = 120;
const HOSTS = 12;

/** Faults that stay what they are, however often they are asked for, on pages that take a moment each. */
function install(web: WebInABox): void {
  const late = (answer: SiteAnswer): SiteAnswer => ({ ...answer, afterMs: 4 });
  const answers: Record<string, SiteAnswer> = { '/ok': late(ok) };
  // A path that repeats itself is part of a trap: asked for, and not read.
  for (const n of [0, 1, 2]) {
    answers[`/r/r/r/r/${n}`] = late(html(linkPage('On and on', [`/r/r/r/r/r/${n}`])));
  }
  const pages = Array.from({ length: PAGES }, (_, n) => `/p${n}`);
  pages.forEach((path, n) => {
    const more = [
      `/gone-${n % 40}`,
      `/ok#part-${n % 15}`,
      `/old-${n % 10}`,
      `http://h${n % HOSTS}.test/x${n}`,
      `/r/r/r/r/${n % 5}`,
    ];
    answers[path] = late(html(linkPage(`Page ${n}`, [pages[(n * 7 + 1) % PAGES]!, '/ok#there', ...more])));
  });
  for (let n = 0; n < 10; n++) {
    answers[`/old-${n}`] = late(redirect(n === 0 ? '/old-0' : '/ok', n % 2 === 0 ? 301 : 302));
  }
  for (const code of [403, 410, 500]) {
    answers[`/s${code}`] = late(status(code));
  }
  answers['/cut'] = {
    raw: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\n<p>half',
    end: 'close',
  };
  answers['/'] = late(html(linkPage('Home', [...pages, '/s403', '/s410', '/s500', '/cut', 'mailto:a@site.test'])));
  web.site('site.test', pathSite(answers));
  for (let host = 0; host < HOSTS; host++) {
    web.site(`h${host}.test`, {
      handle: ({ path }) => late(path === '/robots.txt' ? status(404) : status(host % 4 === 0 ? 404 : 200)),
    });
  }
}

const isSecond = ({ headers }: LoggedRequest): boolean => headers.range === 'bytes=0-65535';

/** Kills when this run has asked so often, or so often in its second look. */
interface Moment {
  requests: number;
  ofSecondLook: boolean;
}

const random = new Random(SEED);
const SCENARIOS: { name: string; moments: Moment[] }[] = [
  {
    name: 'four times in the first look, three times in the second',
    moments: [
      { requests: 1, ofSecondLook: false },
      ...Array.from({ length: 3 }, () => ({ requests: random.between(10, 60), ofSecondLook: false })),
      ...[1, random.between(2, 6), random.between(2, 6)].map((requests) => ({ requests, ofSecondLook: true })),
    ],
  },
  {
    name: 'five times in the second look, at its first requests and later',
    moments: [1, 1, 2, random.between(3, 8), random.between(3, 8)].map((requests) => ({
      requests,
      ofSecondLook: true,
    })),
  },
];

describe('a check killed with -9 and resumed', () => {
  const folder = temporaryFolder();
  const webs: WebInABox[] = [];
  const killed = new Map<string, { kills: Kill[]; last: Run; log: LoggedRequest[]; report: Report }>();
  let whole: { log: LoggedRequest[]; report: Report };
  let again: { run: Run; log: LoggedRequest[]; report: Report };

  async function openOne(name: string) {
    const web = await openWeb();
    webs.push(web);
    install(web);
    const directory = join(folder.path, name);
    const file = join(folder.path, `${name}.json`);
    const connectTo = web.connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const args = ['check', 'http://site.test/', ...HASTY, '--data-dir', directory, '--report', `json=${file}`];
    return { web, directory, file, args: [...args, ...connectTo] };
  }

  beforeAll(async () => {
    await Promise.all([
      (async () => {
        const { web, args, file } = await openOne('whole');
        const run = await gossamer(args);
        expect(run.code, run.stderr).toBe(1);
        whole = { log: [...web.log], report: readJson(file) };
        rmSync(file);
        web.clearLog();
        again = { run: await gossamer([...args, '--resume']), log: web.log, report: readJson(file) };
      })(),
      ...SCENARIOS.map(async ({ moments }, n) => {
        const { web, directory, args, file } = await openOne(`killed-${n}`);
        const kills: Kill[] = [];
        for (const moment of moments) {
          const run = start(kills.length === 0 ? args : ['resume', directory]);
          if (!(await seen(web, moment, run.ended))) {
            break;
          }
          run.child.kill('SIGKILL');
          if ((await run.ended).signal !== 'SIGKILL') {
            break;
          }
          kills.push(inspect(directory));
        }
        const last = await gossamer(['resume', directory]);
        killed.set(SCENARIOS[n]!.name, { kills, last, log: web.log, report: readJson(file) });
      }),
    ]);
  });

  afterAll(async () => {
    await Promise.all(webs.map((web) => web.close()));
    folder.remove();
  });

  it('says the same again where it is finished, and asks for nothing', () => {
    expect(again.run.code, again.run.stderr).toBe(1);
    expect(differences(again.report.links, whole.report.links)).toEqual([]);
    expect(again.log).toEqual([]);
  });

  describe.each(SCENARIOS)('$name', ({ name, moments }) => {
    it('was really killed each time, and says by its exit code what the whole one says', () => {
      const { kills, last } = killed.get(name)!;
      expect(kills).toHaveLength(moments.length);
      expect(new Set(kills.map(({ integrity }) => integrity))).toEqual(new Set(['ok']));
      expect(last.code, last.stderr).toBe(1);
    });

    it('gives the same report, but for times', () => {
      const { report } = killed.get(name)!;
      expect(Object.keys(whole.report.links).length).toBeGreaterThan(300);
      expect(new Set(Object.keys(whole.report.summary.verdicts))).toEqual(
        new Set([
          'dead',
          'missing_fragment',
          'connection',
          'redirect_loop',
          'server_error',
          'auth_required',
          'unchecked',
          'moved',
          'redirected',
          'skipped',
          'ok',
        ]),
      );
      expect(differences(report.links, whole.report.links)).toEqual([]);
      expect(report.summary).toEqual(whole.report.summary);
    });

    it('goes on with a second look as with one: a host gets one request at a time', () => {
      const second = killed.get(name)!.log.filter(isSecond);
      for (const host of new Set(second.map(({ host }) => host))) {
        expect(peakConcurrency(second, host), host).toBe(1);
      }
    });

    it('asks again only for what was under way at a kill', () => {
      const { kills, log } = killed.get(name)!;
      const lost = counted(kills.flatMap(({ leased }) => leased));
      const needed = counted(whole.log.map(urlOf));
      for (const [url, count] of counted(log.map(urlOf))) {
        expect(count - (needed.get(url) ?? 0), `${url} beyond what it takes`).toBeLessThanOrEqual(lost.get(url) ?? 0);
      }
    });
  });
});

async function seen(web: WebInABox, moment: Moment, until: Promise<unknown>): Promise<boolean> {
  const from = web.log.length;
  let over = false;
  until.then(() => {
    over = true;
  });
  const wanted = (): number => web.log.slice(from).filter((each) => !moment.ofSecondLook || isSecond(each)).length;
  while (wanted() < moment.requests) {
    if (over) {
      return false;
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return !over;
}

interface Report {
  summary: Omit<CheckSummary, 'durationMs'>;
  /** By URL and fragment; looks are left out, for a request that was lost is one more. */
  links: Record<string, string>;
}

function readJson(file: string): Report {
  const { summary, links } = JSON.parse(readFileSync(file, 'utf8')) as { summary: CheckSummary; links: CheckedLink[] };
  const { durationMs: _, ...rest } = summary;
  return {
    summary: rest,
    links: Object.fromEntries(
      links.map(({ evidence: { looks: _looks, ...evidence }, sources, ...link }) => [
        `${link.url}#${link.fragment}`,
        JSON.stringify({ ...link, evidence, sources: sources.map((source) => JSON.stringify(source)).sort() }),
      ]),
    ),
  };
}

function differences(killed: Record<string, string>, whole: Record<string, string>): string[] {
  const names = new Set([...Object.keys(killed), ...Object.keys(whole)]);
  return [...names]
    .filter((name) => killed[name] !== whole[name])
    .map((name) => `${killed[name]} and not ${whole[name]}`);
}

/** A page that no site has gets another name in each run. */
const PROBE = /\/[a-fx][\da-f]{15}$/;

function counted(urls: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of urls) {
    const url = each.replace(PROBE, '/probe');
    counts.set(url, (counts.get(url) ?? 0) + 1);
  }
  return counts;
}
