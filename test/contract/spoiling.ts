import type { FaultCode } from '../../lib/contract/faults.ts';
import { asObjects, type Json, type JsonObject } from '../support/projects.ts';
import { withValueAt } from './pointer.ts';
import { ADDED, EXTENSIONS, type Row, TABLES, type Table, WRONG_TYPES } from './tables.ts';

/** One way to spoil one field of a project, and what the fault must be. */
export interface Spot {
  readonly pointer: string;
  /** What is put there; `undefined` takes the field out. */
  readonly value: Json | undefined;
  readonly codes: readonly FaultCode[];
}

/** Every way to spoil one field of a valid project: of every object in it, every row of its table. */
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

/** The project with one field spoiled. */
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

/** A table's place without the positions in lists: `/targetLanguages/0/team/0` is `/targetLanguages/team`. */
function levelOf({ pointer }: Pick<Table, 'pointer'>): string {
  return pointer.replaceAll(/\/\d+/g, '');
}

/** Every object of a project that has a table. */
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
