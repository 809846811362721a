import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { count, counted } from './format.js';
import { KeysetList, type Screenful } from './keyset.js';

const REFRESH_MS = 3_000;
/** Rows above and below those that are seen. */
const MARGIN = 12;
/** Browsers cannot make a box taller than some ten million pixels: beyond that a pixel stands for more than one. */
const TALLEST = 8_000_000;
const PHONE = '(max-width: 640px)';

export function useIsPhone(): boolean {
  const [isPhone, setIsPhone] = useState(() => matchMedia(PHONE).matches);
  useEffect(() => {
    const query = matchMedia(PHONE);
    const look = (): void => setIsPhone(query.matches);
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return isPhone;
}

export interface Column<Row> {
  readonly name: string;
  readonly head: ComponentChildren;
  /** A class of the cell. */
  readonly kind: string;
  readonly sort?: 'ascending' | 'descending' | 'none';
  cell(row: Row): ComponentChildren;
}

export interface ListProps<Row, Key> {
  /** What it is a list of, for those who cannot see it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Whoever gives another function gives another list. */
  readonly ask: (after: Key | null) => Promise<Screenful<Row, Key>>;
  readonly keyOf: (row: Row) => number | string;
  readonly noun: string;
  readonly isLive: boolean;
  readonly rowClass: string;
  /** How tall a row is on a phone, where its cells stand in several lines. */
  readonly phoneRow?: number;
}

/** A table of any length, of which only what is seen is in the page. */
export function List<Row, Key>({
  label,
  columns,
  ask,
  keyOf,
  noun,
  isLive,
  rowClass,
  phoneRow = 72,
}: ListProps<Row, Key>) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const list = useMemo(() => new KeysetList<Row, Key>(ask, () => redraw(undefined)), [ask]);
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  /** The width of the scroll bar, which the head of the table leaves free. */
  const [bar, setBar] = useState(0);
  const rowHeight = useIsPhone() ? phoneRow : 41;

  const natural = list.length * rowHeight;
  const height = Math.min(natural, TALLEST);
  // How many rows a pixel of scrolling stands for.
  const hidden = Math.max(1, height - view.height);
  const share = natural <= TALLEST ? null : Math.min(1, view.top / hidden);
  const topRow = share === null ? view.top / rowHeight : share * Math.max(0, list.length - view.height / rowHeight);
  const from = Math.max(0, Math.floor(topRow) - MARGIN);
  const to = Math.ceil(topRow + view.height / rowHeight) + MARGIN;

  useEffect(() => () => list.close(), [list]);
  useEffect(() => {
    box.current?.scrollTo({ top: 0 });
    setView((before) => ({ ...before, top: 0 }));
  }, [list]);
  useEffect(() => list.want(from, to), [list, from, to, list.length]);
  useEffect(() => {
    const place = box.current!;
    const measure = (): void => {
      setView({ top: place.scrollTop, height: place.clientHeight });
      setBar(place.offsetWidth - place.clientWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  const seen = useRef({ from, to });
  seen.current = { from, to };
  useEffect(() => {
    if (!isLive) {
      return;
    }
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !list.isLoading) {
        void list.refresh(seen.current.from, seen.current.to);
      }
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [list, isLive]);

  const rows: ComponentChildren[] = [];
  for (let place = from; place < Math.min(to, list.length); place++) {
    const row = list.row(place);
    const top = share === null ? place * rowHeight : view.top + (place - topRow) * rowHeight;
    rows.push(
      <div
        key={row === null ? `gap ${place}` : keyOf(row)}
        role="row"
        aria-rowindex={place + 2}
        class={`row ${rowClass}`}
        style={{ top: `${top}px`, height: `${rowHeight}px` }}
      >
        {columns.map(({ name, kind, cell }) => (
          <div key={name} role="cell" class={`cell ${kind}`}>
            {row === null ? '…' : cell(row)}
          </div>
        ))}
      </div>,
    );
  }
  return (
    <>
      <p class="found" role="status">
        {list.problem ?? foundText(list, noun)}
      </p>
      <div class="table" role="table" aria-label={label} aria-rowcount={list.isAtEnd ? list.length + 1 : -1}>
        <div role="rowgroup">
          <div role="row" class={`row head ${rowClass}`} aria-rowindex={1} style={{ marginRight: `${bar}px` }}>
            {columns.map(({ name, head, kind, sort }) => (
              <div
                key={name}
                role="columnheader"
                class={`cell ${kind}`}
                {...(sort === undefined ? {} : { 'aria-sort': sort })}
              >
                {head}
              </div>
            ))}
          </div>
        </div>
        <div
          ref={box}
          class="scroll"
          role="rowgroup"
          tabIndex={0}
          aria-label={label}
          onScroll={({ currentTarget }) =>
            setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
          }
        >
          <div class="long" role="presentation" style={{ height: `${height}px` }}>
            {rows}
          </div>
          {list.isAtEnd && list.length === 0 ? <p class="empty">Nothing matches.</p> : null}
        </div>
      </div>
    </>
  );
}

type Found = Pick<KeysetList<never, never>, 'length' | 'isAtEnd' | 'isLoading' | 'searched' | 'all' | 'total'>;

function foundText(list: Found, noun: string): string {
  if (list.total !== null) {
    return counted(list.total, noun);
  }
  const found = `${count(list.length)}${list.isAtEnd ? '' : '+'} ${list.length === 1 && list.isAtEnd ? noun : `${noun}s`}`;
  if (!list.isLoading || list.isAtEnd || list.searched === null || list.all === null) {
    return list.isLoading ? `${found}, loading…` : found;
  }
  return `${found}; searched ${count(list.searched)} of ${count(list.all)} URLs so far`;
}
