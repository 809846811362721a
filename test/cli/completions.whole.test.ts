import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript, SHELLS, type Shell } from '../../src/cli/completions.js';
import { temporaryFolder } from '../crawl/support.js';

/** What each shell offers after Tab is asked of the shell itself. */

const folder = temporaryFolder();
beforeAll(() => {
  mkdirSync(join(folder.path, 'kept crawl'));
  writeFileSync(join(folder.path, 'seeds.txt'), '');
  writeFileSync(join(folder.path, 'odd *.txt'), '');
  for (const shell of SHELLS) {
    writeFileSync(join(folder.path, `completions.${shell}`), completionScript(shell));
  }
});
afterAll(() => folder.remove());

const hasShell = (shell: Shell): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

function run(shell: Shell, script: string): string {
  const { status, stdout, stderr } = spawnSync(shell, [...(shell === 'fish' ? ['--no-config'] : []), '-c', script], {
    cwd: folder.path,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}

/** Lines as they stand when Tab is pressed, and what is then offered, or a part of it. */
const OFFERED: readonly { line: string; offers: readonly string[]; never?: string }[] = [
  { line: 'gossamer cra', offers: ['crawl'] },
  { line: 'gossamer crawl --parse-w', offers: ['--parse-workers'] },
  { line: 'gossamer check --work', offers: ['--workers'], never: '--parse-workers' },
  { line: 'gossamer check --format ju', offers: ['junit'] },
  { line: 'gossamer export d --format ', offers: ['sitemap', 'csv'], never: 'junit' },
  { line: 'gossamer crawl -i see', offers: ['seeds.txt'] },
  { line: 'gossamer completions z', offers: ['zsh'] },
];

describe.skipIf(!hasShell('bash'))('in bash, or with the reason that it is not installed', () => {
  const offered = (line: string): string[] => {
    const words = line.split(' ').map((word) => `'${word}'`);
    return run(
      'bash',
      `. ./completions.bash; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _gossamer; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ).split('\n');
  };
  it.each(OFFERED)('$line', ({ line, offers, never }) => {
    const found = offered(line);
    expect(found).toEqual(expect.arrayContaining([...offers]));
    expect(found).not.toContain(never);
  });

  it('a value behind =, a name with a space and one with a star are each one word', () => {
    expect(offered('gossamer check --format = ju')).toEqual(['junit', '']);
    expect(offered('gossamer crawl --report csv = see')).toEqual(['seeds.txt', '']);
    expect(offered('gossamer status kep')).toEqual(['kept crawl', '']);
    expect(offered('gossamer crawl -i odd')).toEqual(['odd *.txt', '']);
  });
});

describe.skipIf(!hasShell('fish'))('in fish, where it is installed', () => {
  it.each(OFFERED)('$line', ({ line, offers, never }) => {
    const found = run('fish', `source completions.fish; complete -C '${line}'`)
      .split('\n')
      .map((each) => each.split('\t')[0]);
    expect(found).toEqual(expect.arrayContaining([...offers]));
    expect(found).not.toContain(never);
  });
});

describe.skipIf(!hasShell('zsh'))('in zsh, where it is installed', () => {
  it('the script is one that zsh can read, with a function for each thing that it names', () => {
    run('zsh', 'autoload -Uz compinit; compinit -D -u; source ./completions.zsh; (( $+functions[_gossamer] ))');
    expect(completionScript('zsh')).toContain(
      `'(--parse-workers)--parse-workers=[How many threads fetch and parse]:value: '`,
    );
  });
});
