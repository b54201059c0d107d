import { instantOf } from '../../contract/date.ts';
import { LIMITS } from '../../contract/limits.ts';
import { fieldsOf, pointerTo, valueAt } from '../../contract/pointer.ts';
import type { CheckedProject } from '../../contract/project.ts';
import { type Field, type Fields, isOfService, PROJECT } from '../../contract/project-fields.ts';
import { projectFrom } from '../../service/project-from.ts';

/**
 * Returns the part of a request that is compared with other requests under the same idempotency key. It contains the
 * defaults that the service fills in, but not the start date.
 */
export function comparedFields(request: CheckedProject): unknown {
  return comparedIn(projectFrom(request, 1, 0));
}

/**
 * Compares a request with a project. Returns JSON pointers to the first 100 differences. If a language differs, the
 * pointer names its id or its code, whichever the request contains.
 * @param project the unchecked project; an upstream service may leave out any field, or give it another type
 */
export function differences(request: CheckedProject, project: unknown): string[] {
  const pointers = new Set<string>();
  for (const path of walk(comparedFields(request), comparedIn(project), [])) {
    pointers.add(pointerTo(asNamed(path, request)));
    if (pointers.size === LIMITS.faults) break;
  }
  return [...pointers];
}

/**
 * Copies an object of a project without the start date, the fields that only the service adds, and the codes of
 * languages, which have several spellings beside their ids. Keeps defaults that the service filled in, and fields that
 * the contract does not have. Returns any other value as it is.
 */
function comparedIn(value: unknown, fields: Fields = PROJECT): unknown {
  const given = Array.isArray(value) ? undefined : fieldsOf(value);
  if (!given) return value;
  const compared: [name: string, value: unknown][] = [];
  for (const [name, each] of Object.entries(given)) {
    // A project may have a field named `toString`, which the table would inherit from its prototype.
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const isCompared = name !== 'startDateUtc' && field?.type !== 'languageCode' && !(field && isOfService(field));
    if (each !== undefined && isCompared) compared.push([name, field ? comparedValue(each, field) : each]);
  }
  return Object.fromEntries(compared);
}

function comparedValue(value: unknown, { type, of }: Field): unknown {
  if (type === 'date') return momentOf(value);
  return of && Array.isArray(value) ? value.map((entry) => comparedIn(entry, of)) : value;
}

/**
 * Converts a date to its moment, as text. So two dates with different offsets are equal if their moment is. The text is a
 * number of 100 ns, as stored records have it, or of nanoseconds if the date has more than 7 fraction digits.
 */
function momentOf(value: unknown): unknown {
  const moment = typeof value === 'string' ? instantOf(value) : undefined;
  if (moment === undefined) return value;
  return moment % 100n === 0n ? `${moment / 100n}` : `${moment} ns`;
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
