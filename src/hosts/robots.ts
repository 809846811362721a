/**
 * robots.txt by RFC 9309. The file is parsed once per origin for one product token, kept and passed around in its compact
 * form, and compiled where URLs are matched.
 *
 * Choices where the RFC leaves room, or where files in the wild leave the RFC:
 * - A User-agent value is compared by its leading letters, `-` and `_`: `gossamer/1.0` and `gossamer*` name gossamer,
 *   `gossamer-news` does not. As digits end a token, `mybot2` and `mybot3` are both `mybot`.
 * - A path without `/` or `*` at its start is read as if it began with `/`.
 * - Keys may be in any case, misspelt in the common ways, without their colon, and with no-break spaces around: as the most widely
 *   used parser reads them, so that nothing is asked for that it would not ask for.
 * - Crawl-delay holds for the agents named above it and, like all other records, does not end a run of User-agent lines.
 * - A file whose rules cost too much to match for a URL disallows that URL.
 */
export { compactRobots, expandRobots } from './robots-compact.js';
export { RobotsMatcher, type RobotsVerdict } from './robots-match.js';
export { MAX_ROBOTS_BYTES, parseRobots, productToken, type RobotsFile, type RobotsRule } from './robots-parse.js';
