import { useEffect, useState } from 'preact/hooks';
import type { KeptFigures } from '../../store/watch-rows.js';
import type { LiveSnapshot } from '../../watch/live.js';
import type { About } from '../api.js';
import { Audit } from './audit.js';
import { Controls } from './controls.js';
import { Corpora } from './corpora.js';
import { get, useAbout, useIsGone, useLive } from './data.js';
import { Explain } from './explain.js';
import { duration, shown, words } from './format.js';
import { LinkGraph } from './graph.js';
import { Hosts } from './hosts.js';
import { KeptOverview, Overview } from './overview.js';
import { Pages } from './pages.js';
import { Drawer } from './parts.js';

const TABS = ['Overview', 'Hosts', 'Pages', 'Links', 'Audit', 'Corpora'] as const;
type Tab = (typeof TABS)[number];

const STATES: Readonly<Record<string, { mark: string; kind: string }>> = {
  running: { mark: '●', kind: 'good' },
  paused: { mark: '❚❚', kind: 'warn' },
  stopping: { mark: '■', kind: 'warn' },
  ended: { mark: '✓', kind: 'mute' },
  finished: { mark: '✓', kind: 'good' },
  unfinished: { mark: '◐', kind: 'warn' },
};

export function App() {
  const { about, problem } = useAbout();
  if (about === null) {
    return (
      <main class="start">
        <h1>Gossamer</h1>
        <p role="status">{problem ?? 'Looking…'}</p>
      </main>
    );
  }
  return <Dashboard about={about} />;
}

function Dashboard({ about }: { about: About }) {
  const [crawl, setCrawl] = useState(0);
  const [tab, setTab] = useState<Tab>(() =>
    about.crawls.length === 0
      ? 'Corpora'
      : (TABS.find((name) => `#${name.toLowerCase()}` === location.hash) ?? 'Overview'),
  );
  const [explained, setExplained] = useState<string | null>(null);
  const [host, setHost] = useState('');
  const [said, setSaid] = useState('');
  const [hasHelp, setHasHelp] = useState(false);
  const entry = about.crawls[crawl];
  const isLive = entry?.isLive ?? false;
  const { answer, problem, askNow } = useLive(isLive);
  const live = isLive ? (answer?.live ?? null) : null;
  const isGone = useIsGone();
  const isRunning = isLive && problem === null && live !== null && live.state !== 'ended';
  // Whoever opened the page without its token may look, and tell nothing.
  const hasControls = isRunning && answer?.hasControls === true;
  const isEnded = live?.state === 'ended';
  useEffect(() => {
    if (isEnded) {
      setSaid('');
    }
  }, [isEnded]);
  const choose = (name: Tab): void => {
    setTab(name);
    history.replaceState(null, '', `#${name.toLowerCase()}`);
  };
  useShortcuts(choose, () => setHasHelp(true));
  return (
    <>
      <header class="top">
        <img src="icon.svg" alt="" width="36" height="36" />
        <div class="heading">
          <h1>{live?.command === undefined ? 'Gossamer' : `gossamer ${live.command}`}</h1>
          {about.crawls.length > 1 ? (
            <label>
              <span class="unseen">Crawl</span>
              <select value={String(crawl)} onChange={({ currentTarget }) => setCrawl(Number(currentTarget.value))}>
                {about.crawls.map((each) => (
                  <option key={each.crawl} value={String(each.crawl)}>
                    {shown(each.directory)}
                  </option>
                ))}
              </select>
            </label>
          ) : (
            <p class="site">{entry === undefined ? 'Corpora' : shown(entry.directory)}</p>
          )}
        </div>
        {live === null ? null : <RunState live={live} isGone={problem !== null} />}
        {hasControls ? <Controls live={live} askNow={askNow} say={setSaid} /> : null}
      </header>
      <nav class="bar" aria-label="Views">
        <Tabs tab={tab} choose={choose} />
        <p class="said" role="status">
          {isRunning && !hasControls
            ? 'Read only: the URL in the terminal has the token that the controls need.'
            : said}
        </p>
      </nav>
      <main>
        {isGone ? <Gone isEnded={isEnded} directory={entry?.directory ?? null} /> : null}
        <div id={`panel-${tab}`} role="tabpanel" aria-labelledby={`tab-${tab}`}>
          {tab === 'Overview' ? (
            <OverviewOf
              crawl={crawl}
              hasCrawl={entry !== undefined}
              isLive={isLive}
              live={live}
              hasControls={hasControls}
              explain={setExplained}
            />
          ) : null}
          {tab === 'Hosts' && entry !== undefined ? (
            <Hosts
              crawl={crawl}
              isLive={isLive && live?.state !== 'ended'}
              hasControls={hasControls}
              showPages={(name) => {
                setHost(name);
                choose('Pages');
              }}
            />
          ) : null}
          {tab === 'Pages' && entry !== undefined ? (
            <Pages crawl={crawl} isLive={isLive && live?.state !== 'ended'} host={host} explain={setExplained} />
          ) : null}
          {tab === 'Links' && entry !== undefined ? (
            <LinkGraph crawl={crawl} isLive={isLive && live?.state !== 'ended'} explain={setExplained} />
          ) : null}
          {tab === 'Corpora' ? <Corpora /> : null}
          {tab === 'Audit' && entry !== undefined ? <Audit key={crawl} crawl={crawl} explain={setExplained} /> : null}
        </div>
      </main>
      <footer>
        gossamer {about.version} · <kbd>1</kbd>–<kbd>{TABS.length}</kbd> tabs{' '}
        {hasControls ? (
          <>
            <kbd>p</kbd> pause or go on{' '}
          </>
        ) : null}
        <kbd>/</kbd> search <kbd>?</kbd> help
      </footer>
      {explained === null ? null : (
        <Explain
          crawl={crawl}
          url={explained}
          hasControls={hasControls}
          close={() => setExplained(null)}
          explain={setExplained}
        />
      )}
      {hasHelp ? <Help hasControls={hasControls} close={() => setHasHelp(false)} /> : null}
    </>
  );
}

