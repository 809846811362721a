/** One crawl to be done: fresh folders, and the same start pages for everyone. */
export interface Job {
  readonly starts: readonly string[];
  readonly diskFolder: string;
  readonly ramFolder: string;
  /** A file with the pages of the crawl that the others are compared with, a URL a line; empty in that crawl itself. */
  readonly pagesFile: string;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Something that does the job. Several commands run at the same time, and count together. */
export interface Entry {
  readonly name: string;
  /** Said beside its figures, where they are not to be read like those of the others. */
  readonly note?: string;
  commands(job: Job): Command[];
}

export interface Contestant extends Entry {
  readonly kind: 'ours' | 'floor' | 'peer';
  readonly language: string;
  readonly version: string;
}
