import * as z from 'zod/mini';
import { LanguageAnswer } from '../contract/answers.ts';
import { allLanguages } from '../contract/languages.ts';
import type { Route } from '../contract/routes.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { type EncodedText, encodeText } from '../service/encoded-text.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
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
    json ??= encodeText(JSON.stringify(allLanguages()));
    return { status: 200, json: await json };
  });
}

export const listLanguagesDocs = (): OperationDocs => ({
  tag: 'Languages',
  description: 'Returns every language that a project can use, with its id and code.',
  answers: [
    {
      status: 200,
      description: 'Every language.',
      schema: z.array(LanguageAnswer),
      example: allLanguages().slice(0, 2),
    },
  ],
  schemas: { Language: LanguageAnswer },
});
