import { nearest } from '../../../../lib/contract/nearest.ts';
import { errorText } from '../../../../lib/webhooks/mapping/mapper.ts';
import { FUNCTION_NAMES } from './function-names.data.ts';
import type { ExpressionFailure } from './jsonata-program.ts';

/** The failures that are not errors of JSONata itself. */
const OTHER: Readonly<Record<string, string>> = {
  undefined: 'returned nothing (undefined)',
  'no-value': 'returned a value that JSON cannot hold',
  'not-json': 'failed: the text that $parse gets is not JSON',
  'too-long': 'failed: it made a text or an array that is too long',
  other: 'failed: it cannot be evaluated',
};

/** The codes of a call of something that is no function. */
const NO_FUNCTION = ['T1005', 'T1006'];

/** Says why an expression failed, and where in it. */
export function expressionFailure({ expression, ...failure }: ExpressionFailure): string {
  const { code, token = '', position = 0, message } = failure;
  if (message !== undefined) return message;
  if (OTHER[code] !== undefined) return OTHER[code];
  const text = errorText(expression, { ...failure, position }, { quotes: true });
  return `failed: ${text}${NO_FUNCTION.includes(code) && token !== '' ? functionHint(token) : ''}`;
}

function functionHint(name: string): string {
  if (name === 'eval') return ': Step Functions has no $eval, so use $parse for a text of JSON';
  const [near = ''] = nearest(name, FUNCTION_NAMES, 1);
  return `: there is no function $${name}${near === '' ? '' : `, and the nearest is $${near}`}`;
}
