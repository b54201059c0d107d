import { PROBLEM_TYPES, PROBLEMS, type ProblemType } from './problems.ts';

/** What a workflow should do about a failure: try again, find out what happened, or give up. */
export const FAILURE_CLASSES = ['Retryable', 'Unknown', 'Terminal'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** A failure's name in a state machine, for `Retry` and `Catch`. */
export type FailureName = `Segue.${FailureClass}.${ProblemType}`;

/** The class of a problem. */
export function failureClass(type: ProblemType): FailureClass {
  const { retryable, outcome } = PROBLEMS[type];
  return retryable ? 'Retryable' : outcome === 'unknown' ? 'Unknown' : 'Terminal';
}

/** The name that a problem has in `ErrorEquals`. */
export function failureName(type: ProblemType): FailureName {
  return `Segue.${failureClass(type)}.${type}`;
}

type Entries = typeof PROBLEMS;
type TerminalEntry = { readonly retryable: false; readonly outcome: 'not-applied' | 'applied' };

/** The problems that the same input ends in again, and of which it is known what became of it. */
export type TerminalType = { [T in ProblemType]: Entries[T] extends TerminalEntry ? T : never }[ProblemType];

export const TERMINAL_TYPES: readonly TerminalType[] = PROBLEM_TYPES.filter(isTerminal);

/** Whether a problem is terminal. */
export function isTerminal(type: ProblemType): type is TerminalType {
  return failureClass(type) === 'Terminal';
}
