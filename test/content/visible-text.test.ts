import { describe, expect, it } from 'vitest';
import { readableText } from '../../src/content/visible-text.js';

describe('how much a page gives to read', () => {
  it('counts what a person reads, and neither markup nor furniture', () => {
    const page = `<title>No</title><nav>no<nav>no</nav>no</nav><header>Ab</header><main>Cd &amp; <b>e</b></main><aside>no</aside>
      <script>no</script><style>no</style><noscript><p>no</p></noscript><template>no</template><button>no</button><footer>no</footer>f`;
    expect(readableText(page)).toEqual({ text: 7, hasScripts: true });
  });

  it.each([
    ['<script>x</script>', true],
    ['<script src=x></script>', true],
    ['<script type="module" src=x></script>', true],
    ['<script type="text/javascript">x</script>', true],
    ['<script type="application/ld+json">{}</script>', false],
    ['<script type="math/tex">x</script>', false],
    ['<p>x</p>', false],
  ])('%s runs: %s', (page, runs) => {
    expect(readableText(page).hasScripts).toBe(runs);
  });

  it('is quick on a page that never closes anything', () => {
    expect(readableText('<nav>x'.repeat(200_000)).text).toBe(0);
  });
});
