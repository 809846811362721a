/** What a page's robots meta elements and X-Robots-Tag headers say together. */
export interface RobotsDirectives {
  nofollow: boolean;
  /** All directives that apply, joined by a comma; null where there are none. */
  text: string | null;
}

/** `agent: directives` counts only for that agent; a directive with a value (max-snippet: 5) is not an agent, nor is the time of a date. */
const VALUED = /^(?:max-snippet|max-image-preview|max-video-preview|unavailable_after)$/;
const AGENT = /^(?:\*|[a-z_-][\w.-]*)$/;

/**
 * @param headers each line by itself: an agent that one of them names is not spoken to by the next
 * @param agent the product token of ours, lower case
 */
export function robotsDirectives(
  metas: readonly string[],
  headers: readonly string[],
  agent: string,
): RobotsDirectives {
  const directives = [...metas, ...headers.map((line) => ofLine(line, agent))].flatMap((text) => text.split(','));
  const clean = directives.map((directive) => directive.trim().toLowerCase()).filter((directive) => directive !== '');
  return {
    nofollow: clean.includes('nofollow') || clean.includes('none'),
    text: clean.length === 0 ? null : clean.join(',').slice(0, 1_000),
  };
}

/** What a line says to us. An agent may also be named in the middle: some proxies join lines. */
function ofLine(line: string, agent: string): string {
  let applies = true;
  const parts: string[] = [];
  for (const part of line.split(',')) {
    const colon = part.indexOf(':');
    const name = colon < 0 ? '' : part.slice(0, colon).trim().toLowerCase();
    const namesAgent = AGENT.test(name) && !VALUED.test(name);
    if (namesAgent) {
      applies = name === '*' || /^[a-z_-]*/.exec(name)![0] === agent;
    }
    if (applies) {
      parts.push(namesAgent ? part.slice(colon + 1) : part);
    }
  }
  return parts.join(',');
}
