import { appSite } from '../render/app.js';
import { html } from '../web/site.js';
import type { Row } from './harness.js';
import { DATA } from './harness.js';
import { here } from './stages.js';

/** A page that a script fills, seen by a command that keeps no pages. */
const rendered = (command: 'crawl' | 'check'): Row['stage'] => ({
  name: `a page that a script fills, in a ${command}`,
  async play(values, trial) {
    const web = await trial.web();
    web.site('app.test', appSite({ pages: { '/docs/': { title: 'Filled' } } }));
    const args = [command, 'http://app.test/docs/', ...here(web), '--delay', '0', '--data-dir', DATA, ...values];
    return trial.start(args).ended;
  },
});

/** Only a route leads to `/found`. */
const routed = (command: 'crawl' | 'check'): Row['stage'] => ({
  name: `a page that draws by its fragment, in a ${command}`,
  async play(values, trial) {
    const web = await trial.web();
    const code = `const draw = () => { document.body.innerHTML = '<a href="' + (location.hash === '' ? '#/more' : '/found') + '">on</a>'; };
      addEventListener('hashchange', draw); draw();`;
    web.site('routes.test', {
      handle: ({ path }) => html(path === '/' ? `<!doctype html><body><script>${code}</script>` : '<title>x</title>'),
    });
    const args = [command, 'http://routes.test/', ...here(web), '--delay', '0', '--data-dir', DATA];
    return trial.start([...args, '--render', 'always', ...values]).ended;
  },
});

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
  {
    key: 'render',
    command: 'crawl',
    stage: rendered('crawl'),
    values: [
      ['--render', 'never'],
      ['--render', 'always'],
    ],
    sees: (seen) => seen.log.some(({ path }) => path === '/app.js'),
    gives: [false, true],
  },
  {
    key: 'render',
    command: 'check',
    stage: rendered('check'),
    values: [
      ['--render', 'never'],
      ['--render', 'always'],
    ],
    // A check asks whether each script is there; what a script asks for, only a browser knows.
    sees: (seen) => seen.log.some(({ path }) => path === '/data/docs/.json'),
    gives: [false, true],
  },
  ...(['crawl', 'check'] as const).map(
    (command): Row => ({
      key: 'hashRoutes',
      command,
      stage: routed(command),
      values: [[], ['--hash-routes']],
      sees: (seen) => seen.log.some(({ path }) => path === '/found'),
      gives: [false, true],
    }),
  ),
];
