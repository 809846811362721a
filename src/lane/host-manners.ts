import { productToken } from '../robots/parse.js';
import { HostPolicies } from '../url/host-policies.js';
import type { ReaderOptions, RenderMode } from './reading.js';

/** How pages are read if hosts differ: under which name robots rules apply to us, and which pages a browser has to render. */
export class HostManners {
  readonly #agent: string;
  readonly #render: RenderMode;
  readonly #policies: HostPolicies;
  readonly #renderOfHosts: readonly RenderMode[];
  /** Of agents, the first product. */
  readonly #tokens = new Map<string, string>();

  constructor({ agent, render, hosts = [] }: Pick<ReaderOptions, 'agent' | 'render' | 'hosts'>) {
    this.#agent = agent;
    this.#render = render;
    this.#policies = new HostPolicies(hosts);
    this.#renderOfHosts = hosts.flatMap((policy) => (policy.render === undefined ? [] : [policy.render]));
  }

  /** The product that we are at the URL's host. */
  agentFor(url: string): string {
    const { userAgent } = this.#policies.ofUrl(url);
    if (userAgent === undefined) {
      return this.#agent;
    }
    const token = this.#tokens.get(userAgent) ?? productToken(userAgent);
    this.#tokens.set(userAgent, token);
    return token;
  }

  renderFor(url: string): RenderMode {
    return this.#policies.ofUrl(url).render ?? this.#render;
  }

  /** Whether a browser may have to render a page. */
  get rendersAny(): boolean {
    return [this.#render, ...this.#renderOfHosts].some((mode) => mode !== 'never');
  }

  /** Whether the crawl cannot do its task without a browser. */
  get needsBrowser(): boolean {
    return [this.#render, ...this.#renderOfHosts].includes('always');
  }
}
