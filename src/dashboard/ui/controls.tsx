import { useState } from 'preact/hooks';
import type { LiveSnapshot } from '../../watch/live.js';
import { tell } from './data.js';
import { Drawer } from './parts.js';

interface ControlsProps {
  readonly live: LiveSnapshot;
  askNow(): void;
  say(text: string): void;
}

/** What the run can be told. Stopping asks back, because it cannot be taken back. */
export function Controls({ live, askNow, say }: ControlsProps) {
  const [dialog, setDialog] = useState<'stop' | 'adjust' | null>(null);
  const order = (what: string, values: object, done: string): void => {
    tell(what, values).then(
      () => {
        say(done);
        askNow();
      },
      (error: Error) => say(error.message),
    );
  };
  if (live.state === 'ended' || live.state === 'stopping') {
    return null;
  }
  const isPaused = live.state === 'paused';
  return (
    <div class="controls">
      <button
        type="button"
        id="pause"
        class="primary"
        onClick={() =>
          isPaused
            ? order('go', {}, 'It goes on.')
            : order('pause', {}, 'Nothing new goes out. What is under way ends as it would have.')
        }
      >
        <span aria-hidden="true">{isPaused ? '▶ ' : '❚❚ '}</span>
        {isPaused ? 'Go on' : 'Pause'}
      </button>
      <button type="button" id="adjust" onClick={() => setDialog('adjust')}>
        Adjust…
      </button>
      <button type="button" id="stop" onClick={() => setDialog('stop')}>
        <span aria-hidden="true">■ </span>Stop…
      </button>
      {dialog === 'stop' ? (
        <Drawer title="Stop the run?" kind="box" close={() => setDialog(null)}>
          <p>What is under way is finished, what was found is kept, and `gossamer resume` goes on from there.</p>
          <div class="actions">
            <button
              type="button"
              id="really-stop"
              class="danger"
              onClick={() => {
                setDialog(null);
                order('stop', {}, 'It is stopping.');
              }}
            >
              Stop the run
            </button>
            <button type="button" onClick={() => setDialog(null)}>
              Let it run
            </button>
          </div>
        </Drawer>
      ) : null}
      {dialog === 'adjust' ? <Adjust live={live} order={order} close={() => setDialog(null)} /> : null}
    </div>
  );
}

/** Lets URLs in that were cut as a trap. */
export function LetTrapIn({ pattern }: { pattern: string }) {
  const [said, setSaid] = useState<string | null>(null);
  return (
    <span class="let-in">
      <button
        type="button"
        disabled={said !== null}
        onClick={() =>
          tell('allow-trap', { pattern }).then(
            () => setSaid('They are let in.'),
            (error: Error) => setSaid(error.message),
          )
        }
      >
        Let them in
      </button>
      <span role="status" class="aside">
        {said}
      </span>
    </span>
  );
}

function Adjust({
  live,
  order,
  close,
}: {
  live: LiveSnapshot;
  order(what: string, values: object, done: string): void;
  close(): void;
}) {
  const workers = live.layers.find(({ option }) => option.includes('--workers'))?.limit ?? live.inFlight;
  const [count, setCount] = useState(String(workers));
  const [delay, setDelay] = useState('');
  return (
    <Drawer title="Adjust the run" kind="box" close={close}>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault();
          order('workers', { count: Math.round(Number(count)) }, `${count} requests at once, from the next one on.`);
          close();
        }}
      >
        <label>
          Requests at once{' '}
          <input
            type="number"
            id="workers"
            min="1"
            max="4096"
            required
            value={count}
            onInput={({ currentTarget }) => setCount(currentTarget.value)}
          />
        </label>
        <button type="submit" id="set-workers">
          Set
        </button>
      </form>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault();
          order(
            'delay',
            { host: null, delayMs: Math.round(Number(delay)) },
            `${delay} ms between two requests to a host.`,
          );
          close();
        }}
      >
        <label>
          Delay in ms{' '}
          <input
            type="number"
            min="0"
            max="86400000"
            required
            value={delay}
            onInput={({ currentTarget }) => setDelay(currentTarget.value)}
          />
        </label>
        <button type="submit">Set</button>
      </form>
      <p class="note">
        The delay holds for every host whose robots.txt asks for none. It is never shorter than robots.txt asks.
      </p>
    </Drawer>
  );
}
