import * as z from 'zod/mini';
import { Project, ProjectHead, SegmentAnswer } from '../contract/answer.ts';
import { compiledFrom } from '../contract/compiled.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { parseJson } from './json.ts';
import type { Answer } from './transport.ts';

/** A project whose segments are unread: they are read one by one, so that reading can stop at the first wrong one. */
const Frame = z.extend(Project, { segments: z.array(z.unknown()) });
const segmentFor = compiledFrom(SegmentAnswer);

/** Reads a project, unknown fields included; `undefined` where it is none. */
export function readProject({ body }: Answer): Project | undefined {
  const frame = read(Frame, parseJson(body));
  const segments = frame && readAll(segmentFor(frame.segments.length), frame.segments);
  return segments && { ...frame, segments };
}

/** Reads a list of projects without their segments; `undefined` where it is none. */
export function readHeads({ body }: Answer): ProjectHead[] | undefined {
  const entries = parseJson(body);
  if (!Array.isArray(entries)) return undefined;
  return readAll(ProjectHead, entries)?.map(({ segments: _, ...head }) => head);
}

function readAll<T>(schema: z.ZodMiniType<T>, entries: readonly unknown[]): T[] | undefined {
  const values: T[] = [];
  let hasNulls = false;
  for (const entry of entries) {
    const given: T | undefined = hasNulls ? undefined : asGiven(schema, entry);
    // A service that writes nulls writes them in every entry, and to fail first takes six times as long.
    hasNulls ||= given === undefined;
    const value = given ?? withoutNulls(schema, entry);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function read<T>(schema: z.ZodMiniType<T>, value: unknown): T | undefined {
  // Second, because looking for nulls costs more than reading, and a service that keeps the contract has none to find.
  return asGiven(schema, value) ?? withoutNulls(schema, value);
}

function asGiven<T>(schema: z.ZodMiniType<T>, value: unknown): T | undefined {
  return schema.safeParse(value).data;
}

function withoutNulls<T>(schema: z.ZodMiniType<T>, value: unknown): T | undefined {
  return asGiven(schema, absentForNull(schema, value));
}

/**
 * Leaves out the optional fields that are null: services of other makes write null for what a request left out, where
 * the contract has nothing. A null where the contract has one stays, and so do those of unknown fields.
 */
function absentForNull(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodMiniOptional) return absentForNull(schema.def.innerType, value);
  if (schema instanceof z.ZodMiniArray && Array.isArray(value)) {
    return value.map((entry) => absentForNull(schema.def.element, entry));
  }
  const fields = fieldsOf(value);
  if (!(schema instanceof z.ZodMiniObject) || !fields || Array.isArray(value)) return value;
  const kept = Object.entries(fields).filter(
    ([name, field]) => field !== null || !(schema.def.shape[name] instanceof z.ZodMiniOptional),
  );
  return Object.fromEntries(
    kept.map(([name, field]) => {
      const inner = schema.def.shape[name];
      return [name, inner ? absentForNull(inner, field) : field];
    }),
  );
}
