/** The names of failures of a wait that are no problem of the project. */
export const WAIT_ENDS = {
  /** The project is not in the wished state yet. */
  waiting: 'Segue.Waiting',
  /** The wait has taken as long as it may. */
  timedOut: 'Segue.WaitTimedOut',
} as const;
type WaitEndName = (typeof WAIT_ENDS)[keyof typeof WAIT_ENDS];

/** The error of a look at a project that is not in the wished state. Step Functions shows its name as `Error`. */
export class WaitEnd extends Error {
  override readonly name: WaitEndName;
  /** Empty, because Lambda would add the stack trace to the cause. */
  override readonly stack = '';

  constructor(name: WaitEndName) {
    super(name === WAIT_ENDS.waiting ? 'The project is not in the wished state yet.' : 'The wait has timed out.');
    this.name = name;
  }
}
