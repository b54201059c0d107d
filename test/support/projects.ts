import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

const DAY_MS = 86_400_000;

/** Returns the current time, moved by some milliseconds, as the contract writes dates. */
export function nowUtc(offsetMs = 0): string {
  return new Date(Date.now() + offsetMs).toISOString();
}

/** Returns a custom id that no other project has. */
export function uniqueId(beginning = 'test'): string {
  return `${beginning} ${randomUUID()}`;
}

/**
 * Returns the smallest project that has one of everything: language pair, team, segment, note. The given fields replace
 * its own.
 */
export function smallProject(fields: JsonObject = {}): JsonObject {
  return {
    name: 'A small project',
    startDateUtc: nowUtc(),
    endDateUtc: nowUtc(30 * DAY_MS),
    sourceLanguageId: 41,
    sourceLanguageCode: 'en-US',
    targetLanguages: [target()],
    segments: [segment()],
    ...fields,
  };
}

/** Returns a German target language with a team of one translator. */
export function target(fields: JsonObject = {}): JsonObject {
  return { targetLanguageId: 53, targetLanguageCode: 'de-DE', team: [member()], ...fields };
}

/** Returns a translator. Each `n` has its own id and username. */
export function member(fields: JsonObject = {}, n = 1): JsonObject {
  return { id: 7000 + n, name: 'Example Person', username: `person.${n}@example.com`, isTranslator: true, ...fields };
}

/** Returns a segment with a note on its German translation. */
export function segment(fields: JsonObject = {}): JsonObject {
  return {
    content: 'Hello, world',
    languageSpecificNotes: [{ languageId: 53, languageCode: 'de-DE', note: 'Informal' }],
    ...fields,
  };
}

/** Returns `count` segments, each with its number as content. */
export function segments(count: number, fields: JsonObject = {}): JsonObject[] {
  return Array.from({ length: count }, (_, n) => ({ content: `${n + 1}`, ...fields }));
}

/** The projects in `test/data`, made from public texts. */
export const REAL_PROJECTS = ['ui-strings', 'udhr-html', 'cldr-large'] as const;
export type RealProject = (typeof REAL_PROJECTS)[number];

/**
 * Returns a project of `test/data` with its dates filled in, and with a unique custom id so that a second run can
 * follow.
 */
export function realProject(name: RealProject): JsonObject {
  const project = asObject(JSON.parse(readFileSync(new URL(`../data/${name}.json`, import.meta.url), 'utf8')));
  return startingNow({ ...project, customId: uniqueId(`${project['customId']}`) });
}

/** Returns the same project with the current start date, because a service refuses an older one. */
export function startingNow(project: JsonObject): JsonObject {
  return { ...project, startDateUtc: nowUtc(), endDateUtc: nowUtc(30 * DAY_MS) };
}

/** Returns a JSON value as an object. Anything else is a mistake of the test. */
export function asObject(value: unknown): JsonObject {
  return objectSchema.parse(value);
}

/** Returns a JSON value as a list of objects. An absent value and null count as the empty list. */
export function asObjects(value: unknown): JsonObject[] {
  return listSchema.parse(value ?? []);
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectSchema = z.custom<JsonObject>(isObject);
const listSchema = z.array(objectSchema);
