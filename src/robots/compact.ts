import { StateError } from '../base/errors.js';
import type { RobotsFile, RobotsRule } from './match.js';

/** Allow as 1 or 0, the pattern, the line, and the text where it is more than the key and the pattern. */
type CompactRule = [allow: 0 | 1, pattern: string, line: number, text?: string];
type Compact = [crawlDelayMs: number | null, sitemaps: string[], rules: CompactRule[]];

const plainText = (allow: boolean, pattern: string): string => `${allow ? 'Allow' : 'Disallow'}: ${pattern}`;

/** One JSON text for the store and for other threads. */
export function compactRobots(file: RobotsFile): string {
  const rules = file.rules.map(({ allow, pattern, line, text }): CompactRule => {
    const flag = allow ? 1 : 0;
    return text === plainText(allow, pattern) ? [flag, pattern, line] : [flag, pattern, line, text];
  });
  const compact: Compact = [file.crawlDelayMs, file.sitemaps, rules];
  return JSON.stringify(compact);
}

/** The inverse of `compactRobots`; throws a StateError for any other text, so that a damaged store never opens a site. */
export function expandRobots(text: string): RobotsFile {
  const compact = parseJson(text);
  if (!isCompact(compact)) {
    throw new StateError('robots_damaged', 'the stored robots.txt rules of a site cannot be read');
  }
  const [crawlDelayMs, sitemaps, compactRules] = compact;
  const rules = compactRules.map(([flag, pattern, line, written]): RobotsRule => {
    const allow = flag === 1;
    return { allow, pattern, line, text: written ?? plainText(allow, pattern) };
  });
  return { rules, crawlDelayMs, sitemaps };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCompact(value: unknown): value is Compact {
  if (!Array.isArray(value) || value.length !== 3) {
    return false;
  }
  const [crawlDelayMs, sitemaps, rules]: unknown[] = value;
  const isDelay = crawlDelayMs === null || typeof crawlDelayMs === 'number';
  const areSitemaps = Array.isArray(sitemaps) && sitemaps.every((url) => typeof url === 'string');
  return isDelay && areSitemaps && Array.isArray(rules) && rules.every(isCompactRule);
}

function isCompactRule(value: unknown): value is CompactRule {
  if (!Array.isArray(value)) {
    return false;
  }
  const [flag, pattern, line, text]: unknown[] = value;
  const isText = text === undefined || typeof text === 'string';
  return (flag === 0 || flag === 1) && typeof pattern === 'string' && typeof line === 'number' && isText;
}
