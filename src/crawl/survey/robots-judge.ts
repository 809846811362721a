import { expandRobots } from '../../robots/compact.js';
import type { RobotsRule } from '../../robots/match.js';
import { RobotsMatcher } from '../../robots/match.js';
import { isHttp, pathOf } from '../../url/host.js';

/** A line of robots.txt and how many of the known pages it forbids. */
export interface ForbiddingRule {
  /** Whose robots.txt it is. */
  host: string;
  /** Of robots.txt. */
  line: number;
  /** The line itself. */
  rule: string;
  /** URLs that it forbids. */
  pages: number;
}

/** Matches URLs against the kept rules of their origins, one origin after the other, and counts what each line forbids. */
export class RobotsJudge {
  readonly #counted = new Map<string, ForbiddingRule>();
  #last: { rules: string; matcher: RobotsMatcher } | null = null;

  /** The rule that forbids the URL, or null. */
  ruleAgainst(rules: string | null, url: string): RobotsRule | null {
    if (rules === null || !isHttp(url)) {
      return null;
    }
    if (this.#last?.rules !== rules) {
      this.#last = { rules, matcher: new RobotsMatcher(expandRobots(rules)) };
    }
    const { allowed, rule } = this.#last.matcher.match(pathOf(url));
    return allowed ? null : rule;
  }

  count(host: string, { line, text }: RobotsRule): void {
    const key = `${host} ${line}`;
    const counted = this.#counted.get(key);
    if (counted === undefined) {
      this.#counted.set(key, { host, line, rule: text, pages: 1 });
    } else {
      counted.pages++;
    }
  }

  /** Those that forbid most first. */
  counted(): ForbiddingRule[] {
    return [...this.#counted.values()].sort((a, b) => b.pages - a.pages);
  }
}
