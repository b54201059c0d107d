/** The operators of C that such expressions have, the loosest first. */
const LEVELS: readonly Readonly<Record<string, (one: number, other: number) => number>>[] = [
  { '||': (one, other) => Number(one !== 0 || other !== 0) },
  { '&&': (one, other) => Number(one !== 0 && other !== 0) },
  { '==': (one, other) => Number(one === other), '!=': (one, other) => Number(one !== other) },
  {
    '<=': (one, other) => Number(one <= other),
    '>=': (one, other) => Number(one >= other),
    '<': (one, other) => Number(one < other),
    '>': (one, other) => Number(one > other),
  },
  { '+': (one, other) => one + other, '-': (one, other) => one - other },
  { '*': (one, other) => one * other, '/': (one, other) => Math.trunc(one / other), '%': (one, other) => one % other },
];

const TOKEN = /\s*(\d{1,9}|n|\|\||&&|[=!<>]=|[-+*/%<>!?:()])/y;
/** The longest expression, in tokens. So none is nested deeply. */
const MAX_TOKENS = 200;

/** Returns the number of the form for a number of things. It is no number if the expression divides by 0. */
export type Compiled = (n: number) => number;

/** Compiles the expression of `Plural-Forms`, such as `n != 1`. @returns `undefined` if the text is not such an expression */
export function compilePlural(expression: string): Compiled | undefined {
  const tokens = tokensOf(expression);
  if (!tokens) return undefined;
  let at = 0;
  const take = (token: string) => tokens[at] === token && at++ >= 0;

  function choice(): Compiled | undefined {
    const condition = binary(0);
    if (!condition || !take('?')) return condition;
    const yes = choice();
    if (!yes || !take(':')) return undefined;
    const no = choice();
    return no && ((n) => (condition(n) !== 0 ? yes(n) : no(n)));
  }

  function binary(level: number): Compiled | undefined {
    const operators = LEVELS[level];
    if (!operators) return unary();
    let left = binary(level + 1);
    for (let operator = operators[tokens?.[at] ?? '']; left && operator; operator = operators[tokens?.[at] ?? '']) {
      at++;
      const [one, combine, other] = [left, operator, binary(level + 1)];
      left = other && ((n) => combine(one(n), other(n)));
    }
    return left;
  }

  function unary(): Compiled | undefined {
    if (take('!')) {
      const value = unary();
      return value && ((n) => Number(value(n) === 0));
    }
    if (take('(')) {
      const value = choice();
      return take(')') ? value : undefined;
    }
    const token = tokens?.[at++] ?? '';
    if (token === 'n') return (n) => n;
    return /^\d/.test(token) ? () => Number(token) : undefined;
  }

  const compiled = choice();
  return at === tokens.length ? compiled : undefined;
}

function tokensOf(expression: string): string[] | undefined {
  const tokens: string[] = [];
  const text = expression.trim();
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined || tokens.length === MAX_TOKENS) return undefined;
    tokens.push(token);
  }
  return tokens;
}
