import { type FSWatcher, watch } from 'node:fs';
import { StateError } from '../base/errors.js';
import { addedOffer, type Offer } from '../frontier/outcome.js';
import type { CrawlScope } from '../lane/crawl-scope.js';
import { resumeCommand } from '../store/directory.js';
import { Mailbox, type MailedUrl } from '../store/mailbox.js';
import { QueueClass } from '../store/url-state.js';
import { type AddTo, readAdded } from './added-urls.js';

export interface AdditionsParts extends AddTo {
  /** Null when the crawl is not kept: then nobody can leave URLs for it. */
  directory: string | null;
  /** Grows with the scope. */
  scopeVersion(): number;
  scope(): CrawlScope;
  /** Durable when it resolves. */
  admit(offers: Offer[]): Promise<unknown>;
  notice(text: string): void;
  /** Called when nothing is being read any more, or the mail could not be read. */
  rests(): void;
}

/** Takes what the user adds to a crawl while it runs: by the library, and by `gossamer add` from another process. */
export class Additions {
  readonly #parts: AdditionsParts;
  readonly #mailbox: Mailbox | null;
  #scope: { version: number; scope: CrawlScope } | null = null;
  #watcher: FSWatcher | null = null;
  /** Mail is read one file at a time. */
  #reading: Promise<void> = Promise.resolve();
  #isReading = false;
  /** More may have come since the list of files was read. */
  #isDue = false;
  #isClosed = false;

  constructor(parts: AdditionsParts) {
    this.#parts = parts;
    this.#mailbox = parts.directory === null ? null : new Mailbox(parts.directory);
  }

  /** Whether mail is being read: the run does not end before its URLs are in the store. */
  get isActive(): boolean {
    return this.#isReading;
  }

  /** Resolves with the URLs in normal form once they are in the store. */
  async add(urls: unknown, options: unknown): Promise<string[]> {
    const added = readAdded(urls, options, this.#parts);
    if (added.length > 0) {
      await this.#admit(added).catch((error: unknown) => {
        throw this.#isClosed || isOver(error) ? runIsOver() : error;
      });
    }
    return added.map(({ url }) => url);
  }

  /** Admits what waited for the run to begin. @param admit hands URLs to the frontier while the loop does not run yet */
  async begin(admit: AdditionsParts['admit']): Promise<void> {
    if (this.#mailbox === null) {
      return;
    }
    for (const name of await this.#mailbox.names()) {
      await this.#take(this.#mailbox, name, admit);
    }
    await this.#watch(this.#mailbox);
  }

  async #watch(mailbox: Mailbox): Promise<void> {
    try {
      await mailbox.open();
      this.#watcher = watch(mailbox.folder, { persistent: false }, () => this.#mailCame());
      this.#watcher.on('error', () => this.#watcher?.close());
      // Reads what came between the first look and the watch.
      this.#mailCame();
    } catch (error) {
      this.#parts.notice(
        `${mailbox.folder} cannot be watched: URLs from \`gossamer add\` wait for the next run (${(error as Error).message})`,
      );
    }
  }

  #mailCame(): void {
    this.#isDue = true;
    if (!this.#isReading && !this.#isClosed) {
      this.#isReading = true;
      this.#reading = this.#readAll(this.#mailbox!);
    }
  }

  async #readAll(mailbox: Mailbox): Promise<void> {
    try {
      while (this.#isDue && !this.#isClosed) {
        this.#isDue = false;
        for (const name of await mailbox.names()) {
          await this.#take(mailbox, name, (offers) => this.#parts.admit(offers));
        }
      }
    } catch (error) {
      if (!isOver(error)) {
        this.#parts.notice(`URLs from \`gossamer add\` wait for the next run: ${(error as Error).message}`);
      }
    } finally {
      this.#isReading = false;
      this.#parts.rests();
    }
  }

  async #take(mailbox: Mailbox, name: string, admit: AdditionsParts['admit']): Promise<void> {
    const urls = await mailbox.read(name);
    if (urls === null) {
      this.#parts.notice(`${name} in ${mailbox.folder} is no list of URLs: it was put aside`);
      return;
    }
    await admit(urls.map((url) => this.#offer(url)));
    await mailbox.taken(name);
    this.#parts.notice(`took up ${urls.length === 1 ? 'a URL that was' : `${urls.length} URLs that were`} added`);
  }

  #admit(urls: readonly MailedUrl[]): Promise<unknown> {
    return this.#parts.admit(urls.map((url) => this.#offer(url)));
  }

  #offer({ url, depth, rank, data }: MailedUrl): Offer {
    const seed = Math.max(0, this.#scopeNow().seedOf(url));
    const place = rank === null || !this.#parts.ranks ? QueueClass.seed : QueueClass.rest + rank;
    return addedOffer(url, { depth, seed, place, data: data ?? undefined });
  }

  #scopeNow(): CrawlScope {
    const version = this.#parts.scopeVersion();
    if (this.#scope?.version !== version) {
      this.#scope = { version, scope: this.#parts.scope() };
    }
    return this.#scope.scope;
  }

  /** What comes from now on waits for the next run. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    await this.#reading;
    const late = (await this.#mailbox?.names()) ?? [];
    if (late.length > 0) {
      this.#parts.notice(`this run did not take up all added URLs: \`${resumeCommand(this.#parts.directory!)}\` does`);
    }
    await this.#mailbox?.close();
  }
}

const isOver = (error: unknown): boolean => error instanceof StateError && error.code === 'run_over';

/** The error for whoever adds to a run that has ended. */
export const runIsOver = (): StateError =>
  new StateError(
    'run_over',
    'the crawl has ended, so nothing was added: `gossamer add` and addToCrawl() add to a kept crawl',
  );
