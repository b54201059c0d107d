import type { ChoiceRule } from './choice.ts';
import type { StateError } from './state-error.ts';
import type { Fields } from './state-fields.ts';

/** The values of variables, by their names without `$`. */
export type Variables = Readonly<Record<string, unknown>>;

/** The data that a state can read. */
export interface Scope {
  /** The input of the state, as the state before passed it on. */
  readonly input: unknown;
  readonly variables: Variables;
  /** The context object of Step Functions. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** The data with which a state ends. */
export interface Ended {
  readonly output: unknown;
  /** The values that the state assigns. */
  readonly assigned: Variables;
}

/** The failure of a state, as `Catch` gives it to the next state. */
export interface ErrorOutput {
  readonly Error: string;
  readonly Cause: string;
}

/** How a query language reads and writes the data of states. */
export interface StateData {
  /** Returns the failure of a state whose field has a wrong value. */
  fault(cause: string): StateError;
  /** Returns what a task or its branches get. */
  argumentsOf(fields: Fields, scope: Scope): Promise<unknown>;
  /** Returns the value of a field such as `Seconds`, which may be computed; `undefined` if the state has none. */
  valueOf(fields: Fields, name: string, scope: Scope): Promise<unknown>;
  /** Returns the items of a map. */
  itemsOf(fields: Fields, scope: Scope): Promise<unknown>;
  /** Returns what the processor of a map gets for an item. The context of the scope has the item. */
  itemInput(fields: Fields, item: unknown, scope: Scope): Promise<unknown>;
  /** Whether the condition of a rule holds. */
  holds(rule: ChoiceRule, fields: Fields, scope: Scope): Promise<boolean>;
  /** Ends a state that has no result. @param fields those of the state, or of a rule of a choice */
  end(fields: Fields, scope: Scope): Promise<Ended>;
  /** Ends a pass state. */
  endPass(fields: Fields, scope: Scope): Promise<Ended>;
  /** Ends a state with a result. */
  endWith(fields: Fields, result: unknown, scope: Scope): Promise<Ended>;
  /** Ends a state whose failure is caught. @param fields those of the catcher */
  endCaught(fields: Fields, error: ErrorOutput, scope: Scope): Promise<Ended>;
}
