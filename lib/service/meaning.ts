import type { Project, TargetLanguageAnswer, TeamMemberAnswer } from '../contract/answer.ts';
import { LIMITS } from '../contract/limits.ts';
import { fieldsOf, pointerTo, valueAt } from '../contract/pointer.ts';
import type { CheckedProject } from '../contract/project.ts';
import { SERVICE_FIELDS } from '../contract/service-fields.ts';
import { projectFrom } from './project-from.ts';

/** What a request asks for, whatever it left to the service to fill in. A start date is no part of it. */
export function meaningOf(request: CheckedProject): unknown {
  return meaningIn(projectFrom(request, 1, 0));
}

/**
 * Where a request asks for something else than a project has, the first 100 places. A language stands where the request
 * has it: by its id or by its code.
 */
export function differences(request: CheckedProject, project: Project): string[] {
  const pointers = new Set<string>();
  for (const path of walk(meaningOf(request), meaningIn(project), [])) {
    pointers.add(pointerTo(asNamed(path, request)));
    if (pointers.size === LIMITS.faults) break;
  }
  return [...pointers];
}

/** A project without what the service added. What it filled in for what was left out stays: that is meant too. */
function meaningIn({ targetLanguages, segments, ...project }: Project): unknown {
  return {
    ...without(project, [...SERVICE_FIELDS.project, 'startDateUtc']),
    targetLanguages: targetLanguages.map(({ team, ...entry }: TargetLanguageAnswer) => ({
      ...without(entry, SERVICE_FIELDS.targetLanguage),
      ...(team && { team: team.map((member: TeamMemberAnswer) => without(member, SERVICE_FIELDS.member)) }),
    })),
    segments: segments.map(({ languageSpecificNotes, ...segment }) => ({
      ...without(segment, SERVICE_FIELDS.segment),
      ...(languageSpecificNotes && { languageSpecificNotes }),
    })),
  };
}

function without(fields: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function* walk(asked: unknown, kept: unknown, path: readonly string[]): Generator<readonly string[]> {
  const askedFields = fieldsOf(asked);
  const keptFields = fieldsOf(kept);
  const isSameLength = !Array.isArray(asked) || !Array.isArray(kept) || asked.length === kept.length;
  if (!askedFields || !keptFields || !isSameLength) {
    if (asked !== kept) yield path;
    return;
  }
  for (const name of new Set([...Object.keys(askedFields), ...Object.keys(keptFields)])) {
    yield* walk(askedFields[name], keptFields[name], [...path, name]);
  }
}

function asNamed(path: readonly string[], request: CheckedProject): readonly string[] {
  const field = path.at(-1) ?? '';
  if (!/languageId$/i.test(field) || valueAt(request, path) !== undefined) return path;
  return [...path.slice(0, -1), field.replace(/Id$/, 'Code')];
}
