import { useEffect, useState } from 'preact/hooks';
import type { WritableStatus } from '../../lib/contract/translation-status.ts';

/** A translation that a user has changed and not saved. */
export interface Draft {
  readonly content: string;
  readonly status: WritableStatus;
  /** The version of the translation from which the user began. */
  readonly version: number | undefined;
}

/** Which translation a draft is of. */
export interface DraftPlace {
  readonly projectId: number;
  readonly segmentId: number;
  readonly languageCode: string;
}

/**
 * The unsaved translations. They are in memory, so that leaving a page loses none of them. The browser asks before it
 * closes or reloads the page.
 */
const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

const keyOf = ({ projectId, segmentId, languageCode }: DraftPlace) => `${projectId}/${segmentId}/${languageCode}`;

/** Returns the draft of a translation. */
export function draftOf(place: DraftPlace): Draft | undefined {
  return drafts.get(keyOf(place));
}

/** Keeps a draft, or forgets it. */
export function setDraft(place: DraftPlace, draft: Draft | undefined): void {
  if (draft) drafts.set(keyOf(place), draft);
  else drafts.delete(keyOf(place));
  changed();
}

/** Returns how many translations are unsaved. */
export function countDrafts(): number {
  return drafts.size;
}

/** Forgets every draft. */
export function forgetDrafts(): void {
  drafts.clear();
  changed();
}

function changed(): void {
  removeEventListener('beforeunload', ask);
  if (drafts.size > 0) addEventListener('beforeunload', ask);
  for (const listener of listeners) listener();
}

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Draws a component again when a draft changes. */
export function useDrafts(): void {
  const [, setVersion] = useState(0);
  useEffect(() => {
    const listener = () => setVersion((version) => version + 1);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
}
