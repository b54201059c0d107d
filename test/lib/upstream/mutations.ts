import fc from 'fast-check';
import type { Json } from '../../support/projects.ts';

/** One change of a JSON value: what stands at a path is replaced, or removed. */
export interface Mutation {
  readonly path: readonly string[];
  /** `undefined` removes it. */
  readonly value: Json | undefined;
}

/** Changes a JSON value at one place. */
export function mutated(whole: Json, { path: [step, ...rest], value }: Mutation): Json {
  if (step === undefined) return value ?? null;
  if (Array.isArray(whole)) {
    return whole.flatMap((entry, n) => (String(n) === step ? change(entry, rest, value) : [entry]));
  }
  if (typeof whole !== 'object' || whole === null) return whole;
  return Object.fromEntries(
    Object.entries(whole).flatMap(([name, field]) =>
      name === step ? change(field, rest, value).map((changed) => [name, changed]) : [[name, field]],
    ),
  );
}

function change(place: Json, path: readonly string[], value: Json | undefined): Json[] {
  if (path.length === 0 && value === undefined) return [];
  return [mutated(place, { path, value })];
}

/** Every place in a JSON value, the value itself left out. */
export function placesIn(value: Json, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const place = [...path, name];
    return [place, ...placesIn(field, place)];
  });
}

/** Values that a service might give where nobody expects them. */
const oddValue = fc.oneof(
  fc.constantFrom<Json | undefined>(undefined, null, '', [], {}, true, false, -1, 0, 1.5, 2 ** 60, 'Completed'),
  fc.uuid(),
  fc.jsonValue({ maxDepth: 3 }).map((value): Json => JSON.parse(JSON.stringify(value))),
);

/** Mutations of the places given, the same ones at each run. */
export function mutationsOf(places: readonly (readonly string[])[], count: number, seed: number): Mutation[] {
  const mutation = fc.record({ path: fc.constantFrom(...places), value: oddValue });
  return fc.sample(mutation, { numRuns: count, seed });
}