/** Nothing can be asked any more: what is shown stays as it was. */
function Gone({ isEnded, directory }: { isEnded: boolean; directory: string | null }) {
  return (
    <div class="banner" role="alert">
      <p>
        <b>{isEnded ? 'The run is over, and its dashboard with it.' : 'The dashboard does not answer.'}</b>{' '}
        {isEnded ? '' : 'Its process may have ended or been stopped. '}What you see are the last figures.
        {directory === null ? null : (
          <>
            {' '}
            <code>gossamer serve {shown(directory)}</code> shows what is kept.
          </>
        )}
      </p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </div>
  );
}

function RunState({ live, isGone }: { live: LiveSnapshot; isGone: boolean }) {
  const { mark, kind } = isGone && live.state !== 'ended' ? { mark: '?', kind: 'bad' } : STATES[live.state]!;
  const name = isGone && live.state !== 'ended' ? 'no answer' : live.state;
  return (
    <p class="run-state">
      <span class={`badge big ${kind}`} id="run-state">
        <span aria-hidden="true">{mark} </span>
        {name}
      </span>
      <span class="aside">
        {duration(live.elapsedMs)}
        {live.endReason === null ? '' : ` · ${words(live.endReason)}`}
      </span>
    </p>
  );
}

/** Arrows go from tab to tab, as in every list of tabs. */
function Tabs({ tab, choose }: { tab: Tab; choose(tab: Tab): void }) {
  const move = (event: KeyboardEvent): void => {
    const at = TABS.indexOf(tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const next = TABS[(to + TABS.length) % TABS.length]!;
      choose(next);
      document.getElementById(`tab-${next}`)?.focus();
    }
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
      {TABS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === tab}
          {...(name === tab ? { 'aria-controls': `panel-${name}` } : {})}
          tabIndex={name === tab ? 0 : -1}
          onClick={() => choose(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

interface OverviewOfProps {
  readonly crawl: number;
  readonly hasCrawl: boolean;
  readonly isLive: boolean;
  readonly live: LiveSnapshot | null;
  readonly hasControls: boolean;
  explain(url: string): void;
}

function OverviewOf({ crawl, hasCrawl, isLive, live, hasControls, explain }: OverviewOfProps) {
  const [kept, setKept] = useState<KeptFigures | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    setKept(null);
    if (!isLive && hasCrawl) {
      get<KeptFigures>('kept', { crawl }).then(setKept, (error: Error) => setProblem(error.message));
    }
  }, [crawl, isLive]);
  if (live !== null) {
    return <Overview live={live} hasControls={hasControls} explain={explain} />;
  }
  if (!hasCrawl) {
    return <p class="empty">There is no crawl here. The corpora have a tab of their own.</p>;
  }
  return kept === null ? (
    <p class="empty" role="status">
      {problem ?? 'Looking…'}
    </p>
  ) : (
    <>
      <p class="run-state kept">
        <span class={`badge big ${STATES[kept.state]!.kind}`}>
          <span aria-hidden="true">{STATES[kept.state]!.mark} </span>
          {kept.state}
        </span>{' '}
        <span class="aside">
          {kept.command}
          {kept.reason === null ? '' : ` · ${words(kept.reason)}`}
        </span>
      </p>
      <KeptOverview kept={kept} />
    </>
  );
}

function Help({ hasControls, close }: { hasControls: boolean; close(): void }) {
  const keys: readonly (readonly [string, string])[] = [
    [TABS.map((_, place) => place + 1).join(' '), TABS.join(', ')],
    ['← →', 'the tab before or after, while a tab has the focus'],
    ...(hasControls ? ([['p', 'pause, or go on']] as const) : []),
    ['/', 'search on this tab'],
    ['Esc', 'close what is open'],
    ['?', 'this help'],
  ];
  return (
    <Drawer title="Keys" kind="box" close={close}>
      <dl class="facts">
        {keys.map(([key, what]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
    </Drawer>
  );
}

function useShortcuts(choose: (tab: Tab) => void, help: () => void): void {
  useEffect(() => {
    const take = (event: KeyboardEvent): void => {
      const isTyping = (event.target as Element | null)?.matches?.('input, select, textarea') ?? false;
      if (
        isTyping ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        document.querySelector('dialog[open]') !== null
      ) {
        return;
      }
      const tab = TABS[Number(event.key) - 1];
      if (tab !== undefined) {
        choose(tab);
      } else if (event.key === 'p') {
        document.getElementById('pause')?.click();
      } else if (event.key === '?') {
        help();
      } else if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('main .search')?.focus();
      }
    };
    document.addEventListener('keydown', take);
    return () => document.removeEventListener('keydown', take);
  }, []);
}
