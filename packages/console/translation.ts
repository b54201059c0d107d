import {
  rankOf,
  TRANSLATION_STATUSES,
  type TranslationStatus,
  WRITABLE_STATUSES,
  type WritableStatus,
} from '../../lib/contract/translation-status.ts';
import { type SegueClient, SegueError, type TranslatedSegment, type Translation } from '../client/index.ts';
import type { Draft, DraftPlace } from './drafts.ts';
import { text } from './values.ts';

/** A translation, as far as the console knows what the service sends. */
export interface KnownTranslation {
  readonly content: string;
  readonly status: TranslationStatus | undefined;
  /** The number of the version; `undefined` if the service counts none. */
  readonly version: number | undefined;
  /** Whether the segment has got another content since. */
  readonly isOutdated: boolean;
}

/** Returns the translation of a segment that was read for one language. */
export function translationIn({ translations }: TranslatedSegment): KnownTranslation {
  const { content, status, version, outdated } = translations?.[0] ?? {};
  return {
    content: content ?? '',
    status: TRANSLATION_STATUSES.find((known) => known === status),
    version: typeof version === 'number' ? version : undefined,
    isOutdated: outdated === true,
  };
}

/** Returns the status of a translation as the service sends it. It may send none for a missing translation. */
export function statusOf({ translations }: TranslatedSegment): string {
  const { status, content } = translations?.[0] ?? {};
  return status || content ? text(status) : 'untranslated';
}

/** The statuses that a person still has to work on: those below `translated`. */
const UNFINISHED: readonly string[] = TRANSLATION_STATUSES.slice(0, rankOf('translated'));

/** Whether a segment is left to do: no person has finished or checked its translation, or its source text has changed since. */
export function isToDo(segment: TranslatedSegment): boolean {
  return UNFINISHED.includes(statusOf(segment)) || translationIn(segment).isOutdated;
}

/** Returns the id of a segment, if it is one that a request can name. */
export function idOf({ source }: TranslatedSegment): number | undefined {
  return typeof source?.id === 'number' ? source.id : undefined;
}

/** Returns a segment with another translation. */
export function withTranslation(segment: TranslatedSegment, translation: Translation): TranslatedSegment {
  return { ...segment, translations: [translation] };
}

/** Returns the status that a user most likely gives: that of the translation, or `translated`. */
export function likelyStatus({ status }: KnownTranslation): WritableStatus {
  return WRITABLE_STATUSES.find((writable) => writable === status) ?? 'translated';
}

/** Whether a status opens a translation again that is more finished. */
export function isReopening(status: WritableStatus, { status: current }: KnownTranslation): boolean {
  return current !== undefined && rankOf(status) < rankOf(current);
}

/** The result of saving: the translation as it now stands, or what somebody else has written meanwhile. */
export type SaveResult =
  | { readonly isSaved: true; readonly translation: Translation }
  | { readonly isSaved: false; readonly segment: TranslatedSegment };

interface SaveOptions {
  readonly place: DraftPlace;
  readonly draft: Draft;
  readonly reopen: boolean;
  readonly taskId: string | undefined;
  /** The key of the request. The same text has the same key, so that a second attempt writes nothing twice. */
  readonly idempotencyKey: string;
}

/**
 * Saves a translation, unless somebody has changed it.
 * @throws {SegueError} if Segue refuses it for another reason
 */
export async function saveTranslation(client: SegueClient, options: SaveOptions): Promise<SaveResult> {
  const { place, draft, reopen, taskId, idempotencyKey } = options;
  const { projectId, segmentId, languageCode } = place;
  const { content, status, version } = draft;
  const entry = { segmentId, languageCode, content, status, ifVersion: version, reopen: reopen || undefined };
  try {
    const [translation] = await client.writeTranslations(projectId, [entry], { idempotencyKey });
    if (!translation) throw new TypeError('Segue did not return the translation. Load the segments again.');
    return { isSaved: true, translation };
  } catch (error) {
    if (!(error instanceof SegueError) || error.type !== 'translation-changed') throw error;
    return { isSaved: false, segment: await readSegment(client, place, taskId) };
  }
}

/**
 * Reads a segment as it is now. The API reads pages, so this reads those before it, of its task alone if it has one.
 * @throws {TypeError} if the project does not have it any more
 */
async function readSegment(
  client: SegueClient,
  { projectId, segmentId, languageCode }: DraftPlace,
  taskId: string | undefined,
): Promise<TranslatedSegment> {
  for await (const segment of client.eachSegment(projectId, { languageCode, taskId, limit: 1_000 }))
    if (idOf(segment) === segmentId) return segment;
  throw new TypeError('The project has no such segment any more. Copy your text, and load the segments again.');
}
