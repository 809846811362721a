import { expect, it } from 'vitest';
import { manual } from '../../src/cli/manual.js';
import { COMMANDS } from '../../src/config/commands.js';
import { OPTION_KEYS, specOf } from '../../src/config/options.js';

const lines = manual().split('\n');

it('the manual has every command, and every option once for each meaning', () => {
  for (const command of COMMANDS) {
    expect(lines).toContain(`.B gossamer ${command}`);
  }
  const options = lines.slice(lines.indexOf('.SH OPTIONS'), lines.indexOf('.SH PRESETS'));
  const terms = options.filter((line) => line.startsWith('.B ')).map((line) => line.replaceAll('\\-', '-'));
  for (const key of OPTION_KEYS) {
    const flag = new RegExp(`(?<![\\w-])--(?:no-)?${specOf(key).flag}(?![\\w-])`);
    // Commands may give one flag two meanings, such as --nodes.
    const meanings = OPTION_KEYS.filter((other) => specOf(other).flag === specOf(key).flag);
    expect(
      terms.filter((term) => flag.test(term)),
      key,
    ).toHaveLength(meanings.length);
  }
});

it('no sentence is taken for a request to the formatter', () => {
  const requests = lines.filter((line) => /^[.']/.test(line));
  expect(requests.filter((line) => !/^\.(?:TH|SH|SS|TP|B|br|PP|EX|EE)(?: |$)/.test(line))).toEqual([]);
  expect(lines.filter((line) => /\\[^e&-]/.test(line))).toEqual([]);
});
