import { ERROR_TEXTS } from './error-texts.ts';
import type { RunResult } from './sandbox-program.ts';

/** An error of JSONata. */
export type ExpressionError = Extract<RunResult, { kind: 'failed' }>;

const UNKNOWN = 'the expression fails here';
/** Symbols of the grammar; a longer text would not be one. */
const SYMBOL = /^[^\s\p{L}\p{N}\p{C}]{1,3}$/u;
/** Nothing that a terminal would act on. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,40}$/u;

/**
 * An error in words, with its place: "line 1, column 21: expected `}`".
 * @param quotes whether the text may quote the expression: only where its author reads it
 */
export function errorText(
  expression: string,
  error: ExpressionError,
  { quotes }: { readonly quotes: boolean },
): string {
  const { code, expected = '', index, token = '' } = error;
  const words = (ERROR_TEXTS[code] ?? UNKNOWN)
    .replace('{expected}', SYMBOL.test(expected) ? `\`${expected}\`` : 'another symbol')
    .replace(' {index}', index === undefined ? '' : ` ${index}`);
  const isQuoted = quotes && token !== END && PRINTABLE.test(token);
  return `${placeOf(expression, error)}: ${words}${isQuoted ? `, near \`${token}\`` : ''}`;
}

/** What JSONata calls the end of an expression. */
const END = '(end)';

/** Line and column of an error. Its position is behind the token, or the `(` or quote that follows it. */
function placeOf(expression: string, { position, token = '' }: ExpressionError): string {
  const before = expression.slice(0, startOf(expression, position, token));
  const lines = before.split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

function startOf(expression: string, position: number, token: string): number {
  if (token === END) return expression.trimEnd().length;
  const start = token === '' ? -1 : expression.lastIndexOf(token, position - 1);
  if (start === -1 || start < position - token.length - 2) return Math.max(0, position - 1);
  return start > 0 && /[$"'`]/.test(expression.charAt(start - 1)) ? start - 1 : start;
}
