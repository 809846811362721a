import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, the longest first: one that began last would be waited for alone. Any order is right; this one is over soonest. */
const LONGEST = [
  ...['options/no-dead-option-docs', 'kill/kill', 'options/no-dead-option', 'options/no-dead-option-check'],
  ...[
    'hooks/hook-faults',
    'crawl/layers',
    'docs/sync',
    'render/rendering',
    'sim/scale',
    'render/check',
    'crawl/memory',
  ],
  ...['render/hostile', 'render/killed', 'sim/order', 'crawl/many-seeds', 'explain/truth', 'crawl/inside'],
  ...['config/packed', 'kill/delays', 'watch/controls', 'docs/same', 'crawl/ends', 'render/routes', 'check/flaky'],
  ...['hooks/hook-kill', 'hooks/hook-start', 'render/no-browser', 'corpus/write-corpus', 'docs/documents'],
  ...['crawl/traps', 'dashboard/live', 'preview/preview', 'library/contract'],
].map((name) => `test/${name}.whole.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ project, moduleId }: TestSpecification): number => {
      const at = LONGEST.indexOf(relative(project.config.root, moduleId).replaceAll('\\', '/'));
      return at < 0 ? LONGEST.length : at;
    };
    return sorted.sort((a, b) => place(a) - place(b));
  }
}
