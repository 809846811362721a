import { describe, expect, it } from 'vitest';
import { CHECK_FORMATS } from '../../src/check/report/index.js';
import { VERDICTS } from '../../src/check/report/result.js';
import { type FailsByDefault, VERDICT_HELP } from '../../src/check/report/verdict-help.js';
import { describeDefault, describeFlags } from '../../src/config/describe.js';
import { CHECK_OPTIONS } from '../../src/config/options-commands.js';
import { read } from '../shell/repository.js';

const FAILS: Readonly<Record<FailsByDefault, string>> = { yes: 'yes', inside: 'inside', no: '' };

const TABLE = [
  '| verdict | fails | means | what to do |',
  '|---|---|---|---|',
  ...VERDICTS.map((verdict) => {
    const { fails, meaning, advice } = VERDICT_HELP[verdict];
    return `| \`${verdict}\` | ${FAILS[fails]} | ${code(meaning)} | ${code(advice)} |`;
  }),
].join('\n');

/** Options stand in code in the docs. */
function code(text: string): string {
  return text.replace(/--[a-z-]+/g, '`$&`');
}

describe('docs/CHECK.md', () => {
  const text = read('docs/CHECK.md');

  it('has the table of verdicts that reports speak by', () => {
    expect(/<!-- verdicts: .* -->\n([\s\S]*)\n<!-- \/verdicts -->/.exec(text)?.[1]).toBe(TABLE);
  });

  it('has a row for every option that only a check takes, with its default', () => {
    const table = /<!-- options: .* -->\n([\s\S]*)\n<!-- \/options -->/.exec(text)![1]!;
    const rows = table.split('\n').slice(2);
    const wanted = Object.values(CHECK_OPTIONS).map((spec) => {
      const usual = describeDefault(spec) ?? 'off';
      return `| \`${describeFlags(spec)}\` | ${usual.length > 30 ? 'see below' : usual} |`;
    });
    expect(rows.map((row) => row.split(' | ').slice(0, 2).join(' | ').concat(' |')).slice(0, wanted.length)).toEqual(
      wanted,
    );
  });

  it('has a chapter for every format', () => {
    const chapters = [...text.matchAll(/^### (.*)$/gm)].flatMap(([, title]) => title!.match(/\w+(?=`)/g) ?? []);
    expect(chapters).toEqual([...CHECK_FORMATS]);
  });
});

describe('the verdicts that fail by default', () => {
  it('are those that no second look could change, and inside also what is down', () => {
    const failing = (fails: FailsByDefault) => VERDICTS.filter((verdict) => VERDICT_HELP[verdict].fails === fails);
    expect(failing('yes').sort()).toEqual(
      [
        'dead',
        'dns',
        'insecure',
        'invalid_url',
        'malformed_html',
        'missing_fragment',
        'redirect_limit',
        'redirect_loop',
      ].sort(),
    );
    expect(failing('inside').sort()).toEqual(['connection', 'server_error', 'timeout', 'tls']);
  });

  it('all need attention: none that fails is called fine', () => {
    expect(
      VERDICTS.filter(
        (verdict) => VERDICT_HELP[verdict].fails !== 'no' && VERDICT_HELP[verdict].weight !== 'attention',
      ),
    ).toEqual([]);
  });
});
