import { only } from '../contract/answers.ts';
import * as failures from '../contract/failures.ts';
import { PublishedTargetLanguage } from '../contract/published-project.ts';
import { checkLanguageChange, LanguageChange } from '../contract/translations.ts';
import { readOperationIdempotency } from '../http/idempotency-key.ts';
import { jsonBody } from '../http/middleware/body.ts';
import { callContext } from '../http/operation.ts';
import { decodeSegment } from '../http/project-ref.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { TranslationChanges } from '../service/port.ts';
import * as example from './docs/examples.ts';
import { KEY, type OperationDocs } from './docs/operation-docs.ts';
import { onProject, projectRoutes } from './on-project.ts';
import { BODY, CHANGE, CHANGE_PROBLEMS } from './route-parts.ts';

export const changeLanguageRoutes = /* @__PURE__ */ projectRoutes({
  ...CHANGE,
  id: 'changeLanguage',
  path: '/languages/{languageCode}',
  summaries: ['Start or stop the work on a target language', 'Start or stop the work on a language by custom id'],
  body: 'language-change',
  problems: [...BODY, ...CHANGE_PROBLEMS, 'invalid-language-change', 'language-not-found'],
});

export const changeLanguage = /* @__PURE__ */ onProject(
  changeLanguageRoutes,
  async (request, readRef, service: TranslationChanges) => {
    const requested = checkLanguageChange(request.body);
    const { idempotency, headers } = readOperationIdempotency(request);
    const ref = readRef();
    const languageCode = decodeSegment(request.segment('languageCode'));
    if (languageCode === undefined) throw failures.languageNotFound();
    if (!service.changeLanguage) throw failures.notSupported();
    const call = { ...callContext(request), idempotency };
    const language = await service.changeLanguage(ref, languageCode, requested, call);
    return { status: 200, headers, json: await encodeText(JSON.stringify(language)), hasEffect: true };
  },
  /* @__PURE__ */ jsonBody('language-change'),
);

export const changeLanguageDocs = (): OperationDocs => ({
  tag: 'Translations',
  description:
    'Sets the state of a target language. `InProgress` starts the work, and tries a failed automatic translation again. `InPreparation` stops the work.',
  request: { schema: LanguageChange, example: { state: 'InProgress' } },
  headers: [KEY],
  answers: [
    {
      status: 200,
      description: 'The target language.',
      schema: PublishedTargetLanguage,
      example: example.project.targetLanguages[0],
      headers: ['Idempotent-Replayed'],
    },
  ],
  result: {
    language: only(PublishedTargetLanguage, 'After a target language was changed: the language in its current state.'),
  },
  schemas: { LanguageChange },
});
