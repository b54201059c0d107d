import { DefinitionError } from './state-error.ts';

type Test = (value: unknown) => boolean;
type Term = (value: unknown) => unknown;

const TOKEN =
  /\s*(?:(&&|\|\||[()]|==|!=|<=|>=|<|>|!)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?)|(true|false|null)|(@(?:\.[\p{L}\p{N}_-]+|\[[^\]]*\])*))/uy;

type Ordered = number | string;

/** Returns a comparison that holds only for two numbers, or two texts. */
const ordered =
  (holds: (a: Ordered, b: Ordered) => boolean) =>
  (a: unknown, b: unknown): boolean => {
    if (typeof a === 'number' && typeof b === 'number') return holds(a, b);
    return typeof a === 'string' && typeof b === 'string' && holds(a, b);
  };

const COMPARE: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': ordered((a, b) => a < b),
  '<=': ordered((a, b) => a <= b),
  '>': ordered((a, b) => a > b),
  '>=': ordered((a, b) => a >= b),
};

/**
 * Parses the filter of a path, such as `(@.price < 10 && @.kind == 'book')`.
 * @param path the whole path, for errors
 * @param fieldOf parses a path from the filtered value, which begins with `$`
 * @throws {DefinitionError} if it has anything but comparisons of fields and literals, `&&`, `||`, `!` and brackets
 */
export function parseFilter(text: string, path: string, fieldOf: (path: string) => Term): Test {
  const tokens = tokensOf(text, path);
  const refuse = (): never => {
    throw new DefinitionError(
      `the filter in the path ${path} is not supported: compare fields such as @.price with literals, and join comparisons with &&, || and !`,
    );
  };
  const test = or();
  return tokens.length === 0 ? test : refuse();

  function or(): Test {
    const left = and();
    if (!take('||')) return left;
    const right = or();
    return (value) => left(value) || right(value);
  }
  function and(): Test {
    const left = unary();
    if (!take('&&')) return left;
    const right = and();
    return (value) => left(value) && right(value);
  }
  function unary(): Test {
    if (take('!')) {
      const inner = unary();
      return (value) => !inner(value);
    }
    if (take('(')) {
      const inner = or();
      return take(')') ? inner : refuse();
    }
    const left = term();
    const compare = COMPARE[tokens[0] ?? ''];
    if (!compare) return (value) => left(value) !== undefined;
    tokens.shift();
    const right = term();
    return (value) => compare(left(value), right(value));
  }
  function term(): Term {
    const token = tokens.shift() ?? refuse();
    if (token.startsWith('@')) return fieldOf(`$${token.slice(1)}`);
    if (/^['"]/.test(token)) {
      const literal = token.slice(1, -1).replaceAll(/\\(.)/g, '$1');
      return () => literal;
    }
    if (!/^(?:-?\d|true$|false$|null$)/.test(token)) return refuse();
    const literal: unknown = JSON.parse(token);
    return () => literal;
  }
  function take(symbol: string): boolean {
    if (tokens[0] !== symbol) return false;
    tokens.shift();
    return true;
  }
}

function tokensOf(text: string, path: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  let at = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    tokens.push(match[0].trim());
    at = TOKEN.lastIndex;
  }
  if (text.slice(at).trim() !== '') throw new DefinitionError(`the filter in the path ${path} is invalid`);
  return tokens;
}
