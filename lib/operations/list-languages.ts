import { LANGUAGES } from '../contract/languages.ts';
import type { Route } from '../contract/routes.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { type EncodedText, encodeText } from '../service/encoded-text.ts';
import { READ } from './route-parts.ts';

export const listLanguagesRoute = {
  ...READ,
  id: 'listLanguages',
  function: 'pages',
  path: '/integrations/languages',
  summary: 'List languages',
  query: [],
  problems: ['unexpected-body'],
} as const satisfies Route;

/** Makes the handler of `GET /integrations/languages`. */
export function listLanguages(options: OperationOptions): OperationHandler {
  // The catalogue never changes while the process runs, so encode it only once.
  let json: Promise<EncodedText> | undefined;
  return operation(listLanguagesRoute, options, async () => {
    json ??= encodeText(JSON.stringify(LANGUAGES));
    return { status: 200, json: await json };
  });
}
