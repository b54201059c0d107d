import { instantOf } from '../../contract/date.ts';
import { LIMITS } from '../../contract/limits.ts';
import { fieldsOf, pointerTo, valueAt } from '../../contract/pointer.ts';
import type { CheckedProject } from '../../contract/project.ts';
import { type Fields, isOfService, namesWhere, PROJECT } from '../../contract/project-fields.ts';
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

type Change = (value: unknown) => unknown;

/**
 * Converts a date to its moment, as text. So two dates with different offsets are equal if their moment is. The text is a
 * number of 100 ns, as stored records have it, or of nanoseconds if the date has more than 7 fraction digits.
 */
function momentOf(value: unknown): unknown {
  const moment = typeof value === 'string' ? instantOf(value) : undefined;
  if (moment === undefined) return value;
  return moment % 100n === 0n ? `${moment / 100n}` : `${moment} ns`;
}

/**
 * Returns a function that copies an object without the start date, the fields that only the service adds, and the codes
 * of languages, which have several spellings beside their ids. The copy has the defaults that the service filled in, and
 * fields that the contract does not have. Any other value stays as it is.
 */
function compared(fields: Fields): Change {
  const leftOut = new Set(namesWhere(fields, (field) => isOfService(field) || field.type === 'languageCode'));
  leftOut.add('startDateUtc');
  const changes = new Map<string, Change>();
  for (const [name, { type, of }] of Object.entries(fields)) {
    if (type === 'date') changes.set(name, momentOf);
    else if (of) changes.set(name, eachOf(compared(of)));
  }
  return (value) => {
    const given = Array.isArray(value) ? undefined : fieldsOf(value);
    if (!given) return value;
    const kept = Object.entries(given).filter(([name, field]) => field !== undefined && !leftOut.has(name));
    return Object.fromEntries(
      kept.map(([name, field]) => {
        const change = changes.get(name);
        return [name, change ? change(field) : field];
      }),
    );
  };
}

const eachOf =
  (change: Change): Change =>
  (value) =>
    Array.isArray(value) ? value.map(change) : value;

const comparedIn = compared(PROJECT);

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
