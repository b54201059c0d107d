import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkProject } from '../../../lib/contract/check-project.ts';
import { languageByCode } from '../../../lib/contract/languages.ts';
import { valueAt } from '../../../lib/contract/pointer.ts';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import type { Project } from '../../../lib/contract/project-answer.ts';
import { fingerprintOf } from '../../../lib/idempotency/identity.ts';
import { comparedFields, differences } from '../../../lib/idempotency/requests/compared-fields.ts';
import { projectFrom } from '../../../lib/service/project-from.ts';
import * as arbitraries from '../../support/arbitraries.ts';
import { asObject, type Json, type JsonObject, member, segment, target } from '../../support/projects.ts';
import { checked, NOW_MS, project } from '../support.ts';

/** Returns the project that a request creates, as it is read back. */
const kept = (request: CheckedProject): Project => JSON.parse(JSON.stringify(projectFrom(request, 1, NOW_MS)));
/** A project that has every field. */
const FULL: JsonObject = {
  customId: 'c',
  taskId: 't',
  description: 'd',
  processId: 7,
  targetLanguages: [
    target({ state: 'InPreparation', serviceScoring: true, team: [member({ phone: '1' }), member({}, 2)] }),
    { targetLanguageCode: 'fr-CA' },
  ],
  segments: [segment({ taskId: 'a', notes: 'n' }), segment({ customId: 's' })],
};

describe('a request and the project it made', () => {
  it('have no difference', () => {
    fc.assert(
      fc.property(arbitraries.project(), (fields) => {
        const request = checkProject(fields, { nowMs: Date.now(), toleranceMs: 1_000_000 });
        expect(differences(request, kept(request))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a project of another service', () => {
  const made = kept(checked(FULL));

  it('has no difference if it has null for a field that the request left out', () => {
    const nulls = { referenceNumber: null, segments: made.segments.map((entry) => ({ hash: null, ...entry })) };
    expect(differences(checked(FULL), { ...made, ...nulls })).toEqual([]);
  });

  it.each<[fields: object, pointers: readonly string[]]>([
    [{ segments: undefined }, ['/segments']],
    [{ segments: null, targetLanguages: 'none' }, ['/targetLanguages', '/segments']],
    [{ segments: [null, 'text'] }, ['/segments/0', '/segments/1']],
    [{ endDateUtc: 5 }, ['/endDateUtc']],
    [{ valueOf: 1, toString: 2, __defineGetter__: 3 }, ['/valueOf', '/toString', '/__defineGetter__']],
  ])('differs if it has an unusual value: %o', (fields, pointers) => {
    expect(new Set(differences(checked(FULL), { ...made, ...fields }))).toEqual(new Set(pointers));
  });

  it.each([null, 5, 'text', []])('differs if it is %o', (value) => {
    expect(differences(checked(FULL), value).length).toBeGreaterThan(0);
  });
});

describe('an end date', () => {
  const END = '2028-01-01T00:00:00Z';
  const sent = (endDateUtc: string) => checked({ ...FULL, endDateUtc });

  it.each(['2028-01-01T00:00:00.0000000+00:00', '2028-01-01T00:00:00', '2027-12-31T19:00:00-05:00'])(
    'means its moment, in whatever form it is written: %s',
    (other) => {
      expect(differences(sent(other), kept(sent(END)))).toEqual([]);
      expect(fingerprintOf(comparedFields(sent(other)))).toBe(fingerprintOf(comparedFields(sent(END))));
    },
  );

  it.each(['2028-01-01T00:00:00.0000001Z', '2028-01-01T00:00:00-05:00'])('of another moment differs: %s', (other) => {
    expect(differences(sent(other), kept(sent(END)))).toEqual(['/endDateUtc']);
  });
});

describe('another request differs', () => {
  it('exactly where its compared fields differ', () => {
    const places = [...placesIn(project(FULL), '')];
    const spoilt = fc.tuple(fc.constantFrom(...places), fc.constantFrom<Json | undefined>(undefined, 'x', 7, true));
    fc.assert(
      fc.property(spoilt, spoilt, ([pointer, value], [otherPointer, otherValue]) => {
        const asked = checkedOrNot(changed(FULL, pointer, value));
        const first = checkedOrNot(changed(FULL, otherPointer, otherValue));
        fc.pre(asked !== undefined && first !== undefined);
        const isSame = fingerprintOf(comparedFields(asked)) === fingerprintOf(comparedFields(first));
        expect(differences(asked, kept(first)).length === 0).toBe(isSame);
      }),
      { numRuns: 100 },
    );
  });
});

describe('two requests mean the same', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'where one says what the other leaves to the service',
      { targetLanguages: [target()] },
      { targetLanguages: [target({ state: 'InProgress' })] },
    ],
    [
      'where one names a language by id too',
      { targetLanguages: [target()] },
      { targetLanguages: [{ ...target(), targetLanguageId: null }] },
    ],
    [
      'where one names a language by id, and the other by another spelling of its code',
      { sourceLanguageCode: 'en-US', targetLanguages: [{ targetLanguageId: languageByCode('fr-CA')?.id ?? 0 }] },
      { sourceLanguageCode: 'en_us', targetLanguages: [{ targetLanguageCode: 'fr-rCA' }] },
    ],
    [
      'where a note names its language in another spelling',
      { segments: [segment({ languageSpecificNotes: [{ languageCode: 'de-DE', note: 'n' }] })] },
      { segments: [segment({ languageSpecificNotes: [{ languageCode: 'de_de', note: 'n' }] })] },
    ],
    ['where one says null and the other nothing', { description: null }, {}],
    ['whatever their start', { startDateUtc: '2026-11-20T09:29:00Z' }, {}],
  ])('%s', (_, one, other) => {
    expect(fingerprintOf(comparedFields(checked(one)))).toBe(fingerprintOf(comparedFields(checked(other))));
  });
});

/** Yields the pointer of every value that is neither a list nor an object. */
function* placesIn(value: unknown, pointer: string): Generator<string> {
  if (typeof value !== 'object' || value === null) yield pointer;
  else for (const [name, member] of Object.entries(value)) yield* placesIn(member, `${pointer}/${name}`);
}

function checkedOrNot(fields: JsonObject): CheckedProject | undefined {
  try {
    return checked(fields);
  } catch {
    return undefined;
  }
}

/** Returns a project with another value in one place, or with that value removed. */
function changed(fields: JsonObject, pointer: string, value?: Json): JsonObject {
  const copy = asObject(structuredClone(project(fields)));
  const path = pointer.slice(1).split('/');
  const name = path.pop() ?? '';
  const parent = asObject(path.reduce<unknown>((place, step) => valueAt(place, [step]), copy));
  if (value === undefined) delete parent[name];
  else parent[name] = value;
  return copy;
}
