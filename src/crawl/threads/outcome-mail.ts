import type { Outcome } from '../../frontier/frontier.js';
import { type EdgeParcel, packEdges, unpackEdges } from './edge-parcel.js';

/**
 * Outcomes on their way from a lane to the coordinator. As objects they would be cloned field by field, for more than reading the page has
 * cost; as text they are copied.
 */
export interface OutcomeMail {
  text: string;
  /** Sealed pages, '' where there is none. They go on to the store as they are. */
  pages: string[];
  edges: EdgeParcel;
}

/** The outcomes must not be used any more: what travels apart is taken out of them. */
export function packOutcomes(outcomes: Outcome[]): OutcomeMail {
  const edges = packEdges(outcomes.map((outcome) => outcome.edges));
  const pages = outcomes.map(({ page }) => page?.text ?? '');
  for (const outcome of outcomes) {
    outcome.edges = null;
    if (outcome.page !== null) {
      outcome.page.text = '';
    }
  }
  return { text: JSON.stringify(outcomes), pages, edges };
}

export function unpackOutcomes({ text, pages, edges }: OutcomeMail): Outcome[] {
  const outcomes: Outcome[] = JSON.parse(text);
  const unpacked = unpackEdges(edges);
  outcomes.forEach((outcome, i) => {
    outcome.edges = unpacked[i]!;
    if (outcome.page !== null) {
      outcome.page.text = pages[i]!;
    }
  });
  return outcomes;
}
