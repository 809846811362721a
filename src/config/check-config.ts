/** The `check` of a config file. */
export interface CheckConfig {
  /** Rules on links; of each kind the first that matches counts. */
  readonly rules?: readonly CheckRule[];
}

/** One rule on links. Of each kind the first rule counts that matches the URL. */
export interface CheckRule {
  /** As in --include: a glob, or `re:` and an expression; several are one or the other. */
  readonly match: string | readonly string[];
  /** Leaves links out; false keeps what a later rule would leave out. */
  readonly ignore?: boolean;
  /** Status codes that count as fine, besides those that are. */
  readonly accept?: string;
  /** How old a cached result may be. */
  readonly maxAge?: string | number;
  /** Edits what makes the run fail, as --fail-on. */
  readonly failOn?: string;
}
