import type { Fault } from './fault.ts';
import { pointerTo } from './pointer.ts';

/**
 * Finds the keys that stand twice in an object. Slow and only for the answer to a body known to have some.
 * @param text valid JSON
 * @param most how many to find
 */
export function duplicateKeys(text: string, most: number): Fault[] {
  const faults: Fault[] = [];
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;
  const open: Container[] = [];
  for (const [symbol] of text.matchAll(token)) {
    const container = open.at(-1);
    if (symbol === '{') open.push({ kind: 'object', keys: new Set(), expectsKey: true, step: '' });
    else if (symbol === '[') open.push({ kind: 'array', keys: new Set(), expectsKey: false, step: 0 });
    else if (symbol === '}' || symbol === ']') open.pop();
    else if (symbol === ',' && container) advance(container);
    else if (symbol === ':' && container) container.expectsKey = false;
    else if (container?.expectsKey) {
      const key: unknown = JSON.parse(symbol);
      container.step = String(key);
      if (container.keys.has(container.step)) {
        const pointer = pointerTo(open.map(({ step }) => step));
        faults.push({ pointer, code: 'duplicate-key', detail: 'The object already has this key.' });
        if (faults.length === most) return faults;
      }
      container.keys.add(container.step);
    }
  }
  return faults;
}

interface Container {
  readonly kind: 'object' | 'array';
  readonly keys: Set<string>;
  expectsKey: boolean;
  /** The key or index being read. */
  step: string | number;
}

function advance(container: Container): void {
  if (container.kind === 'object') container.expectsKey = true;
  else container.step = Number(container.step) + 1;
}
