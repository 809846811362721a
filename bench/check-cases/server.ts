import { once as event } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { type Answer, answer, type Case, image, notFound, type Reply } from './case.js';
import { SITEMAPS } from './others.js';

export interface Request {
  readonly port: number;
  readonly method: string;
  readonly target: string;
}

/** The site with all cases: one origin for most, one of its own for each case that names {own}. */
export interface Site {
  readonly main: string;
  /** The pages that hold links, for a program that is told them. */
  readonly pages: readonly string[];
  readonly log: readonly Request[];
  /** Paths that were asked for though nobody may. */
  asked(path: string): boolean;
  /** Puts the addresses of a case into a text. */
  fill(text: string, of: Case): string;
  /** As if nobody had asked for anything yet. */
  forget(): void;
  /** Writes the files of the cases; gives the names of those that stand beside the folder. */
  writeFiles(folder: string): string[];
  close(): Promise<void>;
}

const MAX_HEAD_BYTES = 65_536;
const TEXT = /\.(txt|rst|mdx)$/;

export async function serveCases(cases: readonly Case[]): Promise<Site> {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const log: Request[] = [];
  const times = new Map<string, number>();
  const routes = new Map<string, { answer: Answer; fill: (text: string) => string }>();
  const robots = new Map<number, { answer: Answer; fill: (text: string) => string }>();

  const listen = async (): Promise<number> => {
    const server = createServer({ noDelay: true }, (socket) => serve(socket));
    server.listen(0, '127.0.0.1');
    await event(server, 'listening');
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };

  const port = await listen();
  const main = `http://127.0.0.1:${port}`;
  // A port that was free a moment ago, and where nobody listens.
  const closedPort = await listen();
  await new Promise((done) => servers.pop()!.close(done));

  const ownPorts = new Map<string, number>();
  for (const each of cases) {
    if (each.apart) {
      ownPorts.set(each.name, await listen());
    }
  }

  const fill = (text: string, { name }: { name: string }): string =>
    text
      .replaceAll('{t}', '/t/{name}')
      .replaceAll('{name}', name)
      .replaceAll('{main}', main)
      .replaceAll('{port}', String(port))
      .replaceAll('{own}', `http://127.0.0.1:${ownPorts.get(name)}`)
      .replaceAll('{closed}', `http://127.0.0.1:${closedPort}`);
  const put = (path: string, of: { name: string }, how: Answer): void => {
    routes.set(fill(path, of), { answer: how, fill: (text) => fill(text, of) });
  };

  const pages: string[] = [];
  const putPage = (path: string, of: { name: string }, how: Answer): void => {
    put(path, of, how);
    pages.push(fill(path, of));
  };
  for (const of of cases) {
    for (const [path, how] of Object.entries(of.routes)) {
      (/^\/(page\/of-|page\/self\/|typed\/)/.test(path) ? putPage : put)(path, of, how);
    }
    if (of.robots !== null) {
      robots.set(ownPorts.get(of.name)!, { answer: of.robots, fill: (text) => fill(text, of) });
    }
    if (of.html !== null && of.alone) {
      putPage('/page/of-{name}.html', of, pageOf(of.name, fill(of.html, of)));
    }
  }
  for (const group of new Set(cases.map((of) => of.group))) {
    const links = cases.filter((of) => of.group === group && of.html !== null && !of.alone);
    const markup = links.map((of) => `<p>${fill(of.html!, of)}</p>`).join('\n');
    if (links.length > 0) {
      putPage(`/page/${group}.html`, { name: group }, pageOf(group, markup));
    }
  }
  put('/', { name: 'index' }, pageOf('index', pages.map((path) => `<p><a href="${path}">${path}</a></p>`).join('\n')));
  put('/ok.png', { name: 'index' }, image);
  put('/app.js', { name: 'index' }, answer(200, { 'Content-Type': 'text/javascript' }, '// draws the page'));
  put('/favicon.ico', { name: 'index' }, image);
  for (const [path, how] of Object.entries(SITEMAPS)) {
    put(path, { name: 'index' }, how);
  }
  robots.set(port, {
    answer: answer(200, { 'Content-Type': 'text/plain' }, 'Sitemap: {main}/sitemap.xml\n'),
    fill: (text) => fill(text, { name: 'index' }),
  });

  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
        const head = received.slice(0, end);
        received = received.slice(end + 4);
        send(socket, reply(head, socket.localPort!));
      }
      if (received.length > MAX_HEAD_BYTES) {
        socket.destroy();
      }
    });
  }

  function reply(head: string, at: number): Reply {
    const [line, ...lines] = head.split('\r\n') as [string, ...string[]];
    const [method = '', target = ''] = line.split(' ');
    const [path = '', ...query] = target.split('?');
    const headers = Object.fromEntries(
      lines.map((each) => [each.slice(0, each.indexOf(':')).toLowerCase(), each.slice(each.indexOf(':') + 1).trim()]),
    );
    log.push({ port: at, method, target });
    times.set(path, (times.get(path) ?? 0) + 1);
    const route = path === '/robots.txt' ? robots.get(at) : routes.get(path);
    const asked = {
      method,
      target,
      path,
      query: query.join('?'),
      headers,
      times: times.get(path)!,
      fill: route?.fill ?? ((text: string) => text),
    };
    return (route?.answer ?? notFound)(asked);
  }

  return {
    main,
    pages: ['/', ...pages].map((path) => main + path),
    log,
    asked: (path) => log.some(({ target }) => target === path || target.startsWith(`${path}?`)),
    fill,
    forget: () => {
      log.length = 0;
      times.clear();
    },
    writeFiles: (folder) => writeFiles(folder, cases, fill),
    close: async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}

function send(socket: Socket, { bytes, after }: Reply): void {
  if (socket.destroyed) {
    return;
  }
  if (bytes.length > 0) {
    socket.write(bytes);
  }
  if (after === 'end') {
    socket.end();
  } else if (after === 'reset') {
    socket.resetAndDestroy();
  }
}

const pageOf =
  (title: string, markup: string): Answer =>
  // Filled already: what is left in braces belongs to the markup.
  (asked) =>
    answer(
      200,
      { 'Content-Type': 'text/html; charset=utf-8' },
      Buffer.from(`<!doctype html><html lang="en"><head><title>${title}</title>${markup}`),
    )(asked);

/** The files of the cases, and an index page that links to all that are pages. Files of plain text stand beside the folder, and are given by their names. */
function writeFiles(folder: string, cases: readonly Case[], fill: (text: string, of: Case) => string): string[] {
  const files = cases.flatMap((of) =>
    Object.entries(of.files).map(([path, content]) => [fill(path, of), fill(content, of)] as const),
  );
  const texts = files.filter(([path]) => TEXT.test(path)).map(([path]) => join(`${folder}-texts`, path));
  const starts = files.map(([path]) => path).filter((path) => /^page-of-.*\.(html|md)$/.test(path));
  const index = `<!doctype html><title>Index</title>${starts.map((path) => `<p><a href="${path}">${path}</a></p>`).join('\n')}`;
  for (const [path, content] of [...files, ['index.html', index] as const]) {
    const place = join(TEXT.test(path) ? `${folder}-texts` : folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
  }
  return texts;
}
