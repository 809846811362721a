import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type Clock, systemClock } from '../base/clock.js';
import { StateError } from '../base/errors.js';
import { inUrl, isLoopback, nameToType, newToken } from './access.js';
import { dashboardApp, type Shown } from './app.js';
import { readAssets } from './assets.js';
import { DiskReader } from './disk-reader.js';
import { Series } from './series.js';

const TICK_MS = 1_000;
/** A page that asked so recently is open, and is told of the end before the server goes. */
const OPEN_PAGE_MS = 3_000;
const FAREWELL_MS = 1_500;
const LAST_ANSWERS_MS = 250;
const MOST_CONNECTIONS = 100;

export interface DashboardPlan {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly shown: Shown;
  readonly clock?: Clock;
  /** Called with what went wrong in the dashboard itself, where no run is there to log it. */
  failed?(error: Error): void;
}

/** A dashboard that listens. */
export class Dashboard {
  /** With the token, where somebody needs it. */
  readonly url: string;
  readonly token: string;
  readonly #server: Server;
  readonly #disk: DiskReader;
  readonly #visitors: Visitors;
  readonly #stopTicking: () => void;

  private constructor(url: string, token: string, parts: DashboardParts) {
    this.url = url;
    this.token = token;
    this.#server = parts.server;
    this.#disk = parts.disk;
    this.#visitors = parts.visitors;
    this.#stopTicking = parts.stopTicking;
  }

  static async open({ host, port, shown, clock = systemClock, failed }: DashboardPlan): Promise<Dashboard> {
    const token = newToken();
    const disk = new DiskReader();
    const series = new Series();
    const visitors = new Visitors(clock);
    let listened = port;
    const app = dashboardApp({
      shown,
      disk,
      series,
      access: { host, token, port: () => listened },
      assets: readAssets(),
      seen: (state) => visitors.told(state),
      failed: (error) => {
        const run = shown.run();
        if (run === null) {
          failed?.(error);
        } else {
          run.dashboardFailed(error);
        }
      },
    });
    const server = createAdaptorServer({ fetch: app.fetch }) as Server;
    server.maxConnections = MOST_CONNECTIONS;
    await listening(server, host, port);
    listened = (server.address() as AddressInfo).port;
    // Whoever watches a run needs the token for its controls; whoever reads on this machine needs none.
    const needsToken = shown.isLive || !isLoopback(host);
    const url = `http://${nameToType(host)}:${listened}/${needsToken ? `#token=${token}` : ''}`;
    const stopTicking = everySecond(clock, () => {
      const run = shown.run();
      if (run !== null) {
        series.add(run.live(), run.latencies());
      }
    });
    return new Dashboard(url, token, { server, disk, visitors, stopTicking });
  }

  /** Tells open pages of the end, if they ask soon, and stops listening. */
  async close(): Promise<void> {
    await this.#visitors.farewell();
    this.#stopTicking();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // What is being answered is answered; whoever reads slowly is cut off.
    const cut = setTimeout(() => this.#server.closeAllConnections(), LAST_ANSWERS_MS);
    await closed;
    clearTimeout(cut);
    await this.#disk.close();
  }
}

interface DashboardParts {
  server: Server;
  disk: DiskReader;
  visitors: Visitors;
  stopTicking: () => void;
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message;
      reject(
        new StateError('dashboard', `the dashboard cannot listen on ${inUrl(host)}:${port}: ${why}`, { cause: error }),
      );
    });
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => resolve());
  });
}

/** It does not keep the process alive by itself: the clock of a run that has ended is cancelled by `close`. */
function everySecond(clock: Clock, tick: () => void): () => void {
  let cancel = (): void => {};
  const next = (): void => {
    cancel = clock.at(clock.now() + TICK_MS, () => {
      tick();
      next();
    });
  };
  tick();
  next();
  return () => cancel();
}

/** Whether a page is open, and whether it knows that the run has ended. */
class Visitors {
  readonly #clock: Clock;
  #lastAt = Number.NEGATIVE_INFINITY;
  #knowsEnd = false;
  #leave: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  told(state: string): void {
    this.#lastAt = this.#clock.now();
    if (state === 'ended') {
      this.#knowsEnd = true;
      this.#leave?.();
    }
  }

  async farewell(): Promise<void> {
    if (this.#knowsEnd || this.#clock.now() - this.#lastAt > OPEN_PAGE_MS) {
      return;
    }
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.at(this.#clock.now() + FAREWELL_MS, resolve);
      this.#leave = () => {
        cancel();
        resolve();
      };
    });
  }
}
