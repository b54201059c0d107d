import { runInThisContext } from 'node:vm';
import jsonata from '#jsonata';
import { errorText } from '../../../../lib/webhooks/mapping/mapper.ts';

/** JSONata, as far as it parses. */
type Parser = (expression: string) => unknown;
let parser: Parser | undefined;

function load(): Parser {
  const module: { exports: unknown } = { exports: {} };
  return runInThisContext(`((module, exports) => { ${jsonata}\n return module.exports; })`)(module, module.exports);
}

/** Matches texts, quoted names, comments and regular expressions, in which any symbol may stand. */
const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|\/\*[\s\S]*?\*\/|(?<=[(,:]\s*)\/(?:\\.|[^/\\])+\//g;
/** The operators that are newer than the JSONata of Step Functions. */
const NEWER = /\?\?|\?:/;

/** Returns why Step Functions would not accept an expression, such as "line 1, column 3: expected `)`". */
export function syntaxFault(expression: string): string | undefined {
  const [newer] = NEWER.exec(expression.replaceAll(QUOTED, '""')) ?? [];
  if (newer !== undefined)
    return `the operator ${newer} is newer than the JSONata of Step Functions: write $exists(a) ? a : b`;
  try {
    parser ??= load();
    parser(expression);
    return undefined;
  } catch (error) {
    const { code = '', position = 0, token, value }: Record<string, unknown> = Object(error);
    const expected = code === 'S0202' || code === 'S0203' ? { expected: String(value) } : {};
    const shown = token === undefined ? {} : { token: String(token) };
    const failure = { kind: 'failed', code: String(code), position: Number(position), ...shown, ...expected } as const;
    return errorText(expression, failure, { quotes: true });
  }
}
