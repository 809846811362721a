/** What a page's robots meta elements and X-Robots-Tag headers say together. */
export interface RobotsDirectives {
  nofollow: boolean;
  /** All directives that apply, joined by a comma; null if there are none. */
  text: string | null;
}

/** What is said in one part between commas: a date to its end, a name with its value, or single words. */
const WORDS = /unavailable_after\s*:.*|[^\s:]+\s*:(?:\s*[^\s:]+(?![^\s:]|\s*:))?|\S+/g;
/** The rest of a date, whose day of the week ended with a comma. */
const REST_OF_DATE = /^\s*\d/;
/** `agent: directives` counts only for that agent; a directive with a value (max-snippet: 5) is not an agent. A version of it is no part of its name. */
const NAMED = /^(\*|[a-z_-][\w.-]*)(?:\/[\w.+-]*)?\s*:\s*/;
const VALUED = /^(?:max-snippet|max-image-preview|max-video-preview|unavailable_after)$/;

/**
 * @param headers each line by itself: an agent that one of them names is not spoken to by the next
 * @param agent the product token of ours, lower case
 */
export function robotsDirectives(
  metas: readonly string[],
  headers: readonly string[],
  agent: string,
): RobotsDirectives {
  const directives = [...metas.flatMap(directivesOf), ...headers.flatMap((line) => ofLine(line, agent))];
  return {
    nofollow: directives.includes('nofollow') || directives.includes('none'),
    text: directives.length === 0 ? null : directives.join(',').slice(0, 1_000),
  };
}

/** They stand between commas; many pages have semicolons or nothing but spaces there. */
const directivesOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[,;]/)
    .flatMap((part) => (REST_OF_DATE.test(part) ? [part] : (part.match(WORDS) ?? [])))
    .map((directive) => directive.trim());

/** What a line says to us. An agent may also be named in the middle: some proxies join lines. */
function ofLine(line: string, agent: string): string[] {
  let applies = true;
  const said: string[] = [];
  for (const directive of directivesOf(line)) {
    const [named, name] = NAMED.exec(directive) ?? ['', ''];
    const namesAgent = named !== '' && !VALUED.test(name!);
    if (namesAgent) {
      applies = name === '*' || /^[a-z_-]*/.exec(name!)![0] === agent;
    }
    const rest = namesAgent ? directive.slice(named.length) : directive;
    if (applies && rest !== '') {
      said.push(rest);
    }
  }
  return said;
}
