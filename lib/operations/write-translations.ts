import * as z from 'zod/mini';
import { only } from '../contract/answers.ts';
import { notSupported } from '../contract/failures.ts';
import { LIMITS } from '../contract/limits.ts';
import {
  checkTranslations,
  TranslationEntry,
  TranslationsRequest,
  WrittenTranslation,
} from '../contract/translations.ts';
import { readOperationIdempotency } from '../http/idempotency-key.ts';
import { jsonBody } from '../http/middleware/body.ts';
import { callContext } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { TranslationChanges } from '../service/port.ts';
import * as example from './docs/examples.ts';
import { KEY, type OperationDocs } from './docs/operation-docs.ts';
import { onProject, projectRoutes } from './on-project.ts';
import { BODY, CHANGE, CHANGE_PROBLEMS } from './route-parts.ts';

export const writeTranslationsRoutes = /* @__PURE__ */ projectRoutes({
  ...CHANGE,
  id: 'writeTranslations',
  path: '/translations',
  summaries: ['Write translations of a project', 'Write translations of a project by its custom id'],
  body: 'translations',
  problems: [...BODY, ...CHANGE_PROBLEMS, 'invalid-translations', 'translation-changed'],
});

export const writeTranslations = /* @__PURE__ */ onProject(
  writeTranslationsRoutes,
  async (request, readRef, service: TranslationChanges) => {
    const entries = checkTranslations(request.body);
    const { idempotency, headers } = readOperationIdempotency(request);
    const ref = readRef();
    if (!service.writeTranslations) throw notSupported();
    const written = await service.writeTranslations(ref, entries, { ...callContext(request), idempotency });
    return { status: 200, headers, json: await encodeText(JSON.stringify(written)), hasEffect: true };
  },
  /* @__PURE__ */ jsonBody('translations'),
);

export const writeTranslationsDocs = (): OperationDocs => ({
  tag: 'Translations',
  description: `Writes up to ${LIMITS.translations.toLocaleString('en')} translations. If one entry is invalid, Segue writes none of them. To avoid overwriting the work of others, give each entry an \`ifVersion\`.`,
  request: { schema: TranslationsRequest, example: [entryExample()] },
  headers: [KEY],
  answers: [
    {
      status: 200,
      description: 'The translations as they now stand, in the order of the entries.',
      schema: z.array(WrittenTranslation),
      example: [translationExample()],
      headers: ['Idempotent-Replayed'],
    },
  ],
  result: {
    translations: only(
      z.array(WrittenTranslation),
      'After translations were written: these translations as they now stand.',
    ),
  },
  schemas: { TranslationsRequest, TranslationEntry, WrittenTranslation },
  clientTypes: { TranslationsRequest: null, WrittenTranslation: 'Translation' },
});

function entryExample(): TranslationEntry {
  const content = '<p>Hallo, Welt!</p>';
  return { segmentId: example.segment.id, languageCode: 'de-DE', content, status: 'translated' };
}

function translationExample(): WrittenTranslation {
  const { content, status } = entryExample();
  const { id: segmentId } = example.segment;
  return { id: segmentId + 1, segmentId, segmentCustomId: null, ...example.german, content, status, version: 2 };
}
