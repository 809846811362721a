import type { SeedingFacts } from '../report/summary.js';
import { keyOf, type Question, type ThirdParty } from './seeding-questions.js';

/** What came of one question. */
export interface Taken {
  found: number;
  inScope: number;
  withAddress: number;
}

/** What third parties have told, over all runs of a crawl, and which questions need not be asked again. Kept in the store. */
export class SeedingLedger {
  static readonly META_KEY = 'seeding';
  readonly #finished: Set<string>;
  readonly facts: SeedingFacts[];

  constructor(kept: string | undefined) {
    const { finished, facts } = JSON.parse(kept ?? '{"finished":[],"facts":[]}') as {
      finished: string[];
      facts: SeedingFacts[];
    };
    this.#finished = new Set(finished);
    this.facts = facts.map((each) => ({ ...each, problem: null }));
  }

  meta(): Record<string, string> {
    return { [SeedingLedger.META_KEY]: JSON.stringify({ finished: [...this.#finished], facts: this.facts }) };
  }

  isFinished(question: Question): boolean {
    return this.#finished.has(keyOf(question));
  }

  finish(question: Question, host: string, taken: Taken): void {
    const facts = this.of(question.source, host);
    facts.asked++;
    facts.found += taken.found;
    facts.inScope += taken.inScope;
    facts.withAddress = question.source === 'ct' ? (facts.withAddress ?? 0) + taken.withAddress : null;
    this.#finished.add(keyOf(question));
  }

  of(source: ThirdParty, host: string): SeedingFacts {
    let facts = this.facts.find((each) => each.source === source);
    if (facts === undefined) {
      facts = { source, host, asked: 0, found: 0, inScope: 0, withAddress: null, problem: null };
      this.facts.push(facts);
    }
    facts.host = host;
    return facts;
  }
}
