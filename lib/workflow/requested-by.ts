import type { RequestedBy } from '../contract/receipt.ts';

/** `arn:…:states:…:execution:<machine>:<execution>`; of a map `<machine>/<label>`, and express executions end in one more id. */
const EXECUTION_ARN = /^arn:[\w-]+:states:[\w-]*:\d*:(?:execution|express):([\w-]{1,80})(?:\/[\w-]+)?:([^:]+)/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The workflow that a task works for, by what its state machine's definition passes on. The machine's name is its owner's.
 * Whoever starts an execution may give it any name, which is recorded nowhere: only one that Step Functions chose is.
 * @param executionId `$$.Execution.Id`
 */
export function requestedByWorkflow(executionId: string | undefined): RequestedBy {
  const [, machine, execution = ''] = EXECUTION_ARN.exec(executionId ?? '') ?? [];
  if (machine === undefined) return { kind: 'workflow', id: null };
  return { kind: 'workflow', id: UUID.test(execution) ? `${machine}:${execution}` : machine };
}
