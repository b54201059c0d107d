import * as z from 'zod/mini';
import type { CheckedTranslation, WrittenTranslation } from '../../contract/translations.ts';
import type { CallContext, ProjectRef } from '../../service/port.ts';
import { recordOf } from '../../storage/record.ts';
import type { KeyedOperation } from '../keyed-operation.ts';

/** The ids of a translation that a request wrote, and the version that it wrote. */
const TranslationRef = recordOf({ segmentId: z.int(), languageId: z.int(), version: z.int() });

const Translated = recordOf({ projectId: z.int(), translations: z.array(TranslationRef) });
export type Translated = z.infer<typeof Translated>;

interface Translations {
  readonly ref: ProjectRef;
  readonly entries: readonly CheckedTranslation[];
}

/**
 * A request that writes translations, under its key.
 * @param read reads the translations in the order of the record, without those whose segments were deleted
 */
export const translation = (
  read: (written: Translated, call: CallContext) => Promise<readonly WrittenTranslation[]>,
): KeyedOperation<Translations, Translated, readonly WrittenTranslation[]> => ({
  name: 'translate',
  identity: (request) => request,
  another: 'other translations',
  recorded: Translated,
  replay: read,
  shown: (translations) => ({ translations }),
  deleted: 'The project was deleted after the translations with this idempotency key were written.',
});
