/** The commands of this version, in the order in which help names them. */
export const COMMANDS = [
  'crawl',
  'check',
  'docs',
  'md',
  'resume',
  'join',
  'cluster',
  'add',
  'preview',
  'export',
  'graph',
  'diff',
  'audit',
  'explain',
  'robots',
  'status',
  'list',
  'search',
  'show',
  'serve',
  'mcp',
  'split',
  'merge',
  'delete',
  'completions',
] as const;
export type Command = (typeof COMMANDS)[number];

export interface CommandSpec {
  /** What follows the name in the usage line. */
  readonly usage: string;
  readonly sentence: string;
  readonly fewestArguments: number;
  readonly mostArguments: number;
  readonly examples: readonly string[];
}

export const COMMAND_SPECS: Readonly<Record<Command, CommandSpec>> = {
  crawl: {
    usage: '<url…>',
    sentence:
      'Crawl sites and keep everything in a data directory. An argument is - (seeds from stdin), a URL, a file of seeds, or a bare domain.',
    fewestArguments: 0,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: [
      'gossamer crawl example.com',
      'gossamer crawl https://example.com/docs/ --scope prefix --depth 3',
      'gossamer crawl -i seeds.txt --max-urls 10000 --report csv=pages.csv',
      'gossamer crawl http://localhost:8080/ --delay 0',
    ],
  },
  check: {
    usage: '<url|folder|file…>',
    sentence:
      'Find dead links, and fail only for what is really dead. An argument is a URL or a bare domain, a folder of HTML or Markdown, such files or patterns of them (also MDX and reStructuredText), a sitemap, a list of URLs, - (a list from stdin), or the directory of a crawl with --keep body, which is checked without a network.',
    fewestArguments: 0,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: [
      'gossamer check https://example.com/',
      'gossamer check ./public --base-url https://example.com/ --report html=links.html',
      "gossamer check README.md 'docs/**/*.md' --format github",
      'gossamer check https://example.com/ --baseline links.json --cache links.cache',
    ],
  },
  docs: {
    usage: '<url…|dir>',
    sentence:
      'Make a Markdown corpus of a documentation site, or bring the one that is there up to date: pages as files, llms.txt, corpus.jsonl, chunks.jsonl and a full-text index. From the directory of a crawl with --keep body it makes a corpus without a network.',
    fewestArguments: 0,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: [
      'gossamer docs https://example.com/docs/',
      'gossamer docs https://example.com/docs/ --output corpus --chunk-tokens 800',
      'gossamer docs gossamer-data/example.com',
    ],
  },
  md: {
    usage: '<url|file|->',
    sentence:
      'Print the main content of one page as Markdown. A URL is fetched as politely as in a crawl, robots.txt first, and nothing is kept; a file or - (stdin) is HTML, Markdown or plain text.',
    fewestArguments: 1,
    mostArguments: 1,
    examples: [
      'gossamer md https://example.com/article',
      'gossamer md https://example.com/article --json',
      'gossamer md page.html --base-url https://example.com/article -o page.md',
    ],
  },
  resume: {
    usage: '<dir>',
    sentence:
      'Go on with a crawl or a check after any stop. You may change rates, limits, time-outs and network options, but not seeds, scope and identity.',
    fewestArguments: 1,
    mostArguments: 1,
    examples: [
      'gossamer resume gossamer-data/example.com',
      'gossamer resume gossamer-data/example.com --delay 2s --max-urls 50000',
    ],
  },
  join: {
    usage: '',
    sentence:
      'Take part in a crawl on several machines that `gossamer crawl --redis-url` has begun: with a free part, or with the part in --data-dir. Its options are those of that crawl.',
    fewestArguments: 0,
    mostArguments: 0,
    examples: ['gossamer join --redis-url redis://10.0.0.1 --crawl-id web --data-dir part'],
  },
  cluster: {
    usage: '<status|pause|go|stop|replace|forget> [slot]',
    sentence:
      'Look at a crawl on several machines, pause it, let it go on, stop it, replace a machine whose disk is lost, or remove what Redis has of the crawl.',
    fewestArguments: 1,
    mostArguments: 2,
    examples: [
      'gossamer cluster status --redis-url redis://10.0.0.1 --crawl-id web',
      'gossamer cluster replace 3 --redis-url redis://10.0.0.1 --crawl-id web',
    ],
  },
  add: {
    usage: '<dir> <url…>',
    sentence:
      'Add URLs to a kept crawl. A running crawl takes them up at once, any other on `gossamer resume`. They are fetched whatever the scope says. An argument is a whole URL, or - (a list from stdin).',
    fewestArguments: 1,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: [
      'gossamer add gossamer-data/example.com https://example.com/hidden/page',
      'gossamer add gossamer-data/example.com -i urls.txt --at-depth 3',
    ],
  },
  export: {
    usage: '<dir>',
    sentence: 'Make an output of a kept crawl, without fetching anything.',
    fewestArguments: 1,
    mostArguments: 1,
    examples: [
      'gossamer export gossamer-data/example.com --format sitemap -o sitemap.xml',
      'gossamer export gossamer-data/example.com -f edges > edges.jsonl',
    ],
  },
  graph: {
    usage: '<dir>',
    sentence:
      'Show how the pages of a kept crawl link to each other, without fetching anything: as a table or a file for graph programs, with PageRank, click depth, communities and more, or as a picture.',
    fewestArguments: 1,
    mostArguments: 1,
    examples: [
      'gossamer graph gossamer-data/example.com',
      'gossamer graph gossamer-data/example.com -o site.html',
      'gossamer graph gossamer-data/example.com --nodes --format csv -o pages.csv',
      'gossamer graph gossamer-data/example.com --level folder --format gexf -o folders.gexf',
    ],
  },
  diff: {
    usage: '<dir> <dir>',
    sentence:
      'Compare two kept crawls, the earlier first: pages that were added, removed or changed, links and findings that came and went. The exit code is 1 if something differs, 0 if nothing does.',
    fewestArguments: 2,
    mostArguments: 2,
    examples: [
      'gossamer diff gossamer-data/example.com gossamer-data/example.com-2',
      'gossamer diff monday tuesday --ignore content,assets --report html=changes.html',
      'gossamer diff staging production --map-host staging.example.com=example.com',
    ],
  },
  audit: {
    usage: '<dir>',
    sentence:
      'Look at a kept crawl as the owner of the site would: broken links, redirects, titles, duplicates, what search engines are told, headers. It fetches nothing. The exit code is 1 only for what --fail-on names.',
    fewestArguments: 1,
    mostArguments: 1,
    examples: [
      'gossamer audit gossamer-data/example.com',
      'gossamer audit gossamer-data/example.com --report html=audit.html --report csv=audit.csv',
      'gossamer audit gossamer-data/example.com --fail-on error,title_missing --format sarif',
    ],
  },
  explain: {
    usage: '<dir> <url>',
    sentence:
      'Say why a URL was or was not fetched: the rule that decided, the shortest path of links to it, who links to it, what it waits for. Works while a crawl runs, and for a URL that was never seen.',
    fewestArguments: 2,
    mostArguments: 2,
    examples: [
      'gossamer explain gossamer-data/example.com https://example.com/private/page',
      'gossamer explain gossamer-data/example.com /private/page --json',
    ],
  },
  preview: {
    usage: '<url…>',
    sentence:
      'Say what a crawl would fetch and how long it would take. Reads only robots.txt and sitemaps; --sample fetches some pages too.',
    fewestArguments: 0,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: [
      'gossamer preview example.com',
      'gossamer preview https://example.com/docs/ --scope prefix --sample 200',
      'gossamer preview example.com --delay 100 --json',
    ],
  },
  robots: {
    usage: '<url>',
    sentence:
      'Say whether robots.txt allows a URL and which line decides. The exit code is 0 if it is allowed, 1 if it is not.',
    fewestArguments: 0,
    mostArguments: 1,
    examples: [
      'gossamer robots https://example.com/private/page',
      'gossamer robots --file robots.txt --agent gossamer --url https://example.com/private/page',
    ],
  },
  status: {
    usage: '<dir>',
    sentence: 'Show how far a running or kept crawl is, without disturbing it.',
    fewestArguments: 1,
    mostArguments: 1,
    examples: ['gossamer status gossamer-data/example.com', 'gossamer status gossamer-data/example.com --json'],
  },
  list: {
    usage: '[root]',
    sentence:
      'List the crawls and corpora that are kept below a folder (default: crawls in gossamer-data, corpora here), one crawl by itself, or the pages of a corpus.',
    fewestArguments: 0,
    mostArguments: 1,
    examples: ['gossamer list', 'gossamer list /srv/crawls --json', 'gossamer list example.com-docs'],
  },
  search: {
    usage: '<dir> <words…>',
    sentence:
      'Find pages of a corpus, or of a crawl with --keep, that have some of the words, the best first. "a phrase" in quotes must be there; -word, after --, must not. In a crawl also re:EXPRESSION.',
    fewestArguments: 2,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: [
      'gossamer search example.com-docs rate limit',
      'gossamer search example.com-docs --json -- retry -webhook',
    ],
  },
  show: {
    usage: '<dir> <path|url>',
    sentence: 'Print a page of a corpus as Markdown, by its path or its URL.',
    fewestArguments: 2,
    mostArguments: 2,
    examples: [
      'gossamer show example.com-docs docs/guide/install.md',
      'gossamer show example.com-docs https://example.com/docs/guide/install --json',
      'gossamer show --why example.com-docs docs/guide/install.md',
    ],
  },
  serve: {
    usage: '<dir…>',
    sentence:
      'Show kept crawls and corpora in a browser: pages, hosts, why a URL was or was not fetched, search. A directory is a crawl, a corpus, or a folder of them. Ends with Ctrl+C.',
    fewestArguments: 1,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: ['gossamer serve gossamer-data/example.com', 'gossamer serve gossamer-data example.com-docs --port 8080'],
  },
  mcp: {
    usage: '<dir…>',
    sentence:
      'Let coding assistants search and read corpora, by the Model Context Protocol on stdin and stdout. Ends with its input.',
    fewestArguments: 1,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: ['gossamer mcp example.com-docs', 'gossamer mcp python-docs django-docs'],
  },
  split: {
    usage: '<dir>',
    sentence:
      'Divide a kept crawl into parts for several machines, in the folder of --output, each with its share of the hosts and all that is known about them. The crawl is only read. `gossamer merge` puts the parts together again.',
    fewestArguments: 1,
    mostArguments: 1,
    examples: ['gossamer split gossamer-data/example.com --nodes 4 -o parts'],
  },
  merge: {
    usage: '<dir…>',
    sentence:
      'Put the parts of a crawl together, from `gossamer split` or from machines that crawled together: one crawl in the folder of --output, which every command can use. The parts are only read.',
    fewestArguments: 1,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: [
      'gossamer merge parts/slot-0 parts/slot-1 parts/slot-2 parts/slot-3 -o whole',
      'gossamer merge parts/* -o whole',
    ],
  },
  delete: {
    usage: '<dir…>',
    sentence: 'Delete kept crawls and corpora. Only files that gossamer wrote are deleted.',
    fewestArguments: 1,
    mostArguments: Number.POSITIVE_INFINITY,
    examples: ['gossamer delete gossamer-data/example.com', 'gossamer delete example.com-docs'],
  },
  completions: {
    usage: '<shell>',
    sentence:
      'Print a script that makes the Tab key complete commands, options and their values in bash, zsh or fish. The first lines of the script say where to put it.',
    fewestArguments: 1,
    mostArguments: 1,
    examples: ['gossamer completions bash > ~/.local/share/bash-completion/completions/gossamer'],
  },
};

export function isCommand(text: string): text is Command {
  return (COMMANDS as readonly string[]).includes(text);
}

/** Commands that keep what they did in a directory: what that holds, in a word, and the function of a program that goes on with it. */
const KEPT: Readonly<Record<string, { noun: string; resumedBy: string }>> = {
  crawl: { noun: 'crawl', resumedBy: 'resumeCrawl' },
  check: { noun: 'check', resumedBy: 'resumeCheck' },
  docs: { noun: 'corpus', resumedBy: 'resumeDocs' },
};

export const nounOf = (command: string): string => KEPT[command]?.noun ?? command;

export const resumedBy = (command: string): string | null => KEPT[command]?.resumedBy ?? null;
