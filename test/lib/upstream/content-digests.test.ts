import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestsOf, hasContentOf } from '../../../lib/upstream/content-digests.ts';
import { answered, checked } from './world.ts';

const NAME = 'Größe und Preis';
const CONTENTS = ['<p>Hello,  world!</p>\n', 'Zweite Zeile: ½ Ångström'];

const request = checked({
  name: NAME,
  sourceLanguageId: null,
  sourceLanguageCode: 'de-DE',
  targetLanguages: [{ targetLanguageCode: 'en-GB' }, { targetLanguageCode: 'fr' }],
  segments: CONTENTS.map((content) => ({ content })),
});
const sent = digestsOf(request, 'salt');
const project = answered(request);
const [english, french] = project.targetLanguages;
const [first, second] = project.segments;

const shows = (fields: object) => hasContentOf(sent, { ...project, ...fields });
const inContents = (change: (content: string) => string) => ({
  segments: project.segments.map((entry) => ({ ...entry, content: change(entry.content) })),
});

it('a project has the content that was sent, as a service that keeps the contract shows it', () => {
  expect(shows({})).toBe(true);
});

describe('a service may change', () => {
  const decomposed = (text: string) => text.normalize('NFD');
  it.each<[what: string, fields: object]>([
    ['white space in the name', { name: NAME.replaceAll(' ', '\u00a0 ') }],
    ['the Unicode form of the name', { name: decomposed(NAME) }],
    ['the Unicode form of contents', inContents(decomposed)],
    ['compatible characters of contents', inContents((text) => text.normalize('NFKC'))],
    ['white space in contents', inContents((text) => text.replaceAll(/\s+/g, ' '))],
    ['how lines end', inContents((text) => text.replaceAll('\n', '\r\n'))],
    ['characters that do not show', inContents((text) => `\ufeff${text.replace(' ', ' \u200b')}\u0000`)],
    ['the case of a language code', { sourceLanguageCode: 'DE-de' }],
    ['the spelling of a language code', { sourceLanguageCode: 'deu_DE' }],
    ['the order of target languages', { targetLanguages: [french, english] }],
    [
      'ids of languages, where the request had codes',
      { sourceLanguageId: 1, targetLanguages: [{ ...english, targetLanguageId: 2 }, french] },
    ],
    ['fields that are not compared', { description: 'Another', endDateUtc: null, creationDateUtc: 'now', domain: {} }],
  ])('%s', (_, fields) => {
    expect(shows(fields)).toBe(true);
  });
});

describe('a service may leave out', () => {
  it.each<[what: string, fields: object]>([
    ['the name, if it shows the contents', { name: undefined }],
    ['the name, as null', { name: null }],
    ['the name, as an empty text', { name: ' ' }],
    ['the source language', { sourceLanguageCode: undefined }],
    ['the source language, as a number', { sourceLanguageCode: 7 }],
    ['target languages, as an empty list', { targetLanguages: [] }],
    ['the code of one target language', { targetLanguages: [{ ...english, targetLanguageCode: undefined }, french] }],
    ['segments, if it shows the name', { segments: undefined }],
    ['segments, as an empty list', { segments: [] }],
    ['segments, as a text', { segments: 'none' }],
    ['the content of one segment', { segments: [{ ...first, content: undefined }, second] }],
    ['the contents of all segments', { segments: [{}, null] }],
  ])('%s', (_, fields) => {
    expect(shows(fields)).toBe(true);
  });
});

describe('a project is another one', () => {
  it.each<[what: string, fields: object]>([
    ['with another name', { name: 'Größe' }],
    ['with the name in another case', { name: NAME.toLowerCase() }],
    ['with another source language', { sourceLanguageCode: 'de-AT' }],
    ['with another target language', { targetLanguages: [english, { ...french, targetLanguageCode: 'it' }] }],
    ['with a target language more', { targetLanguages: [english, french, { targetLanguageCode: 'it' }] }],
    ['with a segment more', { segments: [first, second, second] }],
    ['with another content', { segments: [first, { ...second, content: 'Other' }] }],
    ['with another number of segments, without their contents', { segments: [{}] }],
    ['with segments in another order', { segments: [second, first] }],
    ['that shows neither its name nor its contents', { name: undefined, segments: [{}, {}] }],
  ])('%s', (_, fields) => {
    expect(shows(fields)).toBe(false);
  });
});

describe('languages that the request names by their ids', () => {
  const byId = checked({
    sourceLanguageCode: null,
    sourceLanguageId: project.sourceLanguageId,
    segments: [{ content: 'Text' }],
    targetLanguages: [english, french].map((entry) => ({ targetLanguageId: entry?.targetLanguageId ?? 0 })),
  });
  const digests = digestsOf(byId, 'salt');
  const shown = answered(byId);
  const [one, other] = shown.targetLanguages;

  it.each<[what: string, fields: object]>([
    ['with codes too', { sourceLanguageCode: 'anything' }],
    ['with ids in texts', { sourceLanguageId: `${shown.sourceLanguageId}` }],
    ['with target languages in another order', { targetLanguages: [other, one] }],
    ['without the ids', { sourceLanguageId: undefined, targetLanguages: [{}, {}] }],
  ])('are the same %s', (_, fields) => {
    expect(hasContentOf(digests, { ...shown, ...fields })).toBe(true);
  });

  it.each<[what: string, fields: object]>([
    ['another source language', { sourceLanguageId: one?.targetLanguageId }],
    ['another target language', { targetLanguages: [one, { ...other, targetLanguageId: shown.sourceLanguageId }] }],
  ])('are not the same with %s', (_, fields) => {
    expect(hasContentOf(digests, { ...shown, ...fields })).toBe(false);
  });
});

it('digests are compared for any project, whatever its texts', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), text, (contents, added) => {
      const fields = { segments: contents.map((content) => ({ content })) };
      const digests = digestsOf(fields, 'salt');
      const changed = contents.map((content) => ({ content: ` ${content.normalize('NFD')}\r\n` }));
      expect(hasContentOf(digests, { segments: changed })).toBe(true);
      const longer = [{ content: `${contents[0]}${added}x` }, ...changed.slice(1)];
      expect(hasContentOf(digests, { segments: longer })).toBe(false);
    }),
  );
});

it('long contents are compared to their end', () => {
  const segments = Array.from({ length: 3_000 }, (_, n) => ({ content: `${n} ${'a'.repeat(100)}` }));
  const digests = digestsOf({ segments }, 'salt');
  expect(hasContentOf(digests, { segments: segments.map((entry) => ({ ...entry })) })).toBe(true);
  expect(hasContentOf(digests, { segments: segments.with(-1, { content: `2999 ${'a'.repeat(99)}` }) })).toBe(false);
  expect(hasContentOf(digests, { segments: segments.with(0, { content: '0' }) })).toBe(false);
});

it('equal texts have other digests in another field, and with another salt', () => {
  const fields = { name: 'Same', segments: [{ content: 'Same' }] };
  const digests = ['one', 'other'].flatMap((salt) => Object.values(digestsOf(fields, salt).digests));
  expect(new Set(digests).size).toBe(6);
});
