import { checkTranslations } from '../../contract/check-translations.ts';
import { encodeText } from '../../service/encoded-text.ts';
import type { ProjectService } from '../../service/port.ts';
import { readOperationIdempotency } from '../idempotency-key.ts';
import { jsonBody } from '../middleware/body.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { type ProjectParameter, projectRef } from '../project-ref.ts';

/** Makes the handler of `PATCH /segments/projects/{id}/translations`. */
export const writeTranslations = write('writeTranslations', 'id');

/** Makes the handler of `PATCH /segments/projects/custom/{customId}/translations`. */
export const writeTranslationsByCustomId = write('writeTranslationsByCustomId', 'customId');

function write(id: 'writeTranslations' | 'writeTranslationsByCustomId', parameter: ProjectParameter) {
  return (service: ProjectService, options: OperationOptions): HttpHandler =>
    operation(id, { ...options, body: jsonBody('translations') }, async (request) => {
      const entries = checkTranslations(request.body);
      const { idempotency, headers } = readOperationIdempotency(request);
      const ref = projectRef(request, parameter);
      const written = await service.writeTranslations(ref, entries, { ...callContext(request), idempotency });
      return { status: 200, headers, json: await encodeText(JSON.stringify(written)), hasEffect: true };
    });
}
