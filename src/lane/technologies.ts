import type { ResponseHeaders } from '../fetch/response-headers.js';

/** What a page shows of what it was made with. */
interface Signs {
  headers: ResponseHeaders | null;
  /** By name in lower case. */
  metas: ReadonlyMap<string, string>;
  cookies: readonly string[];
  /** URLs that the page loads. */
  loaded: readonly string[];
}

type Signature =
  | readonly [name: string, where: 'server' | 'x-powered-by' | 'generator' | 'loaded' | 'cookie', pattern: RegExp]
  | readonly [name: string, where: 'header', header: string];

/** Plain signs only: what a server, a generator, a cookie or an address calls itself. No version, and nothing is guessed from markup. */
const SIGNATURES: readonly Signature[] = [
  ['nginx', 'server', /^nginx/i],
  ['Apache', 'server', /^apache/i],
  ['Caddy', 'server', /^caddy/i],
  ['LiteSpeed', 'server', /^litespeed/i],
  ['IIS', 'server', /^microsoft-iis/i],
  ['Cloudflare', 'header', 'cf-ray'],
  ['CloudFront', 'header', 'x-amz-cf-id'],
  ['Amazon S3', 'server', /^amazons3/i],
  ['Fastly', 'header', 'x-fastly-request-id'],
  ['Vercel', 'header', 'x-vercel-id'],
  ['Netlify', 'header', 'x-nf-request-id'],
  ['GitHub Pages', 'server', /^github\.com/i],
  ['Varnish', 'header', 'x-varnish'],
  ['PHP', 'x-powered-by', /\bphp\b/i],
  ['PHP', 'cookie', /^phpsessid$/i],
  ['Express', 'x-powered-by', /^express/i],
  ['ASP.NET', 'x-powered-by', /asp\.net/i],
  ['ASP.NET', 'cookie', /^asp\.net_sessionid$/i],
  ['Java', 'cookie', /^jsessionid$/i],
  ['Laravel', 'cookie', /^laravel_session$/i],
  ['Next.js', 'x-powered-by', /^next\.js/i],
  ['Next.js', 'loaded', /\/_next\/static\//],
  ['Nuxt', 'loaded', /\/_nuxt\//],
  ['Gatsby', 'generator', /^gatsby/i],
  ['WordPress', 'generator', /^wordpress/i],
  ['WordPress', 'loaded', /\/wp-(?:content|includes)\//],
  ['Drupal', 'generator', /^drupal/i],
  ['Drupal', 'header', 'x-drupal-cache'],
  ['Joomla', 'generator', /^joomla/i],
  ['TYPO3', 'generator', /^typo3/i],
  ['Ghost', 'generator', /^ghost/i],
  ['Hugo', 'generator', /^hugo/i],
  ['Jekyll', 'generator', /^jekyll/i],
  ['Docusaurus', 'generator', /^docusaurus/i],
  ['MkDocs', 'generator', /^mkdocs/i],
  ['VitePress', 'generator', /^vitepress/i],
  ['Astro', 'generator', /^astro/i],
  ['Eleventy', 'generator', /^eleventy/i],
  ['Docutils', 'generator', /^docutils/i],
  ['DocBook', 'generator', /^docbook/i],
  ['Doxygen', 'generator', /^doxygen/i],
  ['Wix', 'generator', /^wix/i],
  ['Squarespace', 'loaded', /\bsquarespace(?:-cdn)?\.com\//],
  ['Shopify', 'loaded', /\bcdn\.shopify\.com\//],
  ['Shopify', 'header', 'x-shopify-stage'],
  ['Sphinx', 'loaded', /\/_static\/(?:doctools|documentation_options|sphinx_highlight)\.js/],
  ['jQuery', 'loaded', /\/jquery(?:[.-][\d.]+)?(?:\.slim)?(?:\.min)?\.js/i],
  ['Bootstrap', 'loaded', /\/bootstrap(?:\.bundle)?(?:\.min)?\.(?:css|js)/i],
  ['MathJax', 'loaded', /\/mathjax\b/i],
  ['Google Analytics', 'loaded', /\bgoogle-analytics\.com\/|googletagmanager\.com\/gtag\//],
  ['Google Tag Manager', 'loaded', /\bgoogletagmanager\.com\/gtm\.js/],
  ['Google Fonts', 'loaded', /\bfonts\.(?:googleapis|gstatic)\.com\//],
  ['Matomo', 'loaded', /\/(?:matomo|piwik)\.js/i],
  ['Plausible', 'loaded', /\bplausible\.io\/js\//],
];

/** Each once. */
export function technologies({ headers, metas, cookies, loaded }: Signs): string[] {
  const texts = {
    server: [headers?.get('server') ?? ''],
    'x-powered-by': [headers?.get('x-powered-by') ?? ''],
    generator: [metas.get('generator') ?? ''],
    cookie: cookies,
    loaded,
  };
  const found = SIGNATURES.filter((signature) =>
    signature[1] === 'header'
      ? (headers?.get(signature[2]) ?? null) !== null
      : texts[signature[1]].some((text) => (signature[2] as RegExp).test(text)),
  );
  return [...new Set(found.map(([name]) => name))];
}
