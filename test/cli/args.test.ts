import { describe, expect, test } from 'vitest';
import { SeedError, StateError, UsageError } from '../../src/base/errors.js';
import { parseArgs } from '../../src/cli/args.js';
import { describeFailure, exitCodeOf, simplifiedExitCode, wantsExitSimple } from '../../src/cli/exit.js';

describe('flags and arguments', () => {
  test.each([['-w50'], ['-w', '50'], ['--workers=50'], ['--workers', '50'], ['--concurrency', '50']])(
    '%s %s sets the workers',
    (...flags) => {
      expect(parseArgs(['crawl', ...flags, 'a.test'])).toEqual({
        command: 'crawl',
        positionals: ['a.test'],
        flags: { workers: '50' },
        help: false,
        version: false,
      });
    },
  );

  test('options may stand before the command and between arguments', () => {
    const { command, positionals, flags } = parseArgs(['-q', 'crawl', 'a.test', '--depth', '2', 'b.test']);
    expect({ command, positionals, flags }).toEqual({
      command: 'crawl',
      positionals: ['a.test', 'b.test'],
      flags: { quiet: true, depth: '2' },
    });
  });

  test('short switches may be joined, the last with its value', () => {
    expect(parseArgs(['crawl', '-qkw7', 'a.test']).flags).toEqual({ quiet: true, insecure: true, workers: '7' });
  });

  test('an option whose value may be left out takes it behind = alone', () => {
    const { positionals, flags } = parseArgs(['crawl', '--dashboard', 'a.test']);
    expect({ positionals, flags }).toEqual({ positionals: ['a.test'], flags: { dashboard: '0' } });
    expect(parseArgs(['crawl', 'a.test', '--dashboard=8080']).flags).toEqual({ dashboard: '8080' });
  });

  test('a flag may be a switch of one command and have a value for another', () => {
    expect(parseArgs(['split', 'kept', '--nodes', '4'])).toMatchObject({
      positionals: ['kept'],
      flags: { clusterNodes: '4' },
    });
    expect(parseArgs(['--nodes', '4', 'split', 'kept'])).toMatchObject({
      command: 'split',
      flags: { clusterNodes: '4' },
    });
    expect(parseArgs(['graph', '--nodes', 'kept'])).toMatchObject({ positionals: ['kept'], flags: { nodes: true } });
    expect(parseArgs(['--nodes', 'graph', 'kept'])).toMatchObject({ command: 'graph', flags: { nodes: true } });
  });

  test('repeatable options keep every value in order, others the last', () => {
    const { flags } = parseArgs([
      'crawl',
      '--include',
      'a',
      '--include=b',
      '-d',
      '1',
      '-d',
      '2',
      '-H',
      'A: 1',
      '-HB: 2',
    ]);
    expect(flags).toEqual({ include: ['a', 'b'], depth: '2', headers: ['A: 1', 'B: 2'] });
  });

  test('every switch has a --no- form, and the last one counts', () => {
    expect(
      parseArgs(['crawl', '--no-governor', '--no-auto-tune', '--http2', '--no-http2', '--no-color']).flags,
    ).toEqual({
      governor: false,
      autoTune: false,
      http2: false,
      color: false,
    });
  });

  test('a lone - is an argument, and all that follows -- is too', () => {
    expect(parseArgs(['crawl', '-']).positionals).toEqual(['-']);
    expect(parseArgs(['crawl', '--', '--depth', '-x']).positionals).toEqual(['--depth', '-x']);
    expect(parseArgs(['crawl', '-i', '-']).flags).toEqual({ seedsFiles: ['-'] });
  });

  test('a negative value reaches the bounds check instead of being taken for a flag', () => {
    expect(parseArgs(['crawl', '--delay', '-5']).flags).toEqual({ delayMs: '-5' });
  });

  test.each(['-dead', '-soft_404,+moved', '-tls'])('--fail-on takes %s, with a space as with =', (value) => {
    for (const given of [['--fail-on', value], [`--fail-on=${value}`]]) {
      const { flags, positionals } = parseArgs(['check', ...given, 'a.test']);
      expect({ flags, positionals }).toEqual({ flags: { failOn: value }, positionals: ['a.test'] });
    }
  });

  test('help and version need no command', () => {
    expect(parseArgs(['--help'])).toMatchObject({ command: null, help: true });
    expect(parseArgs(['-V'])).toMatchObject({ command: null, version: true });
    expect(parseArgs(['resume', '-h'])).toMatchObject({ command: 'resume', help: true });
    expect(parseArgs(['help', 'export'])).toMatchObject({ command: 'export', help: true });
    expect(parseArgs([])).toMatchObject({ command: null, help: false });
  });
});

