import { isListExpected } from '../../contract/faults.ts';
import { Problem } from '../../contract/problem.ts';

const LIST_HINT =
  'JSONata makes one value of a list with one entry. To keep the list, write [] after the path, such as items[].{ "content": text }.';

/** Adds to the faults of lists in a problem how the mapping keeps a list that has only one entry. Returns any other error as it is. */
export function withListHints(error: unknown): unknown {
  if (!(error instanceof Problem) || !error.occurrence.errors?.some(isListExpected)) return error;
  const errors = error.occurrence.errors.map((fault) =>
    isListExpected(fault) ? { ...fault, detail: `${fault.detail} ${LIST_HINT}` } : fault,
  );
  return new Problem(error.name, { ...error.occurrence, errors });
}
