/** The most bytes of the input and output of a state, as JSON. */
export const MAX_STATE_BYTES = 262_144;

/** A failure of a state, with the name and the cause that Step Functions reports. */
export class StateError extends Error {
  override readonly name: string;

  constructor(name: string, cause: string) {
    super(cause);
    this.name = name;
  }
}

/** A definition that Step Functions refuses, or that the interpreter does not support. */
export class DefinitionError extends Error {}

/** Fails an execution at a value that a path or an intrinsic function cannot take. No `States.ALL` catches it. */
export function runtimeError(cause: string): StateError {
  return new StateError('States.Runtime', cause);
}

/** The failure of a JSONata expression. */
export function queryError(cause: string): StateError {
  return new StateError('States.QueryEvaluationError', cause);
}
