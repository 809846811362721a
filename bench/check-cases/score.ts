import { belongsTo, type Case } from './case.js';
import type { Site } from './server.js';

/** What a program says of one link. */
export type Said = 'fine' | 'broken' | 'unsure';

/** A line of a program's report: everything in it that names the link, and what is said of it. */
export interface Line {
  readonly names: readonly string[];
  readonly said: Said;
}

export const OUTCOMES = [
  'right',
  'false failure',
  'false fine',
  'left open',
  'not looked at',
  'asked though forbidden',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Judged {
  readonly of: Case;
  readonly said: Said | 'nothing';
  readonly outcome: Outcome;
}

const WORST: readonly Said[] = ['broken', 'unsure', 'fine'];

/** A program is judged by its own report alone, and by the server's log for what robots.txt forbids. */
export function judge(cases: readonly Case[], lines: readonly Line[], site: Pick<Site, 'asked' | 'fill'>): Judged[] {
  return cases.map((of) => {
    const own = lines.filter(({ names }) => names.some((name) => belongsTo(name, of.name)));
    const said = WORST.find((each) => own.some((line) => line.said === each)) ?? 'nothing';
    return {
      of,
      said,
      outcome: outcomeOf(
        of,
        said,
        isPageBlamed(of, lines),
        of.never.some((path) => site.asked(site.fill(path, of))),
      ),
    };
  });
}

/** The page on which the link stands is always fine. */
const isPageBlamed = ({ name }: Case, lines: readonly Line[]): boolean =>
  lines.some(
    ({ names, said }) =>
      said === 'broken' && names.some((each) => belongsTo(each, `of-${name}`) && !belongsTo(each, name)),
  );

function outcomeOf({ truth }: Case, said: Judged['said'], pageBlamed: boolean, forbiddenAsked: boolean): Outcome {
  if (pageBlamed) {
    return 'false failure';
  }
  if (truth === 'no link') {
    return said === 'broken' ? 'false failure' : 'right';
  }
  if (truth === 'cannot tell' && forbiddenAsked) {
    return 'asked though forbidden';
  }
  if (said === 'nothing') {
    return 'not looked at';
  }
  if (said === 'unsure') {
    return truth === 'cannot tell' ? 'right' : 'left open';
  }
  if (said === truth) {
    return 'right';
  }
  return said === 'broken' ? 'false failure' : 'false fine';
}
