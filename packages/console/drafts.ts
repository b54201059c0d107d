import { useEffect, useState } from 'preact/hooks';
import type { WritableStatus } from '../../lib/contract/translation-status.ts';
import type { PeopleChanges } from './people-changes.ts';

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
 * The unsaved translations, and the unsaved people of each project. They are in memory, so that leaving a page loses none
 * of them. The browser asks before it closes or reloads the page.
 */
const drafts = new Map<string, Draft>();
const people = new Map<number, PeopleChanges>();
const listeners = new Set<() => void>();

const keyOf = ({ projectId, segmentId, languageCode }: DraftPlace) => `${projectId}/${segmentId}/${languageCode}`;

/** Returns the draft of a translation. */
export function draftOf(place: DraftPlace): Draft | undefined {
  return drafts.get(keyOf(place));
}

/** Keeps a draft, or forgets it. */
export function setDraft(place: DraftPlace, draft: Draft | undefined): void {
  set(drafts, keyOf(place), draft);
}

/** Returns the unsaved changes of a project's people. */
export function peopleDraftOf(projectId: number): PeopleChanges | undefined {
  return people.get(projectId);
}

/** Keeps the unsaved changes of a project's people, or forgets them. */
export function setPeopleDraft(projectId: number, changes: PeopleChanges | undefined): void {
  set(people, projectId, changes);
}

/** Returns how many drafts there are. */
export function countDrafts(): number {
  return drafts.size + people.size;
}

/** Forgets every draft. @param projectId only those of this project */
export function forgetDrafts(projectId?: number): void {
  if (projectId === undefined) people.clear();
  else people.delete(projectId);
  for (const key of drafts.keys()) if (projectId === undefined || key.startsWith(`${projectId}/`)) drafts.delete(key);
  changed();
}

function set<K, V>(kept: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) kept.delete(key);
  else kept.set(key, value);
  changed();
}

function changed(): void {
  removeEventListener('beforeunload', ask);
  if (countDrafts() > 0) addEventListener('beforeunload', ask);
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
