import { describe, expect, it } from 'vitest';
import { WaitingWork } from '../../src/crawl/waiting-work.js';

describe('work that waits for its turn with the frontier', () => {
  it('runs in the order in which it came, pieces of pages behind all else', async () => {
    const waiting = new WaitingWork(() => false);
    const ran: string[] = [];
    const note = (what: string) => async () => {
      ran.push(what);
      return what;
    };
    const answers = [waiting.addPiece(note('piece')), waiting.add(note('first')), waiting.add(note('second'))];
    while (!waiting.isEmpty) {
      await waiting.runNext(false);
    }
    expect(ran).toEqual(['first', 'second', 'piece']);
    expect(await Promise.all(answers)).toEqual(['piece', 'first', 'second']);
  });

  it('lets one piece a second go while memory is short, and holds up nothing else', async () => {
    let isShort = true;
    const waiting = new WaitingWork(() => isShort);
    void waiting.addPiece(async () => 1);
    void waiting.addPiece(async () => 2);
    expect(waiting.isReady(false)).toBe(true);
    await waiting.runNext(false);
    expect(waiting.isReady(false)).toBe(false);
    void waiting.add(async () => 3);
    expect(waiting.isReady(false)).toBe(true);
    await waiting.runNext(false);
    expect(waiting.isReady(false)).toBe(false);
    expect(waiting.tick()).toBe(true);
    expect(waiting.isReady(false)).toBe(true);
    await waiting.runNext(false);
    expect(waiting.isEmpty).toBe(true);
    isShort = false;
    expect(waiting.tick()).toBe(false);
  });

  it('runs what only brings URLs in where there is no place for results, and leaves the rest for later', async () => {
    const waiting = new WaitingWork(() => false);
    const ran: string[] = [];
    void waiting.add(async () => ran.push('rendered'));
    void waiting.addPiece(async () => ran.push('piece'));
    expect(waiting.isReady(true)).toBe(false);
    await waiting.runNext(true);
    void waiting.addAdmission(async () => ran.push('added'));
    expect(waiting.isReady(true)).toBe(true);
    await waiting.runNext(true);
    expect(ran).toEqual(['added']);
    expect(waiting.isReady(true)).toBe(false);
    expect(waiting.isReady(false)).toBe(true);
  });

  it('tells who added it what went wrong, and throws it too', async () => {
    const waiting = new WaitingWork(() => false);
    const answer = waiting.add(() => Promise.reject(new Error('the store broke')));
    const told = expect(answer).rejects.toThrow('the store broke');
    await expect(waiting.runNext(false)).rejects.toThrow('the store broke');
    await told;
  });

  it('answers nobody once the run is over, neither those who wait nor those who come', async () => {
    const waiting = new WaitingWork(() => false);
    const first = expect(waiting.add(async () => 1)).rejects.toThrow('the run is over');
    waiting.close();
    await first;
    await expect(waiting.addPiece(async () => 2)).rejects.toThrow('the run is over');
    expect(waiting.isEmpty).toBe(true);
    await waiting.runNext(false);
  });
});
