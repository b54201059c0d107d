import { jsonSteps } from './json-steps.ts';
import { findSyntaxFault } from './json-syntax.ts';
import { lazy } from './lazy.ts';
import { positionsIn, type TextPosition } from './text-position.ts';

/** The codes of faults that are in the key of a member, and not in its value. */
const KEY_FAULTS: readonly string[] = ['unknown-field', 'service-field', 'duplicate-key'];

/** Where in a JSON text a fault is. */
export interface JsonPlace {
  /** The JSON pointer of a value. */
  readonly pointer: string;
  /** The code of the fault: some codes are faults of the key. */
  readonly code?: string;
}

/**
 * Returns a function that finds the place of a fault in a JSON text. A value that is absent is at the innermost object
 * or list around it. In a text that is not JSON, every fault is where it is not.
 */
export function jsonPlaces(text: string): (place: JsonPlace) => TextPosition {
  const positionOf = lazy(() => positionsIn(text));
  const syntaxFault = lazy(() => findSyntaxFault(text));
  const pointers = lazy(() => indexesOfPointers(text));
  return ({ pointer, code = '' }) => {
    const fault = syntaxFault();
    if (fault) return fault;
    const { keys, values } = pointers();
    const index = (KEY_FAULTS.includes(code) ? keys.get(pointer) : undefined) ?? nearest(values, pointer);
    return positionOf()(index);
  };
}

/** Returns where the keys and the values of a JSON text begin, by their pointers. */
function indexesOfPointers(text: string) {
  const [keys, values] = [new Map<string, number>(), new Map<string, number>()];
  for (const { kind, index, pointer } of jsonSteps(text)) {
    const indexes = kind === 'key' ? keys : values;
    // The last of equal keys is the one too many.
    indexes.set(pointer(), index);
  }
  return { keys, values };
}

/** Returns the index of a value, or of the innermost object or list around a value that is absent. */
function nearest(values: ReadonlyMap<string, number>, pointer: string): number {
  for (let known = pointer; ; known = known.slice(0, known.lastIndexOf('/'))) {
    const index = values.get(known);
    if (index !== undefined || known === '') return index ?? 0;
  }
}
