import { describe, expect, it } from 'vitest';
import { compareFindings, type Finding } from '../../src/diff/findings.js';
import { compareBytes } from '../../src/diff/order.js';

const finding = (rule: string, url: string, detail = ''): Finding => ({ rule, url, detail });

describe('findings of two crawls', () => {
  it('come and go by rule and URL, whatever their words', () => {
    const before = [finding('a', '1', 'old words'), finding('a', '2'), finding('b', '1'), finding('c', '9')];
    const after = [finding('a', '1', 'new words'), finding('a', '3'), finding('b', '1'), finding('d', '0')];
    const changes = [...compareFindings(before.values(), after.values())];
    expect(changes.map(({ change, rule, url }) => `${change} ${rule} ${url}`)).toEqual([
      'went a 2',
      'came a 3',
      'went c 9',
      'came d 0',
    ]);
  });

  it('all come where there were none, and all go where there are none', () => {
    const some = [finding('a', '1'), finding('a', '2')];
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
