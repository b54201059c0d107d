import { checkLanguageChange } from '../../contract/check-translations.ts';
import { encodeText } from '../../service/encoded-text.ts';
import { failures, type ProjectService } from '../../service/port.ts';
import { readOperationIdempotency } from '../idempotency-key.ts';
import { jsonBody } from '../middleware/body.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { decodeSegment, type ProjectParameter, projectRef } from '../project-ref.ts';

/** Makes the handler of `PATCH /segments/projects/{id}/languages/{languageCode}`. */
export const changeLanguage = change('changeLanguage', 'id');

/** Makes the handler of `PATCH /segments/projects/custom/{customId}/languages/{languageCode}`. */
export const changeLanguageByCustomId = change('changeLanguageByCustomId', 'customId');

function change(id: 'changeLanguage' | 'changeLanguageByCustomId', parameter: ProjectParameter) {
  return (service: ProjectService, options: OperationOptions): HttpHandler =>
    operation(id, { ...options, body: jsonBody('language-change') }, async (request) => {
      const requested = checkLanguageChange(request.body);
      const { idempotency, headers } = readOperationIdempotency(request);
      const ref = projectRef(request, parameter);
      const languageCode = decodeSegment(request.segment('languageCode'));
      if (languageCode === undefined) throw failures.languageNotFound();
      const call = { ...callContext(request), idempotency };
      const language = await service.changeLanguage(ref, languageCode, requested, call);
      return { status: 200, headers, json: await encodeText(JSON.stringify(language)), hasEffect: true };
    });
}
