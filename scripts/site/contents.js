/**
 * The contents of the documentation site, in the order of the menu. A page of docs/ that is not named here stands under "More", so none is forgotten.
 * The title of a page is its heading; a second entry is a shorter name for the menu.
 */
export const SECTIONS = [
  {
    title: 'Start',
    pages: [
      ['README.md', 'Overview'],
      ['docs/START.md', 'Five-minute start'],
      ['docs/GLOSSARY.md', 'Glossary'],
      ['docs/COMPARISON.md', 'Comparison'],
      ['docs/MIGRATING.md', 'Coming from another program'],
    ],
  },
  {
    title: 'Recipes',
    pages: [
      ['docs/recipes/site-owner.md', 'Site owner'],
      ['docs/recipes/ci.md', 'Continuous integration'],
      ['docs/recipes/researcher.md', 'Researcher'],
      ['docs/recipes/language-models.md', 'Language-model team'],
      ['docs/recipes/operator.md', 'Operator'],
      ['docs/recipes/library.md', 'Library user'],
    ],
  },
  {
    title: 'Crawl',
    pages: [
      ['docs/CONFIG.md'],
      ['docs/SEEDING.md'],
      ['docs/PREVIEW.md'],
      ['docs/POLITENESS.md'],
      ['docs/HOSTS.md'],
      ['docs/SESSIONS.md'],
      ['docs/RENDERING.md'],
      ['docs/ORDER.md'],
      ['docs/EXTRACT.md'],
      ['docs/HOOKS.md'],
      ['docs/CACHE.md'],
      ['docs/KEEP.md'],
      ['docs/ARCHIVES.md'],
      ['docs/RUNS.md'],
    ],
  },
  {
    title: 'Watch and look',
    pages: [
      ['docs/TERMINAL.md'],
      ['docs/DASHBOARD.md'],
      ['docs/WATCHING.md'],
      ['docs/EXPLAIN.md'],
      ['docs/AUDIT.md'],
      ['docs/DIFF.md'],
      ['docs/GRAPH.md'],
      ['docs/OUTPUTS.md'],
    ],
  },
  { title: 'Check links', pages: [['docs/CHECK.md'], ['docs/CHECK-INPUT.md'], ['docs/CI.md']] },
  {
    title: 'Documentation as Markdown',
    pages: [['docs/DOCS.md'], ['docs/CORPUS.md'], ['docs/EXTRACTION.md'], ['docs/MARKDOWN.md'], ['docs/LOOKUP.md']],
  },
  {
    title: 'Reference',
    pages: [['docs/OPTIONS.md'], ['docs/LIBRARY.md'], ['api', 'API'], ['docs/STORE.md'], ['CHANGELOG.md', 'Changes']],
  },
  {
    title: 'Behind it',
    pages: [
      ['docs/PROMISES.md'],
      ['docs/SECURITY.md'],
      ['docs/PERFORMANCE.md'],
      ['docs/ARCHITECTURE.md'],
      ['docs/decisions/README.md', 'Decisions'],
      ['CONTRIBUTING.md', 'Contributing'],
    ],
  },
];

/** Pages that are reached from another page and not from the menu. */
export const BELOW = [/^docs\/decisions\/\d{4}-/, /^examples\/README\.md$/, /^SECURITY\.md$/, /^CODE_OF_CONDUCT\.md$/];
