/** The `audit` of a config file. */
export interface AuditConfig {
  /** By the id of a rule: false leaves it out, a severity replaces its own. */
  readonly rules?: Readonly<Record<string, false | 'error' | 'warning' | 'notice'>>;
  /** What makes the run fail, as --fail-on, which counts before it. */
  readonly failOn?: string;
  /** From where on something is a finding. */
  readonly thresholds?: AuditThresholdConfig;
}

/** Where the rules of an audit begin to count. */
export interface AuditThresholdConfig {
  /** Characters of a title. */
  readonly titleLength?: number;
  /** Characters of a description. */
  readonly descriptionLength?: number;
  /** Clicks from the start. */
  readonly depth?: number;
  /** Time until a page was there. */
  readonly slow?: string | number;
  /** Of the HTML of a page. */
  readonly heavy?: string | number;
  /** A page with fewer is thin. */
  readonly thinWords?: number;
  /** The share of their text that nearly equal pages have in common, from 0.8 to 1. */
  readonly nearDuplicate?: number;
  /** Redirects with more hops are chains. */
  readonly redirectHops?: number;
}
