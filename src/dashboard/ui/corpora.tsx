import { useEffect, useState } from 'preact/hooks';
import type { CorpusEntry, CorpusHit, CorpusListed, CorpusPage, CorpusPages } from '../api.js';
import { get } from './data.js';
import { Outside } from './explain.js';
import { count, counted, shown, withoutMarks } from './format.js';
import { Markdown } from './markdown.js';
import { Drawer, Search } from './parts.js';

const AT_ONCE = 100;

/** Corpora: what is in them, found by words, and read. */
export function Corpora() {
  const [corpora, setCorpora] = useState<readonly CorpusEntry[] | null>(null);
  const [chosen, setChosen] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    get<CorpusEntry[]>('corpora').then(
      (found) => {
        setCorpora(found);
        setChosen(found[0]?.corpus ?? 0);
      },
      (error: Error) => setProblem(error.message),
    );
  }, []);
  if (corpora === null || corpora.length === 0) {
    return (
      <section class="card" role="status">
        <h2>Corpora</h2>
        <p class="empty">
          {problem ??
            (corpora === null
              ? 'Looking…'
              : 'There is no corpus here. `gossamer docs` makes one, and `gossamer serve` shows it.')}
        </p>
      </section>
    );
  }
  const corpus = corpora.find((each) => each.corpus === chosen) ?? corpora[0]!;
  return (
    <>
      <ul class="corpora">
        {corpora.map((each) => (
          <li key={each.corpus}>
            <button type="button" class="card" aria-pressed={each === corpus} onClick={() => setChosen(each.corpus)}>
              <b>{shown(each.title)}</b>
              <span>
                {counted(each.pages, 'page')} · {each.tokensEstimated ? '~' : ''}
                {count(each.tokens)} tokens
              </span>
              <small>{shown(each.directory)}</small>
            </button>
          </li>
        ))}
      </ul>
      <Corpus key={corpus.corpus} corpus={corpus.corpus} />
    </>
  );
}

function Corpus({ corpus }: { corpus: number }) {
  const [text, setText] = useState('');
  const [hits, setHits] = useState<readonly CorpusHit[] | null>(null);
  const [pages, setPages] = useState<CorpusPages>({ rows: [], next: 0 });
  const [problem, setProblem] = useState<string | null>(null);
  const [open, setOpen] = useState<string | null>(null);
  const more = (after: number): void => {
    get<CorpusPages>('corpus', { corpus, after, limit: AT_ONCE }).then(
      ({ rows, next }) => setPages((before) => ({ rows: [...(after === 0 ? [] : before.rows), ...rows], next })),
      (error: Error) => setProblem(error.message),
    );
  };
  useEffect(() => more(0), [corpus]);
  useEffect(() => {
    setProblem(null);
    if (text.trim() === '') {
      setHits(null);
      return;
    }
    const stop = new AbortController();
    get<{ rows: CorpusHit[] }>('corpus/search', { corpus, q: text }, stop.signal).then(
      ({ rows }) => setHits(rows),
      (error: Error) => {
        if (!stop.signal.aborted) {
          setHits([]);
          setProblem(error.message);
        }
      },
    );
    return () => stop.abort();
  }, [corpus, text]);
  return (
    <section class="card" aria-label="Pages of the corpus">
      <div class="tools">
        <Search label="Search the corpus" value={text} onChange={setText} />
      </div>
      <p role="status" class="found">
        {problem ??
          (hits === null
            ? `${count(pages.rows.length)}${pages.next === null ? '' : '+'} pages in their order`
            : `${counted(hits.length, 'page')} found`)}
      </p>
      <ul class="documents">
        {(hits ?? pages.rows).map((page) => (
          <Listed key={page.path} page={page} open={() => setOpen(page.path)} />
        ))}
      </ul>
      {hits === null && pages.next !== null && pages.rows.length > 0 ? (
        <button type="button" onClick={() => more(pages.next!)}>
          Show more
        </button>
      ) : null}
      {open === null ? null : <Reading corpus={corpus} path={open} close={() => setOpen(null)} open={setOpen} />}
    </section>
  );
}

function Listed({ page, open }: { page: CorpusListed | CorpusHit; open(): void }) {
  return (
    <li>
      <button type="button" class="plain two" onClick={open}>
        <span class="url">{shown(page.title)}</span>
        <span class="title">{shown('headings' in page ? [page.path, ...page.headings].join(' › ') : page.path)}</span>
      </button>
      <span class="aside">{count(page.tokens)} tokens</span>
      {'snippet' in page ? <p class="snippet">{shown(withoutMarks(page.snippet))}</p> : null}
    </li>
  );
}

function Reading({
  corpus,
  path,
  close,
  open,
}: {
  corpus: number;
  path: string;
  close(): void;
  open(path: string): void;
}) {
  const [page, setPage] = useState<CorpusPage | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    setPage(null);
    get<CorpusPage>('corpus/page', { corpus, path }).then(setPage, (error: Error) => setProblem(error.message));
  }, [corpus, path]);
  return (
    <Drawer title={page?.title ?? path} close={close} kind="drawer reader">
      {page === null ? (
        <p role="status">{problem ?? 'Reading…'}</p>
      ) : (
        <>
          <p class="whole-url">
            <Outside url={page.url} /> · {shown(page.path)}
          </p>
          <article class="prose">
            <Markdown text={withoutTitle(page)} open={(target) => open(besides(page.path, target))} />
          </article>
          {page.isCut ? <p class="remark">The page is longer. `gossamer show` prints all of it.</p> : null}
        </>
      )}
    </Drawer>
  );
}

/** The sheet has the title already. */
const withoutTitle = ({ markdown, title }: CorpusPage): string =>
  markdown.trimStart().startsWith(`# ${title}\n`) ? markdown.trimStart().slice(title.length + 2) : markdown;

/** A link between two pages of a corpus, as a path in its tree. */
function besides(path: string, target: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of target.replace(/#.*$/, '').split('/')) {
    if (part === '..') {
      parts.pop();
    } else if (part !== '.' && part !== '') {
      parts.push(part);
    }
  }
  return parts.join('/');
}
