import { setImmediate } from 'node:timers/promises';
import { SiteMemory } from '../../content/extract/site-memory.js';
import {
  type Conversion,
  isLearned,
  type Job,
  type Learned,
  type Result,
  resultOf,
  type SiteConversion,
  type Step,
} from './conversion.js';
import type { Converter } from './converter.js';

/** Converts in this thread, one page a turn: a few pages are done before a thread has started. */
export class InlineConversion implements Conversion {
  readonly #converter: Converter;

  constructor(converter: Converter) {
    this.#converter = converter;
  }

  site(): SiteConversion {
    return new InlineSite(this.#converter);
  }

  async close(): Promise<void> {}
}

class InlineSite implements SiteConversion {
  readonly #converter: Converter;
  readonly #memory = new SiteMemory();

  constructor(converter: Converter) {
    this.#converter = converter;
  }

  async learn(jobs: Iterable<Job>, learned: (facts: Learned) => void): Promise<void> {
    for (const { id } of jobs) {
      const facts = resultOf(() => this.#converter.learn(id, this.#memory));
      if (isLearned(facts)) learned(facts);
      await setImmediate();
    }
  }

  async *convert(steps: Iterable<Step>): AsyncIterableIterator<{ step: Step; result: Result }> {
    for (const step of steps) {
      yield {
        step,
        result: 'input' in step ? null : resultOf(() => this.#converter.convert(step.job, this.#memory)),
      };
      await setImmediate();
    }
  }
}
