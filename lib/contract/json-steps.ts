import { pointerTo } from './pointer.ts';
import { endOfQuoted } from './quoted.ts';

/** A key or a value of a JSON text. */
export interface JsonStep {
  readonly kind: 'key' | 'value';
  /** The index of its first character in the text. */
  readonly index: number;
  /** Whether the object already has this key. */
  readonly isRepeated: boolean;
  /** How many objects and arrays are around it. */
  readonly depth: number;
  /** The last step of its path: a key, or an index of an array; empty for the whole value. */
  readonly name: string;
  /** Returns the path of the value, or of the value that the key names. Call it before the next step. */
  readonly path: () => (string | number)[];
  /** Returns the path as a JSON pointer. Call it before the next step. */
  readonly pointer: () => string;
}

/** A symbol, the first quote of a string, or any other value. */
const TOKEN = /[{}[\],:"]|[^\s{}[\],:"]+/g;

/**
 * Returns every key and every value of a JSON text in order, and an object or array before its content. It is slow, so
 * call it only if the text has a fault.
 * @param text valid JSON; repeated keys are allowed
 */
export function* jsonSteps(text: string): Generator<JsonStep> {
  const open: Container[] = [];
  const path = () => open.map(({ step }) => step);
  const pointer = () => pointerTo(path());
  for (const { symbol, index } of tokensOf(text)) {
    const container = open.at(-1);
    if (symbol === '}' || symbol === ']') open.pop();
    else if (symbol === ',' && container) advance(container);
    else if (symbol === ':' && container) container.expectsKey = false;
    else if (container?.expectsKey) {
      const key: unknown = JSON.parse(text.slice(index, endOfQuoted(text, index)));
      container.step = String(key);
      const isRepeated = container.keys.has(container.step);
      yield { kind: 'key', index, isRepeated, depth: open.length, name: container.step, path, pointer };
      container.keys.add(container.step);
    } else {
      const name = String(container?.step ?? '');
      yield { kind: 'value', index, isRepeated: false, depth: open.length, name, path, pointer };
      if (symbol === '{') open.push({ kind: 'object', keys: new Set(), expectsKey: true, step: '' });
      if (symbol === '[') open.push({ kind: 'array', keys: new Set(), expectsKey: false, step: 0 });
    }
  }
}

function* tokensOf(text: string): Generator<{ readonly symbol: string; readonly index: number }> {
  const tokens = new RegExp(TOKEN);
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const { 0: symbol, index } = found;
    yield { symbol, index };
    if (symbol === '"') tokens.lastIndex = endOfQuoted(text, index) ?? text.length;
  }
}

/** An object or array whose end has not been read yet. */
interface Container {
  readonly kind: 'object' | 'array';
  readonly keys: Set<string>;
  /** Whether the next string is a key of the object. */
  expectsKey: boolean;
  /** The key or index of the value that is being read. */
  step: string | number;
}

function advance(container: Container): void {
  if (container.kind === 'object') container.expectsKey = true;
  else container.step = Number(container.step) + 1;
}
