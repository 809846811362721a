import { StateError } from '../base/errors.js';
import type { Database, SqlValue, Statement } from './sqlite.js';
import { LEGAL_MOVES, STATE_NAMES, type UrlState } from './url-state.js';

/**
 * Every statement that changes the state of a URL is built here, from the states that it leads from and to. A pair that LEGAL_MOVES does not
 * have is refused: where both states are known beforehand, before the statement is prepared; else before it is run. A condition on the old
 * state is part of each statement, so that no row can make a move that was not asked for.
 */

/** `betweenRuns`: no run is under way, and the next one is prepared. */
export type MoveTime = 'anytime' | 'betweenRuns';

export interface Move {
  /** Rows in other states stay as they are. */
  from: UrlState | readonly UrlState[];
  to: UrlState;
  when?: MoveTime;
  /** What else is set, in SQL. */
  set?: string;
  /** Which rows, in SQL; for `UrlMove` what has to hold of the URL beside its id and state. */
  where?: string;
}

export const isLegalMove = (from: UrlState, to: UrlState, when: MoveTime = 'anytime'): boolean =>
  LEGAL_MOVES[from].anytime.includes(to) || (when === 'betweenRuns' && LEGAL_MOVES[from].betweenRuns.includes(to));

/** Moves all rows that a condition names. Returns how many those were. */
export function moveAll(database: Database, move: Move, ...values: SqlValue[]): number {
  return Number(database.prepare(moveSql(move, [])).run(...values).changes);
}

/** Moves one URL a time. Its id is ?1 in SQL; the values that a call hands over follow it. */
export class UrlMove {
  readonly #database: Database;
  readonly #move: Move;
  readonly #statement: Statement;

  constructor(database: Database, move: Move & { returning?: string }) {
    this.#database = database;
    this.#move = move;
    const returning = move.returning === undefined ? '' : ` RETURNING ${move.returning}`;
    this.#statement = database.prepare(moveSql(move, ['id = ?1']) + returning);
  }

  /** False where the URL is not in a state that the move leads from, or the condition does not hold. */
  try(id: number, ...values: SqlValue[]): boolean {
    return Number(this.#statement.run(id, ...values).changes) === 1;
  }

  /** Throws where `try` is false. */
  run(id: number, ...values: SqlValue[]): void {
    if (!this.try(id, ...values)) {
      this.#refuse(id);
    }
  }

  /** The same, with what `returning` asks for. */
  // biome-ignore lint/suspicious/noExplicitAny: the row has the shape that `returning` gives it
  get(id: number, ...values: SqlValue[]): any {
    return this.#statement.get(id, ...values) ?? this.#refuse(id);
  }

  #refuse(id: number): never {
    const { from, to } = this.#move;
    const row = this.#database.prepare('SELECT state FROM urls WHERE id = ?').get(id);
    const now = row === undefined ? 'not in the store' : STATE_NAMES[row.state as UrlState];
    const first = statesOf(from)[0]!;
    throw new StateError(
      'illegal_move',
      `URL ${id} should go from ${STATE_NAMES[first]} to ${STATE_NAMES[to]} but is ${now}`,
    );
  }
}

/** Writes rows whose state has been read, and that may move or stay: what is set follows the id (?1), the old state and the new one. */
export class RowMove {
  readonly #statement: Statement;

  constructor(database: Database, set: string) {
    this.#statement = database.prepare(`UPDATE urls SET state = ?3, ${set} WHERE id = ?1 AND state = ?2`);
  }

  run({ id, state }: { id: number; state: UrlState }, to: UrlState, ...values: SqlValue[]): void {
    refuseIllegal(state, to, 'anytime');
    if (Number(this.#statement.run(id, state, to, ...values).changes) !== 1) {
      throw new StateError('illegal_move', `URL ${id} is no longer ${STATE_NAMES[state]}`);
    }
  }
}

function moveSql({ from, to, when = 'anytime', set, where }: Move, conditions: readonly string[]): string {
  const states = statesOf(from);
  for (const state of states) {
    refuseIllegal(state, to, when);
  }
  // The states are written out: with parameters in their place no partial index could be used.
  const inState = states.length === 1 ? `state = ${states[0]}` : `state IN (${states.join(', ')})`;
  const which = [...conditions, inState, ...(where === undefined ? [] : [`(${where})`])].join(' AND ');
  return `UPDATE urls SET state = ${to}${set === undefined ? '' : `, ${set}`} WHERE ${which}`;
}

/** A row that stays in its state makes no move. */
function refuseIllegal(from: UrlState, to: UrlState, when: MoveTime): void {
  if (from !== to && !isLegalMove(from, to, when)) {
    throw new StateError('illegal_move', `a URL cannot go from ${STATE_NAMES[from]} to ${STATE_NAMES[to]}`);
  }
}

const statesOf = (states: UrlState | readonly UrlState[]): readonly UrlState[] =>
  typeof states === 'number' ? [states] : states;
