import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Runs a step of SQLite, or does something else in its place. */
type Run = <T>(sql: string, work: () => T) => T;

/** A database every step of which goes through a function. To prepare a statement is none. */
export function throughSteps(database: DatabaseSync, run: Run): DatabaseSync {
  return new Proxy(database, {
    get(target, name) {
      if (name === 'exec') return (sql: string) => run(sql, () => target.exec(sql));
      if (name === 'prepare') return (sql: string) => statement(target.prepare(sql), sql, run);
      return Reflect.get(target, name, target);
    },
  });
}

function statement(prepared: StatementSync, sql: string, run: Run): StatementSync {
  return new Proxy(prepared, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) => run(sql, () => Reflect.apply(member, target, values));
    },
  });
}

/** Where something happens: at which step, and before or after it. */
export interface Moment {
  readonly step: number;
  readonly when: 'before' | 'after';
}

/** Lets something happen at a moment, which mostly ends the step. */
export function at(moment: Moment, happen: () => void): Run {
  let step = 0;
  return (_sql, work) => {
    const isHere = ++step === moment.step;
    if (isHere && moment.when === 'before') happen();
    const result = work();
    if (isHere && moment.when === 'after') happen();
    return result;
  };
}
