import { ROBOTS_LOOKS } from '../frontier/embedded/options.js';

/** In SQL: the robots.txt of this row of `origins` let both its looks run out of time. */
export const ROBOTS_WAS_SILENT = `(origins.robots_state = 'failed' AND origins.robots_tries >= ${ROBOTS_LOOKS}
  AND EXISTS (SELECT 1 FROM urls AS robots WHERE robots.id = origins.robots_id AND robots.reason IN ('timeout', 'too_slow')))`;

/** In SQL: this row of `urls` failed with it, and was never asked for itself. Nothing of it is left to look at. */
export const FAILED_WITH_ROBOTS = `(urls.reason IN ('timeout', 'too_slow') AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.id = urls.id)
  AND EXISTS (SELECT 1 FROM origins WHERE origins.id = urls.origin AND ${ROBOTS_WAS_SILENT}))`;
