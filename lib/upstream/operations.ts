import type { ProblemType } from '../contract/problems.ts';
import type { Exchange } from './transport.ts';

/** What the service is asked for, and which of its answers mean what. */
export interface Operation {
  readonly method: Exchange['method'];
  readonly success: readonly number[];
  /** Problems of the contract that are passed on under their own name. */
  readonly passesOn: readonly ProblemType[];
}

export const CREATE: Operation = {
  method: 'POST',
  success: [200, 201],
  passesOn: ['custom-id-in-use', 'invalid-project', 'team-without-translator'],
};
export const READ: Operation = { method: 'GET', success: [200], passesOn: ['project-not-found'] };
export const LIST: Operation = { method: 'GET', success: [200], passesOn: [] };
export const DELETE: Operation = {
  method: 'DELETE',
  success: [200, 202, 204],
  passesOn: ['project-not-found', 'task-not-found'],
};

/** Whether a lost answer leaves open what was done. */
export function changesSomething({ method }: Operation): boolean {
  return method !== 'GET';
}
