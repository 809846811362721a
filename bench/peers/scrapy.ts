import { join } from 'node:path';
import { folderOf, type Peer, versionSaidBy } from './peer.js';

const folder = folderOf('scrapy');
const program = join(folder, 'bin/scrapy');

export const scrapy: Peer = {
  name: 'scrapy',
  language: 'Python',
  install: 'python3 -m venv . && bin/pip install --quiet scrapy==2.19.0',
  find: () => versionSaidBy(program, 'version'),
  entries: [
    {
      name: 'scrapy',
      commands: ({ starts }) => [
        { file: program, args: ['runspider', join(folder, 'spider.py'), '-a', `starts=${starts.join(' ')}`] },
      ],
    },
  ],
};
