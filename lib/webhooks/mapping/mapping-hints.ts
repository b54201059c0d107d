import type { Fault } from '../../contract/faults.ts';
import { Problem } from '../../contract/problem.ts';
import { isExpected } from '../../contract/schema-faults.ts';

const LIST_HINT =
  'JSONata makes one value of a list with one entry. To keep the list, write [] after the path, such as items[].{ "content": text }.';
const EMPTY_HINT =
  'JSONata leaves a field out if its path finds nothing. If a message has no entries, return no command: items ? { "put": … }. Test with samples of no entry and of one entry, too.';
const FIELD_HINT =
  'JSONata leaves a field out if its path finds nothing. Inside a path, names are relative: write $$.body for the message.';
const COMMAND_HINT =
  'A mapping returns { "put": <project> }, { "create": <project> }, { "delete": { … } }, an array of such commands, or nothing.';

/** The pointers at which a mapping that returns no command has a wrong type: the command itself, and its deletion. */
const COMMAND_POINTERS: readonly string[] = ['', '/delete'];

/** Adds to the faults of a problem how a mapping avoids them, if it can be told. Returns any other error as it is. */
export function withMappingHints(error: unknown): unknown {
  if (!(error instanceof Problem) || !error.occurrence.errors?.some(hintOf)) return error;
  const errors = error.occurrence.errors.map((fault) => {
    const hint = hintOf(fault);
    return hint === undefined ? fault : { ...fault, detail: `${fault.detail} ${hint}` };
  });
  return new Problem(error.name, { ...error.occurrence, errors });
}

function hintOf(fault: Fault): string | undefined {
  if (fault.code === 'too-few') return EMPTY_HINT;
  const isWrongType = fault.code === 'wrong-type' || isExpected('object', fault);
  if (isWrongType && COMMAND_POINTERS.includes(fault.pointer)) return COMMAND_HINT;
  if (fault.code === 'required') return isExpected('array', fault) ? EMPTY_HINT : FIELD_HINT;
  return isExpected('array', fault) ? LIST_HINT : undefined;
}
