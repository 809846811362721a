import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { About, LiveAnswer, SeriesAnswer, SeriesPoint } from '../api.js';

const TOKEN = 'gossamer-token';

/** The token stands in the fragment, which browsers do not send. It is kept for this tab alone and taken off the address. */
function takeToken(): string {
  const given = /[#&]token=([\w-]+)/.exec(location.hash)?.[1];
  try {
    if (given !== undefined) {
      sessionStorage.setItem(TOKEN, given);
      history.replaceState(null, '', location.pathname);
    }
    return given ?? sessionStorage.getItem(TOKEN) ?? '';
  } catch {
    return given ?? '';
  }
}

const token = takeToken();

export class Problem extends Error {}

/** Whether the server answers at all, for the banner that says so. */
let isGone = false;
const whenGone = new Set<(isGone: boolean) => void>();

async function ask(path: string, init: RequestInit): Promise<Response> {
  const tellAll = (value: boolean): void => {
    if (value !== isGone) {
      isGone = value;
      for (const tell of whenGone) {
        tell(value);
      }
    }
  };
  try {
    const response = await fetch(path, init);
    tellAll(false);
    return response;
  } catch (error) {
    if (init.signal?.aborted !== true) {
      tellAll(true);
    }
    throw init.signal?.aborted === true ? error : new Problem('the dashboard does not answer');
  }
}

/** True while the server does not answer. */
export function useIsGone(): boolean {
  const [value, setValue] = useState(isGone);
  useEffect(() => {
    whenGone.add(setValue);
    return () => void whenGone.delete(setValue);
  }, []);
  return value;
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.ok) {
    return (await response.json()) as T;
  }
  const text = await response.text();
  let said = text;
  try {
    said = (JSON.parse(text) as { problem: string }).problem;
  } catch {
    // The server's guard answers in plain text, and that is what is shown.
  }
  throw new Problem(said.trim());
}

export type Parameters = Readonly<Record<string, string | number | null | undefined>>;

export async function get<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return answerOf(
    await ask(`api/${path}${query === '' ? '' : `?${query}`}`, {
      headers: { 'x-gossamer-token': token },
      ...(signal === undefined ? {} : { signal }),
    }),
  );
}

export async function tell(what: string, values: object = {}): Promise<void> {
  await answerOf(
    await ask(`api/control/${what}`, {
      method: 'POST',
      headers: { 'x-gossamer-token': token, 'content-type': 'application/json' },
      body: JSON.stringify(values),
    }),
  );
}

/** Whether somebody can see the page: while nobody does, nothing is asked. */
const isSeen = (): boolean => document.visibilityState === 'visible';

/** Asks again a while after each answer, as long as the page is seen. Returns a function that asks at once. */
export function usePolling(ask: (signal: AbortSignal) => Promise<number | null>, when: readonly unknown[]): () => void {
  const begin = useRef<() => void>(() => {});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = new AbortController();
    let isAsking = false;
    const again = async (): Promise<void> => {
      clearTimeout(timer);
      if (isAsking || stop.signal.aborted || !isSeen()) {
        return;
      }
      isAsking = true;
      const pauseMs = await ask(stop.signal);
      isAsking = false;
      if (pauseMs !== null && !stop.signal.aborted && isSeen()) {
        timer = setTimeout(() => void again(), pauseMs);
      }
    };
    const look = (): void => void again();
    begin.current = look;
    document.addEventListener('visibilitychange', look);
    look();
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, when);
  return useCallback(() => begin.current(), []);
}

const EVERY_MS = 1_000;
const WHEN_GONE_MS = 4_000;

export interface Watched {
  readonly answer: LiveAnswer | null;
  /** Why there is no answer; null if there is one. */
  readonly problem: string | null;
  askNow(): void;
}

export function useLive(isLive: boolean): Watched {
  const [answer, setAnswer] = useState<LiveAnswer | null>(null);
  /** Before the first answer the run is only about to begin. */
  const hasBegun = useRef(false);
  const [problem, setProblem] = useState<string | null>(null);
  const askNow = usePolling(
    async (signal) => {
      if (!isLive) {
        return null;
      }
      try {
        const said = await get<LiveAnswer>('live', {}, signal);
        setAnswer(said);
        hasBegun.current = true;
        setProblem(null);
        // Nothing more will come.
        return said.live.state === 'ended' ? null : EVERY_MS;
      } catch (error) {
        if (signal.aborted) {
          return null;
        }
        setProblem(error instanceof Problem ? error.message : 'no answer');
        return hasBegun.current ? WHEN_GONE_MS : EVERY_MS;
      }
    },
    [isLive],
  );
  return { answer, problem, askNow };
}

/** The series grows by what is new, and is read again as a whole when its step changes. */
export function useSeries(isLive: boolean): readonly SeriesPoint[] {
  const [points, setPoints] = useState<readonly SeriesPoint[]>([]);
  const known = useRef<{ stepMs: number; points: readonly SeriesPoint[] }>({ stepMs: 0, points: [] });
  usePolling(
    async (signal) => {
      if (!isLive) {
        return null;
      }
      try {
        const since = known.current.points.at(-1)?.[0] ?? 0;
        let { stepMs, points: more } = await get<SeriesAnswer>('series', { since }, signal);
        let all = [...known.current.points, ...more];
        if (known.current.stepMs !== 0 && stepMs !== known.current.stepMs) {
          ({ stepMs, points: more } = await get<SeriesAnswer>('series', {}, signal));
          all = [...more];
        }
        known.current = { stepMs, points: all };
        if (more.length > 0) {
          setPoints(all);
        }
        return Math.min(stepMs, 10_000);
      } catch {
        return WHEN_GONE_MS;
      }
    },
    [isLive],
  );
  return points;
}

export function useAbout(): { about: About | null; problem: string | null } {
  const [about, setAbout] = useState<About | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    get<About>('about').then(setAbout, (error: Error) => setProblem(error.message));
  }, []);
  return { about, problem };
}
