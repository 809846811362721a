/**
 * Crawls what is behind a login form: `start` fetches the form, sends it back with its token, name and password, and the crawl goes on with
 * the cookies that this gave. They are kept with the crawl, so `gossamer resume` works; `start` then logs in again.
 *
 *     LOGIN_URL=https://example.com/login LOGIN_NAME=ann LOGIN_PASSWORD=… \
 *       gossamer crawl https://example.com/members/ --hooks examples/login/hooks.ts --cookies
 */
import { defineHooks } from 'gossamer';

export default defineHooks({
  async start({ fetch }) {
    const url = fromEnvironment('LOGIN_URL');
    const form = await fetch(url);
    const csrf = form.select('input[name=csrf]')?.attribute('value');
    if (csrf == null) {
      throw new Error(`${url} has no form with a field csrf (status ${form.status})`);
    }
    const name = fromEnvironment('LOGIN_NAME');
    const answer = await fetch(url, {
      method: 'POST',
      body: { csrf, name, password: fromEnvironment('LOGIN_PASSWORD') },
    });
    // A refused login often answers 200, with the form once more.
    if (!answer.ok || answer.select('input[name=csrf]') !== null) {
      throw new Error(`${url} refuses the login of ${name} (status ${answer.status})`);
    }
  },
  // A crawler that follows this link has ended its own session.
  link: ({ url }) => (/\/log-?out\b/.test(url) ? { skip: 'would end the session' } : undefined),
  page: (page) => ({ greeting: page.select('.greeting')?.text ?? null }),
});

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`set the variable ${name}`);
  }
  return value;
}
