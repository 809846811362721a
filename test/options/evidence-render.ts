import { appSite } from '../render/app.js';
import type { Row } from './harness.js';
import { DATA } from './harness.js';
import { here } from './stages.js';

/** Only a browser loads what a page needs to show its text. */
export const RENDER_EVIDENCE: Row[] = [
  {
    key: 'render',
    command: 'docs',
    stage: {
      name: 'a page that a script fills',
      async play(values, trial) {
        const web = await trial.web();
        web.site('app.test', appSite({ pages: { '/docs/': { title: 'Filled' } } }));
        const args = ['docs', 'http://app.test/docs/', ...here(web), '--delay', '0', '--data-dir', DATA, ...values];
        // What drives the browser changes `process` for good, so it gets one of its own.
        return trial.start(args).ended;
      },
    },
    values: [
      ['--render', 'never'],
      ['--render', 'auto'],
    ],
    sees: (seen) => seen.log.some(({ path }) => path === '/app.js'),
    gives: [false, true],
  },
];
