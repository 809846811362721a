import { describe, expect, it } from 'vitest';
import { shellWord } from '../../src/base/text.js';

describe('a word of a command that is shown', () => {
  it.each([
    ['gossamer-data/example.com', 'gossamer-data/example.com'],
    ['my crawl', "'my crawl'"],
    ["it's", `'it'\\''s'`],
    ['C:\\crawl', "'C:\\crawl'"],
  ])('%s is %s for a shell of POSIX', (text, word) => {
    expect(shellWord(text, 'linux')).toBe(word);
  });

  it.each([
    ['C:\\crawls\\example.com', 'C:\\crawls\\example.com'],
    ['C:\\my crawls\\a', '"C:\\my crawls\\a"'],
    ['C:\\my crawls\\', '"C:\\my crawls\\\\"'],
    ['a&b', '"a&b"'],
  ])('%s is %s for the shells of Windows', (text, word) => {
    expect(shellWord(text, 'win32')).toBe(word);
  });
});
