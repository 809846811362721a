/** What a page's robots meta elements and X-Robots-Tag headers say together. */
export interface RobotsDirectives {
  nofollow: boolean;
  /** All directives that apply, joined by a comma; null where there are none. */
  text: string | null;
}

/** `agent: directives` in a header counts only for that agent; a directive with a value (max-snippet: 5) is not an agent. */
const VALUED = /^(?:max-snippet|max-image-preview|max-video-preview|unavailable_after)$/;

export function robotsDirectives(metas: readonly string[], header: string | null, agent: string): RobotsDirectives {
  const directives = metas.flatMap((meta) => meta.split(','));
  let applies = true;
  for (const part of (header ?? '').split(',')) {
    const colon = part.indexOf(':');
    const name = colon < 0 ? '' : part.slice(0, colon).trim().toLowerCase();
    if (colon >= 0 && !VALUED.test(name)) {
      applies = name === '*' || name === agent.toLowerCase();
      directives.push(applies ? part.slice(colon + 1) : '');
    } else if (applies) {
      directives.push(part);
    }
  }
  const clean = directives.map((directive) => directive.trim().toLowerCase()).filter((directive) => directive !== '');
  return {
    nofollow: clean.includes('nofollow') || clean.includes('none'),
    text: clean.length === 0 ? null : clean.join(',').slice(0, 1_000),
  };
}
