import { afterAll, describe, expect, test } from 'vitest';
import { type Json, nowUtc, smallProject } from '../../support/projects.ts';
import type { Api } from '../api.ts';
import { expectEcho } from '../echo.ts';
import { valueAt, withValueAt } from '../pointer.ts';
import { expectInvalid } from '../problems.ts';
import { EXTENSIONS, type Row, TABLES, type Table, WRONG_TYPES } from '../tables.ts';

/**
 * Tests each row of each table of request fields: accepted values, whether the field may be left out, refused values.
 */
export function fieldsByTable(api: Api): void {
  for (const table of TABLES) {
    describe(table.heading, () => {
      afterAll(() => api.cleanUp());
      rowsOf(api, table);
    });
  }
  describe('Fields: known extension fields', () => {
    afterAll(() => api.cleanUp());
    for (const table of EXTENSIONS) describe(table.heading, () => rowsOf(api, table));
  });
}

const START = '/startDateUtc';

function rowsOf(api: Api, { pointer, rows }: Table): void {
  for (const row of rows) {
    const own = `${pointer}/${row.field}`;
    if (row.good.length > 0) test(`${row.field} is returned as it was sent`, () => comesBack(api, own, row));
    if (own === START && api.target.stampsStart) {
      test(`${row.field} may be left out or null, and is then the time of the attempt`, () => isStamped(api));
    } else if (row.required) test(`${row.field} is required`, () => isRequired(api, own));
    else test(`${row.field} may be left out or null`, () => isOptional(api, own, row));
    test(`${row.field} must be of type ${row.type}`, () => refusesOtherTypes(api, own, row));
    if (row.bad) test(`${row.field} must follow its rule`, () => keepsToItsRule(api, own, row));
  }
}

async function comesBack(api: Api, pointer: string, { good }: Row): Promise<void> {
  for (const value of good) {
    const sent = withValueAt(smallProject(), pointer, value);
    const created = await api.create(sent);
    expect(valueAt(created, pointer)).toEqual(value);
    expectEcho(created, sent);
  }
}

async function isRequired(api: Api, pointer: string): Promise<void> {
  expectInvalid(await api.post(withValueAt(smallProject(), pointer, undefined)), [pointer, 'required']);
  expectInvalid(await api.post(withValueAt(smallProject(), pointer, null)), [pointer, 'required', 'wrong-type']);
}

async function isStamped(api: Api): Promise<void> {
  for (const value of [undefined, null]) {
    const { startDateUtc } = await api.create(withValueAt(smallProject(), START, value));
    expect(Math.abs(Date.parse(startDateUtc) - Date.parse(nowUtc()))).toBeLessThan(300_000);
  }
}

async function isOptional(api: Api, pointer: string, { whenAbsent }: Row): Promise<void> {
  for (const value of [undefined, null]) {
    const created = await api.create(withValueAt(smallProject(), pointer, value));
    expect(valueAt(created, pointer)).toEqual(whenAbsent);
  }
}

async function refusesOtherTypes(api: Api, pointer: string, { type }: Row): Promise<void> {
  await refuses(
    api,
    pointer,
    WRONG_TYPES[type].map((value) => [value, 'wrong-type'] as const),
  );
}

async function keepsToItsRule(api: Api, pointer: string, { bad = [] }: Row): Promise<void> {
  await refuses(api, pointer, bad);
}

async function refuses(api: Api, pointer: string, bad: NonNullable<Row['bad']>): Promise<void> {
  for (const [value, ...codes] of bad) {
    expectInvalid(await api.post(withValueAt(smallProject(), pointer, value satisfies Json)), [pointer, ...codes]);
  }
}
