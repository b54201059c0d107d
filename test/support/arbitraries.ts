import fc from 'fast-check';
import { type Json, type JsonObject, nowUtc } from './projects.ts';

/**
 * Projects that the documents allow, far beyond what people write: any script, control characters, and every optional
 * field present, null or left out. The rules come from the documents, not from the code.
 */

type Language = readonly [id: number, code: string];
const ENGLISH: Language = [41, 'en-US'];
/** Languages whose ids never change. */
const LANGUAGES: readonly Language[] = [
  ...([ENGLISH, [21, 'ar-AE'], [32, 'zh-Hans'], [33, 'zh-Hant'], [40, 'en-GB'], [48, 'fr-CA'], [53, 'de-DE']] as const),
  ...([
    [72, 'ja'],
    [76, 'ko'],
    [94, 'pt-BR'],
    [104, 'es-ES'],
    [108, 'es-CO'],
    [158, 'en-CA'],
  ] as const),
];

/** Returns well-formed Unicode: any code point, and usual texts. */
const text = (maxLength = 40) =>
  fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }),
  );
const visible = () => text().filter((value) => /[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(value));
const id = () =>
  fc.oneof(
    fc.integer({ min: 1, max: 100_000 }),
    fc.maxSafeNat().map((value) => Math.max(1, value)),
  );
const flag = () => fc.boolean();

/** Returns the optional fields of a record: present, null, or left out. */
function optional(fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<JsonObject> {
  const nullable = Object.entries(fields).map(([name, value]) => [name, fc.option(value, { freq: 8 })]);
  return fc.record<JsonObject, string>(Object.fromEntries(nullable), { requiredKeys: [] });
}

/** Returns a custom id: 1 to 255 characters, except the dot segments of paths. */
export const customId = (): fc.Arbitrary<string> => text(60).filter((value) => value !== '.' && value !== '..');

/** Returns a moment within a range around the present, in every form that the contract reads. */
const moment = (min: number, max: number) =>
  fc
    .tuple(
      fc.integer({ min, max }),
      fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,9}$/)),
      fc.constantFrom('Z', '+00:00', ''),
    )
    .map(([offsetMs, fraction, zone]) => `${nowUtc(offsetMs).slice(0, 19)}${fraction}${zone}`);
const start = moment(-200_000, 200_000);
const end = moment(400_000, 2_000_000_000);

/** Returns a language by id, by code in any spelling, or by both. */
function named([languageId, code]: Language, idField: string, codeField: string): fc.Arbitrary<JsonObject> {
  const spelt = fc.constantFrom(code, code.toLowerCase(), code.toUpperCase(), code.replace('-', '_'));
  return fc.oneof(
    fc.constant({ [idField]: languageId }),
    spelt.map((value) => ({ [codeField]: value })),
    spelt.map((value) => ({ [idField]: languageId, [codeField]: value })),
    spelt.map((value) => ({ [idField]: null, [codeField]: value })),
  );
}

const member = fc
  .tuple(
    fc.record({
      id: id(),
      name: visible(),
      username: fc.stringMatching(/^[a-z0-9]{1,8}([.+_-][a-zA-Z0-9]{1,8})?@[a-z0-9]{1,8}(\.[a-z]{2,6}){1,2}$/),
    }),
    optional({
      phone: text(),
      isProjectManager: flag(),
      isTranslator: flag(),
      isProofreader: flag(),
      isInCountryReviewer: flag(),
    }),
  )
  .map(([required, rest]): JsonObject => ({ ...required, ...rest }));

/** A team without repeated members, and without a proofreader unless it has a translator. */
const team = fc
  .uniqueArray(member, {
    maxLength: 4,
    comparator: (a, b) => a['id'] === b['id'] || `${a['username']}`.toLowerCase() === `${b['username']}`.toLowerCase(),
  })
  .map((members) => {
    const lacksTranslator =
      members.some(({ isProofreader }) => isProofreader === true) &&
      !members.some(({ isTranslator }) => isTranslator === true);
    return members.map((entry, n) => (lacksTranslator && n === 0 ? { ...entry, isTranslator: true } : entry));
  });

function targetLanguage(language: Language): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(
      named(language, 'targetLanguageId', 'targetLanguageCode'),
      optional({
        managedProject: flag(),
        serviceTranslation: flag(),
        serviceProofreading: flag(),
        serviceAutomaticTranslation: flag(),
        serviceAdaptiveTranslation: flag(),
        serviceScoring: flag(),
        styleGuideId: id(),
        state: fc.constantFrom('InProgress', 'InPreparation'),
        team,
        referenceNumber: text(),
        customField1: text(),
        customField2: text(),
        additionalInfo: text(),
      }),
    )
    .map(([name, rest]) => {
      const manual = rest['serviceTranslation'] === true || rest['serviceProofreading'] === true;
      const nobody = !Array.isArray(rest['team']) || rest['team'].length === 0;
      return { ...name, ...rest, ...(manual && nobody && { managedProject: true }) };
    });
}

const note = fc
  .tuple(
    fc.constantFrom(...LANGUAGES).chain((language) => named(language, 'languageId', 'languageCode')),
    optional({ note: text() }),
  )
  .map(([name, rest]): JsonObject => ({ ...name, ...rest }));

const segment = fc
  .tuple(
    fc.record({ content: text(200) }),
    optional({
      customId: text(),
      notes: text(),
      taskId: fc.oneof(fc.constantFrom('one', 'two'), visible()),
      languageSpecificNotes: fc.array(note, { maxLength: 3 }),
    }),
  )
  .map(([required, rest]): JsonObject => ({ ...required, ...rest }));

/** Returns any project that the documents allow. It has a custom id only if one is given. */
export const project = (): fc.Arbitrary<JsonObject> =>
  fc
    .shuffledSubarray([...LANGUAGES], { minLength: 2, maxLength: 5 })
    .chain(([source = ENGLISH, ...targets]) =>
      fc.tuple(
        named(source, 'sourceLanguageId', 'sourceLanguageCode'),
        fc.record({
          name: visible(),
          startDateUtc: start,
          endDateUtc: end,
          targetLanguages: fc.tuple(...targets.map(targetLanguage)),
          segments: fc.array(segment, { minLength: 1, maxLength: 6 }),
        }),
        optional({
          taskId: fc.oneof(fc.constantFrom('one', 'two'), visible()),
          description: text(),
          domainId: id(),
          eventUrl: fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }),
          processId: id(),
          referenceNumber: text(),
          customField1: text(),
          customField2: text(),
        }),
      ),
    )
    .map(([language, required, rest]): JsonObject => ({ ...language, ...required, ...rest }));
