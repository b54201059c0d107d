import * as z from 'zod/mini';
import { languageNotFound } from '../../contract/failures.ts';
import { text } from '../../contract/fields.ts';
import type { ServiceProgress } from '../../service/port.ts';

/** The most languages that a wait can name. */
const MAX_LANGUAGES = 100;

/** What a wait is for: a progress of the whole project or task, or of some target languages. */
export const WAIT_CONDITION = {
  /** The codes of the target languages; all unless given. */
  languages: z.optional(z.array(text(100)).check(z.minLength(1), z.maxLength(MAX_LANGUAGES))),
  /** The percentage that must be reached; 100 unless given. */
  progress: z.optional(z.int().check(z.minimum(1), z.maximum(100))),
} as const;
export type WaitCondition = z.infer<z.ZodMiniObject<typeof WAIT_CONDITION>>;

/** The fields of progress that a wait reads. Another service may leave them out, and the wait goes on. */
const Languages = z.array(z.looseObject({ languageCode: z.string(), progress: z.optional(z.unknown()) }));

/**
 * Whether a progress fulfils a condition.
 * @throws {Problem} `language-not-found` if the project does not have a language of the condition
 */
export function isFulfilled({ languages, progress = 100 }: WaitCondition, found: ServiceProgress): boolean {
  // A number of an upstream service is kept as its text, with all digits.
  const reaches = (percentage: unknown) => Number(JSON.stringify(percentage)) >= progress;
  if (languages === undefined) return reaches(found['total']);
  const known = Languages.safeParse(found['languages']);
  if (!known.success) return false;
  const byCode = new Map(known.data.map((language) => [language.languageCode, language.progress]));
  if (languages.some((code) => !byCode.has(code))) throw languageNotFound();
  return languages.every((code) => reaches(byCode.get(code)));
}
