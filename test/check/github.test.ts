import { describe, expect, it } from 'vitest';
import { githubStepSummary } from '../../src/check/report/index.js';
import { exampleReport } from './example.js';
import { linkOf, reportOf, sourceOf, textOf } from './fixture.js';

const linesOf = (...links: ReturnType<typeof linkOf>[]): string[] =>
  textOf('github', reportOf(links)).trimEnd().split('\n');

describe('the report for GitHub', () => {
  it('marks the place in a file', () => {
    const sources = [sourceOf({ page: './docs/a.md' }), sourceOf({ page: 'docs/b.md', column: null })];
    expect(linesOf(linkOf('dead', { sources }))).toEqual([
      '::error file=docs/a.md,line=12,col=5,title=Link%3A dead::https://a.test/old%0A404: the server says that it is not there%0Aon ./docs/a.md:12:5 and 1 other place%0ACorrect the link, or take it out.',
      '::error file=docs/b.md,line=12,title=Link%3A dead::https://a.test/old%0A404: the server says that it is not there%0Aon docs/b.md:12 and 1 other place%0ACorrect the link, or take it out.',
      'check: 1 dead of 1 link (2 m 10 s) → exit 1',
    ]);
  });

  it('tells of a link on the web once, and warns of what does not fail', () => {
    const sources = [sourceOf(), sourceOf({ page: 'https://a.test/other' })];
    const [line, ...rest] = linesOf(linkOf('timeout', { sources }));
    expect(line).toMatch(
      /^::warning title=Link%3A timeout::https:\/\/a\.test\/old%0A.*on https:\/\/a\.test\/ 12:5 and 1 other place/,
    );
    expect(rest).toEqual(['check: 1 time-out of 1 link (2 m 10 s) → exit 0']);
  });

  it('escapes what would end a property, a message or a line', () => {
    const source = sourceOf({ page: 'a,b:c%2C.md' });
    const [line] = linesOf(linkOf('dead', { url: 'https://a.test/100%25\n::error::x', sources: [source] }));
    expect(line).toMatch(
      /^::error file=a%2Cb%3Ac%252C\.md,line=12,col=5,title=Link%3A dead::https:\/\/a\.test\/100%2525\ufffd::error::x%0A/,
    );
  });

  it('fills no log: fifty of a kind, and how many more there are', () => {
    const links = Array.from({ length: 60 }, (_, number) => linkOf('dead', { url: `https://a.test/${number}` }));
    const lines = linesOf(...links);
    expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(50);
    expect(lines.at(-2)).toBe('::notice::10 more errors are in the other reports');
  });

  it('has a summary in Markdown for the page of the run', () => {
    const report = exampleReport();
    expect(githubStepSummary(report)).toBe(textOf('markdown', report));
  });
});
