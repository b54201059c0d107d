import { isDeepStrictEqual } from 'node:util';
import type { LanguageState } from '../../contract/language-states.ts';
import type { CheckedProject } from '../../contract/project.ts';
import type { ProjectHead, TargetLanguageAnswer } from '../../contract/project-answer.ts';
import { type ByteText, jsonText } from '../../service/byte-text.ts';
import { isTranslatedNow } from '../../service/creation-counts.ts';
import { projectFrom, SEGMENT_ID_STEP, segmentFrom } from '../../service/project-from.ts';
import type { PutCounts, PutRequest } from '../../service/put.ts';
import { characterCount } from '../../service/translation-engine.ts';
import type { Layout } from '../layout.ts';
import { headIn, type PayloadChunks } from '../project-payload.ts';
import type { WholeProject } from '../read-projects.ts';
import { type TaskRuns, taskRunsOf } from '../work/segment-tasks.ts';
import { compareSegments, type SegmentsChange } from './compare-segments.ts';

/** What a put makes of an existing project. */
export interface PutChange
  extends Pick<SegmentsChange, 'order' | 'size' | 'removed' | 'changed' | 'keepsTasks' | 'all'> {
  readonly counts: PutCounts;
  /** Whether the project is equal already. */
  readonly isUnchanged: boolean;
  /** Whether the segments, their order and the target languages stay, so that the layout does. */
  readonly isSameLayout: boolean;
  readonly head: ProjectHead;
  /** The states that the request gives to target languages. The others keep theirs. */
  readonly states: ReadonlyMap<number, LanguageState>;
  readonly tasks: TaskRuns;
  /** Returns the JSON of a segment that is new or different. */
  readonly textOf: (position: number, id: number) => ByteText;
  /** The layout before the put, without the ids that it takes for target languages. */
  readonly layout: Layout;
}

/**
 * Compares a put with the project as it stands. Other requests run between its steps.
 * @param chunks those of the project's payload
 */
export async function changeOfPut(
  whole: WholeProject,
  chunks: PayloadChunks,
  present: Layout,
  { project, taskId }: Pick<PutRequest, 'project' | 'taskId'>,
): Promise<PutChange> {
  const { payload } = whole.record;
  const before = withStates(headIn(payload, whole.bytes.subarray(...payload.offsets.slice(0, 2))), whole);
  const next = taskId === undefined ? headOf(project, before, present) : undefined;
  const { head, layout } = next ?? { head: before, layout: present };
  const { different, added, newCharacters, isSameOrder, all, ...segments } = await compareSegments({
    chunks,
    layout: present,
    ownBefore: before.taskId,
    ownAfter: head.taskId,
    taskId,
    segments: project.segments,
  });
  const { size, changed, removed } = segments;
  const languages = countLanguages(before, head);
  const automatic = automaticIn(head);
  const translated = new Set(automaticIn(before));
  const fresh = automatic.filter((languageId) => !translated.has(languageId)).length;
  const allCharacters = fresh === 0 ? 0 : characterCount(all.map(({ content }) => content));
  const kept = size - added - changed.length;
  return {
    ...segments,
    counts: {
      segments: { kept, changed: changed.length, added, removed: removed.length },
      targetLanguages: languages,
      automaticCharacters: fresh * allCharacters + (automatic.length - fresh) * newCharacters,
    },
    isUnchanged: isSameOrder && different.size === 0 && isDeepStrictEqual(comparable(head), comparable(before)),
    isSameLayout: isSameOrder && changed.length === 0 && languages.added + languages.removed === 0,
    head,
    states: taskId === undefined ? statesOf(project, head) : new Map(),
    tasks: taskRunsOf(head.taskId, all),
    all,
    textOf(position, id) {
      const segment = different.get(position);
      if (!segment) throw new RangeError('The put does not change the segment at this position');
      return jsonText(segmentFrom(segment, id));
    },
    layout,
  };
}

/** Makes the fields of a project after a put. What only the service adds stays, and the start date of the creation. */
function headOf(
  project: CheckedProject,
  before: ProjectHead,
  layout: Layout,
): { readonly head: ProjectHead; readonly layout: Layout } {
  const { id, creationDateUtc, startDateUtc, customId } = before;
  const { segments: _, ...sent } = projectFrom({ ...project, segments: [] }, id, 0);
  const known = new Map(before.targetLanguages.map((entry) => [entry.targetLanguageId, entry]));
  let ids = 0;
  const targetLanguages = sent.targetLanguages.map((entry, index): TargetLanguageAnswer => {
    const old = known.get(entry.targetLanguageId);
    if (!old) return { ...entry, id: layout.nextId + ids++ };
    const state = project.targetLanguages[index]?.state ?? old.state;
    return { ...entry, id: old.id, state };
  });
  const named = customId !== undefined && { customId };
  return {
    head: { ...sent, ...named, creationDateUtc, startDateUtc, targetLanguages },
    layout: ids === 0 ? layout : { ...layout, nextId: layout.nextId + SEGMENT_ID_STEP },
  };
}

function statesOf(project: CheckedProject, { targetLanguages }: ProjectHead): ReadonlyMap<number, LanguageState> {
  const given = targetLanguages.flatMap(({ targetLanguageId }, index) => {
    const state = project.targetLanguages[index]?.state;
    return state ? [[targetLanguageId, state] as const] : [];
  });
  return new Map(given);
}

/** Returns the fields of a stored project with the states that its languages now have. */
function withStates(head: ProjectHead, { work }: WholeProject): ProjectHead {
  const states = new Map(work.languages.map(({ languageId, state }) => [languageId, state]));
  const targetLanguages = head.targetLanguages.map((entry) => ({
    ...entry,
    state: states.get(entry.targetLanguageId) ?? entry.state,
  }));
  return { ...head, targetLanguages };
}

/** Returns the fields of a project that a put compares: without the progress, which is not the sender's. */
function comparable(head: ProjectHead): unknown {
  const targetLanguages = head.targetLanguages.map(({ progress: _, automaticTranslation: __, ...entry }) => entry);
  // Fields that are undefined do not exist in JSON.
  return JSON.parse(JSON.stringify({ ...head, targetLanguages }));
}

/** Returns the ids of the languages into which an engine translates now. */
function automaticIn({ targetLanguages }: ProjectHead): number[] {
  return targetLanguages.filter(isTranslatedNow).map(({ targetLanguageId }) => targetLanguageId);
}

function countLanguages(before: ProjectHead, after: ProjectHead) {
  const [ids, next] = [before, after].map(
    ({ targetLanguages }) => new Set(targetLanguages.map(({ targetLanguageId }) => targetLanguageId)),
  );
  if (!ids || !next) throw new TypeError('A project has target languages');
  const kept = [...next].filter((languageId) => ids.has(languageId)).length;
  return { kept, added: next.size - kept, removed: ids.size - kept };
}
