import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVENT_CODES, EventHub, type RunEvent } from '../../src/watch/events.js';
import { LogFile } from '../../src/watch/log-file.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gossamer-log-'));
  path = join(folder, 'run.log');
});

afterEach(() => rmSync(folder, { recursive: true }));

const neverFails = (error: Error): void => {
  throw error;
};
const lines = () =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const event = (fields: Partial<RunEvent> = {}): RunEvent => ({
  ...{ at: Date.UTC(2026, 10, 18), level: 'info', code: 'notice', message: 'hello', fields: {} },
  ...fields,
});

describe('a log file', () => {
  it('has a line for each event, behind what was there', async () => {
    writeFileSync(path, '{"code":"earlier"}\n');
    const log = new LogFile(path, neverFails);
    log.write(event());
    log.write(event({ code: 'retry', fields: { url: 'http://a.test/', afterMs: 5 } }));
    await log.close(0);
    expect(lines()).toEqual([
      { code: 'earlier' },
      { time: '2026-11-18T00:00:00.000Z', level: 'info', code: 'notice', message: 'hello' },
      {
        ...{ time: '2026-11-18T00:00:00.000Z', level: 'info', code: 'retry', message: 'hello' },
        ...{ url: 'http://a.test/', afterMs: 5 },
      },
    ]);
  });

  it('keeps what a page says in its line, and harmless for whoever prints it', async () => {
    const log = new LogFile(path, neverFails);
    const message = 'a\n{"code":"run_ended"}\u001b[2J\u202e\u0085';
    log.write(event({ message }));
    await log.close(0);
    const text = readFileSync(path, 'utf8');
    expect(text.trimEnd()).toMatch(/^[\x20-\x7e]*$/);
    expect(lines()).toMatchObject([{ message }]);
  });

  it('has its own four keys, whatever the fields are called', async () => {
    const log = new LogFile(path, neverFails);
    log.write(event({ fields: { code: 'forged', level: 'none', time: 0, message: '', url: 'x' } }));
    await log.close(0);
    expect(lines()).toEqual([
      { time: '2026-11-18T00:00:00.000Z', level: 'info', code: 'notice', message: 'hello', url: 'x' },
    ]);
  });

  it('leaves out what the disk is too slow for, and says how much that was', async () => {
    const log = new LogFile(path, neverFails);
    const long = event({ message: 'x'.repeat(1024 * 1024) });
    // Nothing is written before this turn is over.
    for (let i = 0; i < 10; i++) {
      log.write(long);
    }
    expect(log.dropped).toBeGreaterThanOrEqual(5);
    const left = log.dropped;
    await log.close(event().at);
    const written = lines();
    expect(written).toHaveLength(10 - left + 1);
    expect(written.at(-1)).toMatchObject({ code: 'log_dropped', level: 'warn', lines: left });
  });

  it('that cannot be opened is refused', () => {
    expect(() => new LogFile(join(folder, 'none', 'run.log'), neverFails)).toThrow('--log-file cannot be written');
  });
});

describe('events', () => {
  it('are told to those who want their level, and to nobody else', () => {
    const hub = new EventHub(() => 7);
    const told: string[] = [];
    expect(hub.wants('run_failed')).toBe(false);
    hub.on('warn', ({ code, level, at }) => told.push(`warn: ${level} ${code} ${at}`));
    expect([hub.wants('run_failed'), hub.wants('page_failed'), hub.wants('retry')]).toEqual([true, true, false]);
    hub.on('info', ({ code }) => told.push(`info: ${code}`));
    for (const code of ['run_failed', 'page_failed', 'retry', 'page_done'] as const) {
      hub.tell(code, 'text');
    }
    expect(told).toEqual([
      'warn: error run_failed 7',
      'info: run_failed',
      'warn: warn page_failed 7',
      'info: page_failed',
      'info: retry',
    ]);
  });

  it('have these codes: one that goes, or gets another level, breaks whoever reads logs', () => {
    expect(Object.entries(EVENT_CODES).map(([code, [level]]) => `${level} ${code}`)).toEqual([
      'info run_began',
      'info round_began',
      'info run_ended',
      'error run_failed',
      'debug page_done',
      'debug page_skipped',
      'warn page_failed',
      'info retry',
      'info sitemap_read',
      'info seed_redirected',
      'warn host_deferred',
      'warn crawl_delay_long',
      'warn robots_unanswered',
      'warn sitemaps_cut',
      'warn trap_cut',
      'error thread_died',
      'info governed',
      'info told',
      'error dashboard_failed',
      'info notice',
      'warn log_dropped',
    ]);
  });
});
