import { describe, expect, it } from 'vitest';
import { compareFindings, type Finding } from '../../src/diff/findings.js';
import { compareBytes } from '../../src/diff/order.js';

const finding = (rule: string, url: string, target: string | null = null, detail = ''): Finding => ({
  ...{ rule, severity: 'notice', url, target, detail },
});

describe('findings of two crawls', () => {
  it('come and go by rule, page and target, whatever their words', () => {
    const before = [
      finding('broken_link', '1', '8', 'old words'),
      finding('broken_link', '1', '9'),
      finding('broken_link', '2', '9'),
      finding('title_missing', '1'),
      finding('deep', '9'),
    ];
    const after = [
      finding('broken_link', '1', '8', 'new words'),
      finding('broken_link', '2', '7'),
      finding('broken_link', '2', '9'),
      finding('title_missing', '1'),
      finding('thin', '0'),
    ];
    const changes = [...compareFindings(before.values(), after.values())];
    expect(changes.map(({ change, rule, url, target }) => `${change} ${rule} ${url} ${target}`)).toEqual([
      'went broken_link 1 9',
      'came broken_link 2 7',
      'went deep 9 null',
      'came thin 0 null',
    ]);
  });

  it('all come where there were none, and all go where there are none', () => {
    const some = [finding('thin', '1'), finding('thin', '2')];
    expect([...compareFindings([].values(), some.values())].map(({ change }) => change)).toEqual(['came', 'came']);
    expect([...compareFindings(some.values(), [].values())].map(({ change }) => change)).toEqual(['went', 'went']);
  });
});

describe('the order of URLs', () => {
  it('is that of their bytes, as SQLite sorts them', () => {
    const texts = ['b', 'a', '\u{1f600}', '\uff5e', 'ä', '', 'aa'];
    const byBytes = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect([...texts].sort(compareBytes)).toEqual(byBytes);
  });
});
