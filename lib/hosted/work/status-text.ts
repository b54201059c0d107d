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

/** Whether a slot has a content. */
export function hasContent(character: string | undefined): boolean {
  return character !== undefined && character !== UNTRANSLATED && character !== FAILED;
}

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
  // Many chunks may change at once, and a list of the characters would take ten times as long.
  const bytes = Buffer.from(text, 'latin1');
  for (const { offset, status } of changes) bytes.write(status, offset, 1, 'latin1');
  return bytes.toString('latin1');
}

/** The stored form of a text: each run of a character with its length, as in `0*499,3`, if that is shorter. */
export function packStatuses(text: StatusText): string {
  const packed = (text.match(/(.)\1*/gs) ?? []).map((run) => (run.length > 1 ? `${run[0]}*${run.length}` : run)).join();
  return packed.length < text.length ? packed : text;
}

/** Returns a text from its stored form. */
export function unpackStatuses(stored: string): StatusText {
  if (!/[*,]/.test(stored)) return stored;
  return stored
    .split(',')
    .map((run) => (run[0] ?? '').repeat(Number(run.slice(2)) || 1))
    .join('');
}
