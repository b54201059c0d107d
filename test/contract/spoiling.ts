import type { FaultCode } from '../../lib/contract/faults.ts';
import { asObjects, type Json, type JsonObject } from '../support/projects.ts';
import { withValueAt } from './pointer.ts';
import { ADDED, EXTENSIONS, type Row, TABLES, type Table, WRONG_TYPES } from './tables.ts';

/** One way to spoil one field of a project, and the expected fault. */
export interface Spot {
  readonly pointer: string;
  /** The value that replaces the field. `undefined` removes the field. */
  readonly value: Json | undefined;
  readonly codes: readonly FaultCode[];
}

/** Returns every way to spoil one field of a valid project, from the tables of its objects. */
export function spots(project: JsonObject): Spot[] {
  return objectsOf(project).flatMap(({ pointer, level }) => {
    const rows = [...TABLES, ...EXTENSIONS].filter((table) => levelOf(table) === level).flatMap((table) => table.rows);
    const added = ADDED.filter((table) => levelOf(table) === level).flatMap(({ fields }) => fields);
    return [
      ...rows.flatMap((row) => spotsOf(row, `${pointer}/${row.field}`)),
      ...added
        .filter((field) => !rows.some((row) => row.field === field))
        .map((field) => ({ pointer: `${pointer}/${field}`, value: 5, codes: ['service-field'] as const })),
      { pointer: `${pointer}/noSuchField`, value: 'x', codes: ['unknown-field'] },
    ];
  });
}

/** Returns the project with one field spoiled. */
export function spoiled(project: JsonObject, { pointer, value }: Spot): JsonObject {
  return withValueAt(project, pointer, value);
}

function spotsOf({ type, required, bad = [] }: Row, pointer: string): Spot[] {
  return [
    ...(required ? [{ pointer, value: undefined, codes: ['required'] as const }] : []),
    ...WRONG_TYPES[type].map((value) => ({ pointer, value, codes: ['wrong-type'] as const })),
    ...bad.map(([value, ...codes]) => ({ pointer, value, codes })),
  ];
}

/** Returns the path of a table without list positions: `/targetLanguages/0/team/0` becomes `/targetLanguages/team`. */
function levelOf({ pointer }: Pick<Table, 'pointer'>): string {
  return pointer.replaceAll(/\/\d+/g, '');
}

/** Returns every object of a project that has a table. */
function objectsOf(project: JsonObject): { readonly pointer: string; readonly level: string }[] {
  const inList = (parent: JsonObject, pointer: string, field: string) =>
    asObjects(parent[field]).map((value, n) => ({ value, pointer: `${pointer}/${field}/${n}` }));
  const targets = inList(project, '', 'targetLanguages');
  const segments = inList(project, '', 'segments');
  const all = [
    { value: project, pointer: '' },
    ...targets,
    ...targets.flatMap(({ value, pointer }) => inList(value, pointer, 'team')),
    ...segments,
    ...segments.flatMap(({ value, pointer }) => inList(value, pointer, 'languageSpecificNotes')),
  ];
  return all.map(({ pointer }) => ({ pointer, level: levelOf({ pointer }) }));
}
