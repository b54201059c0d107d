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
  const root = lazy(() => treeOf(text));
  return ({ pointer, code = '' }) => {
    const fault = syntaxFault();
    if (fault) return fault;
    let found = root();
    for (const step of pointer.split('/').slice(1)) {
      const next = found.children.get(step.replaceAll('~1', '/').replaceAll('~0', '~'));
      if (!next) return positionOf()(found.value);
      found = next;
    }
    return positionOf()(KEY_FAULTS.includes(code) ? (found.key ?? found.value) : found.value);
  };
}

/** Where a value of a JSON text and its key begin. Of equal keys, the last is the one too many. */
interface JsonNode {
  value: number;
  key: number | undefined;
  readonly children: Map<string, JsonNode>;
}

function treeOf(text: string): JsonNode {
  const root: JsonNode = { value: 0, key: undefined, children: new Map() };
  const path = [root];
  for (const { kind, index, depth, name } of jsonSteps(text)) {
    const parent = path[depth - 1];
    const known = parent ? parent.children.get(name) : root;
    const node = known ?? { value: index, key: undefined, children: new Map() };
    parent?.children.set(name, node);
    node[kind] = index;
    path[depth] = node;
  }
  return root;
}
