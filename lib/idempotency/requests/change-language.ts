import * as z from 'zod/mini';
import type { TargetLanguageAnswer } from '../../contract/project-answer.ts';
import type { LanguageChange } from '../../contract/translations.ts';
import type { CallContext, ProjectRef } from '../../service/port.ts';
import { recordOf } from '../../storage/record.ts';
import type { KeyedOperation } from '../keyed-operation.ts';

const LanguageChanged = recordOf({ projectId: z.int(), languageId: z.int() });
export type LanguageChanged = z.infer<typeof LanguageChanged>;

interface Change {
  readonly ref: ProjectRef;
  readonly languageCode: string;
  readonly to: LanguageChange;
}

/** A change of a language under its key. @param read reads the changed language */
export const languageChange = (
  read: (changed: LanguageChanged, call: CallContext) => Promise<TargetLanguageAnswer>,
): KeyedOperation<Change, LanguageChanged, TargetLanguageAnswer> => ({
  name: 'change-language',
  identity: (request) => request,
  another: 'another change of a language',
  recorded: LanguageChanged,
  replay: read,
  shown: (language) => ({ language }),
  deleted: 'The project was deleted after its language was changed with this idempotency key.',
});
