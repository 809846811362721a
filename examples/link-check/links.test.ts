/**
 * Fails your tests when a link of your site is dead: one test, whose message names each link, why, and where it stands.
 *
 *     SITE=http://localhost:3000/ npx vitest run --root examples/link-check
 */
import { checkLinks } from 'gossamer';
import { expect, it } from 'vitest';

it('has no dead links', async () => {
  const check = await checkLinks(process.env.SITE ?? './public', {
    // Links to other sites change without you: leave them to a job of their own.
    external: false,
  });
  const dead = [...check.links()]
    .filter(({ fails }) => fails)
    .map(
      ({ url, verdict, evidence, sources }) =>
        `${verdict} ${url} (${evidence.why}) on ${sources.map(({ page }) => page)}`,
    );
  check.close();
  expect(dead).toEqual([]);
}, 120_000);
