import { describe, expect, it } from 'vitest';
import { everyVerdict, linkOf, reportOf, sourceOf, textOf } from './fixture.js';
import { HOSTILE, hostileReport } from './hostile.js';

/** A reader by RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const match = cell.exec(text);
    if (match === null) {
      throw new Error(`no CSV at ${JSON.stringify(text.slice(at, at + 80))}`);
    }
    row.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] === '\r\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

const HEADER = [
  ...['url', 'fragment', 'verdict', 'fails', 'status', 'finalUrl'],
  ...['page', 'line', 'column', 'text', 'href', 'unchecked', 'suggestion', 'remappedFrom'],
];

describe('the report in CSV', () => {
  it('has a row for each place', () => {
    const sources = [sourceOf(), sourceOf({ page: 'docs/a.md', line: null, column: null, text: 'a, "b"' })];
    expect(
      readCsv(
        textOf(
          'csv',
          reportOf([
            linkOf('missing_fragment', {
              fragment: 'x',
              status: 200,
              sources,
              suggestion: 'https://a.test/new',
              remappedFrom: 'https://b.test/old',
            }),
          ]),
        ),
      ),
    ).toEqual([
      HEADER,
      [
        'https://a.test/old',
        'x',
        'missing_fragment',
        'true',
        '200',
        '',
        'https://a.test/',
        '12',
        '5',
        'The old page',
        'old',
        '',
        'https://a.test/new',
        'https://b.test/old',
      ],
      [
        'https://a.test/old',
        'x',
        'missing_fragment',
        'true',
        '200',
        '',
        'docs/a.md',
        '',
        '',
        'a, "b"',
        'old',
        '',
        'https://a.test/new',
        'https://b.test/old',
      ],
    ]);
  });

  it('has a row also for a link whose places are not listed', () => {
    const rows = readCsv(textOf('csv', everyVerdict()));
    expect(rows.at(-1)).toEqual(['https://a.test/22', '', 'ok', 'false', ...Array(10).fill('')]);
  });

  it('has no cell that a spreadsheet would run, take apart or refuse, whatever the text is', () => {
    const rows = readCsv(textOf('csv', hostileReport()));
    expect(rows).toHaveLength(1 + HOSTILE.length * 4);
    for (const row of rows) {
      expect(row).toHaveLength(HEADER.length);
      for (const cell of row) {
        expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
        expect(cell).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/);
        expect(cell.length).toBeLessThan(32_767);
      }
    }
    expect(rows.some((row) => row[9] === `'${HOSTILE[7]}`)).toBe(true);
  });
});
