import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENT_CODES } from '../../src/watch/events.js';
import { METRICS } from '../../src/watch/metrics.js';

const read = (path: string): string => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

/** Parts of a histogram are named after it. */
const wholeName = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
const namesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/\bgossamer_[a-z_]+/g)].map(([name]) => wholeName(name)));

interface Panel {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string; refId: string }[];
}

describe('the dashboard for Grafana', () => {
  const dashboard = JSON.parse(read('grafana/gossamer.json')) as { panels: Panel[]; uid: string };
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

  it('asks for every metric there is, and for none that there is not', () => {
    expect([...namesIn(expressions.join('\n'))].sort()).toEqual(Object.keys(METRICS).sort());
  });

  it('has panels with ids of their own that stand beside each other, and questions with closed brackets', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { x, w } of dashboard.panels.map(({ gridPos }) => gridPos)) {
      expect(x + w).toBeLessThanOrEqual(24);
    }
    for (const expression of expressions) {
      const count = (character: string) => expression.split(character).length;
      expect([count('('), count('{'), count('[')], expression).toEqual([count(')'), count('}'), count(']')]);
    }
  });
});

describe('WATCHING.md', () => {
  const text = read('WATCHING.md');

  it('describes every metric, and none that there is not', () => {
    const described = [...text.matchAll(/^\| `(gossamer_[a-z_]+)/gm)].map(([, name]) => name);
    expect(described).toEqual(Object.keys(METRICS));
  });

  it('describes every code of the log with its level', () => {
    const described = [...text.matchAll(/^\| `([a-z_]+)` \| (error|warn|info|debug) \|/gm)].map(([, code, level]) => [
      code,
      level,
    ]);
    expect(described).toEqual(Object.entries(EVENT_CODES).map(([code, [level]]) => [code, level]));
  });
});
