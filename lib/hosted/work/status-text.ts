import { TRANSLATION_STATUSES, type TranslationStatus } from '../../contract/translation-status.ts';

/**
 * A text with the status of each slot of a chunk in one language: one character for a slot, which is the index of the
 * status in `TRANSLATION_STATUSES`, or `FAILED`. So the progress of a language can be counted without its contents.
 */
export type StatusText = string;

/** The character of a slot that stays untranslated, because an engine could not translate it. */
export const FAILED = 'x';
/** The character of a slot that is untranslated, and may be sent to an engine. */
export const UNTRANSLATED = '0';

/** Makes the text of a chunk without translations. */
export function untranslated(slots: number): StatusText {
  return UNTRANSLATED.repeat(slots);
}

/** Returns the status of a character. */
export function statusOf(character: string | undefined): TranslationStatus {
  return TRANSLATION_STATUSES[Number(character)] ?? 'untranslated';
}

/** Returns the character of a status. */
export function characterOf(status: TranslationStatus): string {
  return String(TRANSLATION_STATUSES.indexOf(status));
}

/** Returns the characters of a status. */
export function charactersOf(status: TranslationStatus | undefined): readonly string[] {
  if (status === undefined) return [];
  return status === 'untranslated' ? [UNTRANSLATED, FAILED] : [characterOf(status)];
}

/** Returns the rank of a status: a higher status has a higher rank. */
export function rankOf(status: TranslationStatus): number {
  return TRANSLATION_STATUSES.indexOf(status);
}

/** Changes the characters of some slots. */
export function withStatuses(
  text: StatusText,
  changes: readonly { readonly offset: number; readonly status: string }[],
): StatusText {
  if (changes.length === 0) return text;
  const characters = [...text];
  for (const { offset, status } of changes) characters[offset] = status;
  return characters.join('');
}
