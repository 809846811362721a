import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Explanation, LinkFrom } from '../../explain/explanation.js';
import { LetTrapIn } from './controls.js';
import { get } from './data.js';
import { count, counted, duration, isWebUrl, shown, timeOfDay, words } from './format.js';
import { BADGES } from './overview.js';
import { Drawer, Fact } from './parts.js';

const MOST_NAMED = 20;

/** Why a URL was or was not fetched. */
export function Explain({
  crawl,
  url,
  hasControls,
  close,
  explain,
}: {
  crawl: number;
  url: string;
  hasControls: boolean;
  close(): void;
  explain(url: string): void;
}) {
  const [found, setFound] = useState<Explanation | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    setFound(null);
    setProblem(null);
    get<Explanation>('explain', { crawl, url }, stop.signal).then(setFound, (error: Error) => {
      if (!stop.signal.aborted) {
        setProblem(error.message);
      }
    });
    return () => stop.abort();
  }, [crawl, url]);
  return (
    <Drawer title="Why this URL" close={close}>
      <p class="whole-url">{isWebUrl(url) ? <Outside url={url} /> : shown(url)}</p>
      {found === null ? (
        <p role="status">{problem ?? 'Looking at the links of the crawl…'}</p>
      ) : (
        <Found found={found} hasControls={hasControls} explain={explain} />
      )}
    </Drawer>
  );
}

export function Outside({ url, children }: { url: string; children?: ComponentChildren }) {
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {children ?? shown(url)}
    </a>
  );
}

function Found({
  found,
  hasControls,
  explain,
}: {
  found: Explanation;
  hasControls: boolean;
  explain(url: string): void;
}) {
  const { state, reason, what, rule, robots, waiting, linkedFrom, trap } = found;
  const known = (url: string) => (
    <button type="button" class="plain" onClick={() => explain(url)}>
      {shown(url)}
    </button>
  );
  const some = (urls: readonly string[], total: number) =>
    total === 0 ? null : (
      <ul class="urls">
        {urls.slice(0, MOST_NAMED).map((each) => (
          <li key={each}>{known(each)}</li>
        ))}
        {total > MOST_NAMED ? <li>and {count(total - MOST_NAMED)} more</li> : null}
      </ul>
    );
  return (
    <>
      <p class="what">
        <span class={`badge ${BADGES[state] ?? 'mute'}`}>{state}</span> {shown(what)}
      </p>
      <dl class="facts">
        <Fact label="Reason">{reason === null ? null : words(reason)}</Fact>
        <Fact label="Rule">{shown(rule.text)}</Fact>
        <Fact label="Status">{found.status}</Fact>
        <Fact label="robots.txt">
          {robots === null ? null : `${robots.allowed ? 'allows it' : 'forbids it'}: ${shown(robots.why)}`}
        </Fact>
        <Fact label="To fetch it">{found.remedy === null ? null : <code>{shown(found.remedy)}</code>}</Fact>
        <Fact label="Depth">{found.depth === null ? null : String(found.depth)}</Fact>
        <Fact label="Path">
          {(found.path ?? []).length === 0 ? null : (
            <ol class="urls">
              {found.path!.slice(0, MOST_NAMED).map((step, place) => (
                <li key={`${place} ${step.url}`}>
                  {known(step.url)} <small>{step.kind ?? step.by}</small>
                </li>
              ))}
            </ol>
          )}
        </Fact>
        <Fact label="Redirects to">{some(found.redirects, found.redirects.length)}</Fact>
        <Fact label="Linked from">
          {linkedFrom.total === 0 ? null : (
            <>
              {counted(linkedFrom.total, 'link')} on {counted(linkedFrom.pages, 'page')}
              <ul class="urls">
                {onePerPage(linkedFrom.first).map(({ url, kind, text }) => (
                  <li key={url}>
                    {known(url)} <small>{kind}</small> {text === null || text === '' ? '' : `“${shown(text)}”`}
                  </li>
                ))}
              </ul>
            </>
          )}
        </Fact>
        <Fact label="Same body">{some(found.duplicates.first, found.duplicates.total)}</Fact>
        <Fact label="Canonical">{found.canonical === null ? null : shown(found.canonical)}</Fact>
        <Fact label="Robots meta">{found.robotsMeta === null ? null : shown(found.robotsMeta)}</Fact>
        <Fact label="Attempts">
          {found.attempts.length === 0 ? null : (
            <ol class="urls">
              {found.attempts.map(({ attempt, at, status, reason: why, message }) => (
                <li key={attempt}>
                  {at === null ? '' : `${timeOfDay(at)} `}
                  {status === null ? '' : `HTTP ${status} `}
                  {why === null ? '' : words(why)} {message === null ? '' : shown(message)}
                </li>
              ))}
            </ol>
          )}
        </Fact>
        <Fact label={waiting?.queued == null ? 'Waited' : 'Waits'}>
          {waiting === null
            ? null
            : [
                waiting.waitedMs === null ? null : `${duration(waiting.waitedMs)} from its discovery to its answer`,
                waiting.layer === null ? shown(waiting.why) : `${words(waiting.name)}: ${shown(waiting.why)}`,
                waiting.queued === null ? null : `${count(waiting.queued.before)} of its host go before it`,
              ]
                .filter((part) => part !== null)
                .join('; ')}
        </Fact>
        <Fact label="Known are">{some(found.near, found.near.length)}</Fact>
      </dl>
      {trap === null ? null : (
        <Trap pattern={trap.pattern} cause={trap.cause} urls={trap.count} hasControls={hasControls} />
      )}
    </>
  );
}

/** Several links of one page are one line. */
const onePerPage = (links: readonly LinkFrom[]): LinkFrom[] =>
  [...new Map(links.map((link) => [link.url, link])).values()].slice(0, MOST_NAMED);

function Trap({
  pattern,
  cause,
  urls,
  hasControls,
}: {
  pattern: string;
  cause: string;
  urls: number;
  hasControls: boolean;
}) {
  return (
    <section class="remark">
      <p>
        {counted(urls, 'URL was', 'URLs were')} cut as a trap: {shown(cause)}
      </p>
      <p>
        <code>{shown(pattern)}</code>
      </p>
      {hasControls ? <LetTrapIn pattern={pattern} /> : null}
    </section>
  );
}