describe('refusals, each in one sentence and with exit code 2', () => {
  test.each([
    ['crawl --dealy 5', 'unknown option --dealy; did you mean --delay?'],
    ['crawl --worker 5', 'unknown option --worker; did you mean --workers?'],
    ['crawl --no-governer', 'unknown option --no-governer; did you mean --no-governor?'],
    ['crawl --xyzzy', 'unknown option --xyzzy'],
    ['crawl -z', 'unknown option -z'],
    ['crawl --constructor', 'unknown option --constructor'],
    ['crwal a.test', 'unknown command crwal; did you mean crawl?'],
    ['https://a.test/', 'https://a.test/ is not a command; did you mean gossamer crawl https://a.test/?'],
    ['crawl --redis=x', '--redis is not part of this version: a crawl on several machines has --redis-url'],
    ['crawl --cert f', 'unknown option --cert; you may mean --client-cert'],
    ['crawl --load-cookies f', 'unknown option --load-cookies; you may mean --cookie-jar'],
    ['crawl --netrc', 'unknown option --netrc; you may mean --auth-file'],
    ['crawl --rate-limit 4', '--rate-limit does not exist: use --delay, 4 a second = 1000/4 ms: --delay 250'],
    ['crawl --rate-limit=3', '--rate-limit does not exist: use --delay, 3 a second = 1000/3 ms: --delay 334'],
    ['crawl --rate-limit', '--rate-limit does not exist: use --delay, N a second = 1000/N ms'],
    ['crawl --delay', '--delay needs a value'],
    ['crawl --delay --workers 5', '--delay needs a value'],
    ['crawl --include -dead', '--include needs a value'],
    ['check a --fail-on', '--fail-on needs a value'],
    ['check a --fail-on --quiet', '--fail-on needs a value'],
    ['check a --fail-on -q', '--fail-on needs a value'],
    ['check a --fail-on -w50', '--fail-on needs a value'],
    ['check a --fail-on -A Me', '--fail-on needs a value'],
    ['crawl --assets=yes', '--assets takes no value, got yes'],
    [
      '-w 5',
      'name a command before -w; one of crawl, check, docs, md, resume, join, cluster, add, preview, export, graph, diff, audit, explain, robots, status, list, search, show, serve, mcp, split, merge, delete, completions',
    ],
    ['resume', '`gossamer resume` needs <dir>'],
    ['resume a b', '`gossamer resume` takes only <dir>, got also b'],
    ['resume a --scope any', '--scope cannot be changed on resume: seeds, scope and identity stay as they were'],
    ['resume a -A me', '-A cannot be changed on resume: seeds, scope and identity stay as they were'],
    [
      'export a --delay 5',
      '--delay is an option of `gossamer crawl`, `gossamer check`, `gossamer docs`, `gossamer resume`, `gossamer join`, `gossamer preview`, not of `gossamer export`',
    ],
    [
      'crawl a --fail-on +moved',
      '--fail-on is an option of `gossamer check`, `gossamer resume`, `gossamer audit`, not of `gossamer crawl`',
    ],
    [
      'check a --json',
      '--json is an option of `gossamer crawl`, `gossamer docs`, `gossamer md`, `gossamer resume`, `gossamer join`, `gossamer cluster`, `gossamer add`, `gossamer preview`, `gossamer graph`, `gossamer explain`, `gossamer robots`, `gossamer status`, `gossamer list`, `gossamer search`, `gossamer show`, `gossamer split`, `gossamer merge`, not of `gossamer check`',
    ],
    ['check a --assets', '--assets is an option of `gossamer crawl`, `gossamer preview`, not of `gossamer check`'],
    ['resume a --recheck b', '--recheck is an option of `gossamer check`, not of `gossamer resume`'],
  ])('%s', (line, message) => {
    expect(() => parseArgs(line.split(' '))).toThrow(new UsageError(message));
  });

  test('control characters of an argument do not reach the terminal', () => {
    expect(() => parseArgs(['\u001b[31mred'])).toThrow('unknown command \ufffd[31mred');
  });
});

describe('exit codes', () => {
  test('follow from the error', () => {
    const errors = [new UsageError('x'), new StateError('x', 'x'), new SeedError('x'), new TypeError('x')];
    expect(errors.map(exitCodeOf)).toEqual([2, 3, 4, 3]);
  });

  test('are all 1 with --exit-simple, but for success', () => {
    expect([0, 1, 2, 3, 4, 130].map((code) => simplifiedExitCode(code, true))).toEqual([0, 1, 1, 1, 1, 1]);
    expect([0, 2, 130].map((code) => simplifiedExitCode(code, false))).toEqual([0, 2, 130]);
  });

  test('--exit-simple is seen although the rest of the command line is wrong', () => {
    expect(wantsExitSimple(['crawl', '--dealy', '--exit-simple'], {})).toBe(true);
    expect(wantsExitSimple(['crawl', '--', '--exit-simple'], {})).toBe(false);
    expect(wantsExitSimple(['crawl'], { GOSSAMER_EXIT_SIMPLE: 'yes' })).toBe(true);
    expect(wantsExitSimple(['crawl', '--no-exit-simple'], { GOSSAMER_EXIT_SIMPLE: '1' })).toBe(false);
  });

  test('a failure is one sentence, its causes are shown when asked for, and a defect shows its stack', () => {
    const error = new StateError('disk', 'cannot write', { cause: new Error('ENOSPC') });
    expect(describeFailure(error, false)).toEqual(['cannot write']);
    expect(describeFailure(error, true)).toEqual(['cannot write', 'caused by Error: ENOSPC']);
    expect(describeFailure(new TypeError('oops'), false).join('\n')).toMatch(/defect[\s\S]*TypeError: oops\nat /);
  });
});
