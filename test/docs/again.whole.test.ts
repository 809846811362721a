import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inProcess } from '../crawl/in-process.js';
import { temporaryFolder } from '../crawl/support.js';
import { html, linkPage, pathSite, redirect, urlset, xml } from '../web/site.js';
import { openWeb } from '../web/web.js';
import { filesOf } from './manual.js';

it('a second run of a site that names its pages asks for what the first has asked for, and for no link beside them', async () => {
  const web = await openWeb();
  const folder = temporaryFolder();
  try {
    web.site(
      '127.0.0.1',
      pathSite({
        '/sitemap.xml': xml(urlset(['/', '/visit'].map((path) => web.origin + path))),
        '/': html(linkPage('Home', ['/visit', '/old', '/unnamed'], 'Words of the home page.')),
        '/visit': html(linkPage('Visit', [], 'Words of where we are.')),
        '/old': redirect('/visit'),
        '/unnamed': html(linkPage('Unnamed', [], 'Words that the site does not name.')),
      }),
    );
    const runs = [];
    for (let run = 0; run < 3; run++) {
      web.clearLog();
      const { code } = await inProcess(['docs', `${web.origin}/`, '--output', 'corpus'], { cwd: folder.path });
      const asked = web.log.map(({ path }) => path).sort();
      runs.push({ code, asked, page: filesOf(join(folder.path, 'corpus')).get('index.md')?.toString() });
    }
    expect(runs[0]).toMatchObject({ code: 0, page: expect.stringContaining(`${web.origin}/old`) });
    expect(runs[0]!.asked).not.toContain('/unnamed');
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  } finally {
    await web.close();
    folder.remove();
  }
});
