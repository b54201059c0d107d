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

/**
 * Every error code of JSONata, in words. `{expected}` is a symbol of the grammar and `{index}` the number of an argument.
 * JSONata's own messages are not used, since they quote values of the message.
 */
export const ERROR_TEXTS: Readonly<Record<string, string>> = {
  S0101: 'a text has no closing quote',
  S0102: 'the number is out of range',
  S0103: 'a text has an escape sequence that JSONata does not know',
  S0104: '`\\u` must be followed by 4 hex digits',
  S0105: 'a quoted name has no closing backquote',
  S0106: 'a comment has no closing `*/`',
  S0201: 'an operator, or the end of the expression, was expected here',
  S0202: 'expected {expected}',
  S0203: 'expected {expected}',
  S0204: 'unknown operator',
  S0205: 'unexpected token',
  S0206: 'unknown kind of expression',
  S0207: 'the expression ends too early: a value is missing',
  S0208: 'a parameter of a function must be a variable name, such as `$x`',
  S0209: 'a filter `[…]` cannot follow a grouping `{…}`',
  S0210: 'a step can have only one grouping `{…}`',
  S0211: 'a value was expected in place of this symbol',
  S0212: 'the left side of `:=` must be a variable name, such as `$x`',
  S0213: 'a number, boolean or null cannot be a step of a path',
  S0214: 'the right side must be a variable name, such as `$x`',
  S0215: 'a variable binding must come before the filters of its step',
  S0216: 'a variable binding must come before the `^(…)` of its step',
  S0217: '`%` has no parent here',
  S0301: 'a regular expression is empty',
  S0302: 'a regular expression has no closing `/`',
  S0401: 'only functions and arrays have type parameters in a signature',
  S0402: 'a choice in a signature cannot have type parameters',
  S0500: 'the expression has a syntax error',
  T0410: 'argument {index} of the function has the wrong type',
  T0411: 'the function was called without argument {index}, and the context is not a value it takes',
  T0412: 'argument {index} of the function must be an array of one type',
  D1001: 'the result is a number out of range',
  D1002: 'only a number can be negated',
  T1003: 'the name of a field must be a text',
  D1004: 'a regular expression matches an empty text',
  T1005: 'this is not a function: a function’s name begins with `$`',
  T1006: 'this is not a function',
  T1007: 'this is not a function: a function’s name begins with `$`',
  T1008: 'this is not a function',
  D1009: 'two fields of an object have the same name',
  T1010: 'a matcher function returned the wrong structure',
  D1011: 'a function calls itself too often',
  D1012: 'the expression took too long',
  D1013: 'the name of a field must not begin with `_jsonata_`',
  T2001: 'the left side of the operator must be a number',
  T2002: 'the right side of the operator must be a number',
  T2003: 'the left side of `..` must be an integer',
  T2004: 'the right side of `..` must be an integer',
  D2005: 'the left side of `:=` must be a variable name, such as `$x`',
  T2006: 'the right side of `~>` must be a function',
  T2007: '`^(…)` cannot compare values of two types',
  T2008: '`^(…)` sorts by numbers or texts only',
  T2009: 'both sides of the operator must have the same type',
  T2010: 'both sides of the operator must be numbers or texts',
  T2011: 'the update of a transform must be an object',
  T2012: 'the deletion of a transform must be a text or an array of texts',
  T2013: '`$clone` was replaced by something that is not a function',
  D2014: 'a range `..` has at most 10,000,000 numbers',
  D2015: 'a sequence is too long',
  D3001: 'Infinity and NaN cannot be converted to text',
  D3010: '`$replace` cannot look for an empty text',
  D3011: 'the limit of `$replace` must be a positive number',
  D3012: '`$replace` can only insert a text',
  D3020: 'the limit of `$split` must be a positive number',
  D3030: 'the value cannot become a number',
  D3040: 'the limit of `$match` must be a positive number',
  D3050: '`$reduce` needs a function with at least two parameters',
  D3060: '`$sqrt` needs a number that is not negative',
  D3061: 'the result of `$power` is a number out of range',
  D3070: '`$sort` without a function sorts only texts or only numbers',
  D3080: 'a number picture has at most two parts',
  D3081: 'a number picture has more than one decimal separator',
  D3082: 'a number picture has more than one percent sign',
  D3083: 'a number picture has more than one per-mille sign',
  D3084: 'a number picture has both a percent and a per-mille sign',
  D3085: 'a number picture has no digit',
  D3086: 'a number picture has other characters between its digits',
  D3087: 'a number picture has a grouping separator beside the decimal separator',
  D3088: 'the integer part of a number picture ends with a grouping separator',
  D3089: 'a number picture has two grouping separators in a row',
  D3090: 'the integer part of a number picture has an optional digit after a required one',
  D3091: 'the fraction of a number picture has a required digit after an optional one',
  D3092: 'a number picture has a percent or per-mille sign and an exponent',
  D3093: 'the exponent of a number picture must have digits only',
  D3100: 'the base of `$formatBase` must be from 2 to 36',
  D3110: 'the value is not an ISO 8601 timestamp',
  D3120: 'an expression in a text has a syntax error',
  D3121: 'an expression in a text failed',
  D3130: 'the number format is not supported',
  D3131: 'the digits of a number format are from two scripts',
  D3132: 'a date picture has a component that JSONata does not know',
  D3133: 'only months and days of a date picture can be names',
  D3134: 'the time zone of a date picture has at most four digits',
  D3135: 'a date picture has no closing `]`',
  D3136: 'a date picture lacks what is needed to read the timestamp',
  D3137: 'the expression called `$error`',
  D3138: '`$single` found more than one match',
  D3139: '`$single` found no match',
  D3140: 'the text cannot be encoded or decoded as a URL',
  D3141: 'an `$assert` of the expression does not hold',
};
