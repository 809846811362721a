import { useEffect, useRef, useState } from 'preact/hooks';
import type { Picture } from '../../graph/picture-shape.js';
import { get } from './data.js';

type View = typeof import('./graph-view.js');

/** The script that draws is larger than the rest of the dashboard: it is loaded when somebody looks. */
const loadView = (): Promise<View> =>
  import(/* @vite-ignore */ new URL(/* @vite-ignore */ 'graph-view.js', import.meta.url).href);

/** How the pages of a crawl link to each other. */
export function LinkGraph({ crawl, isLive, explain }: { crawl: number; isLive: boolean; explain(url: string): void }) {
  const place = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState<string | null>('Reading the links of the crawl…');
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    let shown: { close(): void } | null = null;
    setSaid('Reading the links of the crawl…');
    Promise.all([loadView(), get<Picture>('graph', { crawl }, stop.signal)]).then(
      ([view, picture]) => {
        if (!stop.signal.aborted && place.current !== null) {
          setSaid(picture.nodes === 0 ? 'There is no page yet.' : null);
          shown = view.showGraph(place.current, picture, explain);
        }
      },
      (error: Error) => {
        if (!stop.signal.aborted) {
          setSaid(error.message);
        }
      },
    );
    return () => {
      stop.abort();
      shown?.close();
    };
  }, [crawl, round]);
  return (
    <section aria-label="Links between pages">
      {said === null ? null : (
        <p class="empty" role="status">
          {said}
        </p>
      )}
      {isLive && said === null ? (
        <p class="graph-note">
          As it was when you opened this tab.{' '}
          <button type="button" onClick={() => setRound(round + 1)}>
            Look again
          </button>
        </p>
      ) : null}
      <div ref={place} />
    </section>
  );
}
