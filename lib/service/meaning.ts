import { instantOf } from '../contract/date.ts';
import { LIMITS } from '../contract/limits.ts';
import { fieldsOf, pointerTo, valueAt } from '../contract/pointer.ts';
import { type CheckedProject, SERVICE_FIELDS } from '../contract/project.ts';
import { projectFrom } from './project-from.ts';

/** What a request asks for, whatever it left to the service to fill in. A start date is no part of it. */
export function meaningOf(request: CheckedProject): unknown {
  return meaningIn(projectFrom(request, 1, 0));
}

/**
 * Where a request asks for something else than a project has, the first 100 places. A language stands where the request
 * has it: by its id or by its code.
 * @param project as it was given: another service may leave out any field, or give it another type
 */
export function differences(request: CheckedProject, project: unknown): string[] {
  const pointers = new Set<string>();
  for (const path of walk(meaningOf(request), meaningIn(project), [])) {
    pointers.add(pointerTo(asNamed(path, request)));
    if (pointers.size === LIMITS.faults) break;
  }
  return [...pointers];
}

/** A project without what the service added. What it filled in for what was left out stays: that is meant too. */
function meaningIn(project: unknown): unknown {
  return without(project, [...SERVICE_FIELDS.project, 'startDateUtc'], {
    endDateUtc: momentOf,
    targetLanguages: eachOf((entry) =>
      without(entry, SERVICE_FIELDS.targetLanguage, {
        team: eachOf((member) => without(member, SERVICE_FIELDS.member)),
      }),
    ),
    segments: eachOf((segment) => without(segment, SERVICE_FIELDS.segment)),
  });
}

type Change = (value: unknown) => unknown;

/** A date means its moment, whatever offset it is written with. */
const momentOf: Change = (value) => (typeof value === 'string' ? (instantOf(value)?.toString() ?? value) : value);

const eachOf =
  (change: Change): Change =>
  (value) =>
    Array.isArray(value) ? value.map(change) : value;

/** An object without some fields, and with some of them changed. Any other value stays as it is. */
function without(value: unknown, names: readonly string[], changes: Readonly<Record<string, Change>> = {}): unknown {
  const fields = Array.isArray(value) ? undefined : fieldsOf(value);
  if (!fields) return value;
  const kept = Object.entries(fields).filter(([name, field]) => field !== undefined && !names.includes(name));
  return Object.fromEntries(
    // A service may name a field `toString`.
    kept.map(([name, field]) => [name, Object.hasOwn(changes, name) ? changes[name]?.(field) : field]),
  );
}

function* walk(asked: unknown, kept: unknown, path: readonly string[]): Generator<readonly string[]> {
  const askedFields = fieldsOf(asked);
  const keptFields = fieldsOf(kept);
  const isSameLength = !Array.isArray(asked) || !Array.isArray(kept) || asked.length === kept.length;
  if (!askedFields || !keptFields || !isSameLength) {
    // A service may write null for a field that the request left out.
    if ((asked ?? null) !== (kept ?? null)) yield path;
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
