import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../lib/contract/problem.ts';
import { checkSample } from '../../../../lib/webhooks/check-sample.ts';
import { NOW_MS } from '../../support.ts';

/** A mapping in which one list comes from a path. JSONata makes one value of a list with one entry. */
const mappingWith = (targets: string, segments: string) => `{ "create": {
  "name": "x", "endDateUtc": "2099-12-31T12:00:00Z", "sourceLanguageCode": "en-GB",
  "targetLanguages": ${targets}, "segments": ${segments}
} }`;
const ONE = { headers: {}, body: { languages: ['de'], items: [{ text: 'Hello' }] } };
const faultsOf = async (mapping: string) => {
  try {
    await checkSample(mapping, ONE, { nowMs: NOW_MS });
    return [];
  } catch (error) {
    return error instanceof Problem ? (error.occurrence.errors ?? []) : [];
  }
};

it.each([
  ['languages.{ "targetLanguageCode": $ }', '[{ "content": "x" }]', '/create/targetLanguages'],
  ['[{ "targetLanguageCode": "de" }]', 'items.{ "content": text }', '/create/segments'],
  [
    '[{ "targetLanguageCode": "de" }]',
    '[{ "content": "x", "languageSpecificNotes": languages.{ "languageCode": $, "note": "n" } }]',
    '/create/segments/0/languageSpecificNotes',
  ],
])(
  'the fault of a mapping with one value in place of a list says how to keep the list: %s %s',
  async (targets, segments, pointer) => {
    const [fault, ...others] = await faultsOf(
      mappingWith(targets, segments).replaceAll('languages.', 'body.languages.').replaceAll('items.', 'body.items.'),
    );
    expect(others).toEqual([]);
    expect(fault?.pointer).toBe(pointer.replace('/create', ''));
    expect(fault?.detail).toMatch(/must be an array.* write \[\] after the path/);
  },
);

describe('the fault of a list without entries says what to return', () => {
  it.each([
    ['body.none.{ "content": text }[]', 'required'],
    ['[body.none.{ "content": text }]', 'too-few'],
    ['null', 'required'],
  ])('%s', async (segments, code) => {
    const [fault, ...others] = await faultsOf(mappingWith('[{ "targetLanguageCode": "de" }]', segments));
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ pointer: '/segments', code, detail: expect.stringContaining('return no command') });
  });

  it('and the suggested form returns none', async () => {
    expect(await faultsOf('body.none ? { "create": { "segments": body.none } }')).toEqual([]);
  });
});

describe('the fault of a mapping that returns no command says what a mapping returns', () => {
  it.each([
    ['"a text"', ''],
    ['5', ''],
    ['true', ''],
    ['{ "delete": [{ "scope": "project", "customId": "a" }, { "scope": "project", "customId": "b" }] }', '/delete'],
    ['{ "delete": "a" }', '/delete'],
    ['{ "delete": null }', '/delete'],
    ['["a", { "delete": { "scope": "project", "customId": "a" } }]', '/0'],
    ['[{ "delete": { "scope": "project", "customId": "a" } }, null]', '/1'],
    ['[[{ "delete": { "scope": "project", "customId": "a" } }]]', '/0'],
    ['{ "create": "a" }', ''],
    ['{ "create": [{ "name": "a" }, { "name": "b" }] }', ''],
  ])('%s', async (mapping, pointer) => {
    const [fault] = await faultsOf(mapping);
    expect(fault?.pointer).toBe(pointer);
    expect(fault?.detail).toMatch(/object.* A mapping returns \{ "put": <project> \}, .* or nothing\.$/);
  });

  it('but not the faults of the fields of a command', async () => {
    for (const mapping of ['{ "remove": 1 }', '{ "delete": {} }', '{ "delete": { "scope": 5, "customId": "a" } }'])
      for (const { detail } of await faultsOf(mapping)) expect(detail).not.toContain('A mapping returns');
  });
});

it.each(['{ "create": { "name": body.none } }', '{ "put": { "name": body.none } }', '{ "delete": {} }'])(
  'the fault of a missing field says why a mapping leaves one out: %s',
  async (mapping) => {
    const required = (await faultsOf(mapping)).filter(({ code }) => code === 'required');
    expect(required).not.toEqual([]);
    for (const { detail } of required)
      expect(detail).toContain('JSONata leaves a field out if its path finds nothing.');
  },
);

it('the suggested form keeps the list', async () => {
  const mapping = mappingWith('body.languages[].{ "targetLanguageCode": $ }', 'body.items[].{ "content": text }');
  expect(await faultsOf(mapping)).toEqual([]);
});

it('the fault of another type has no such hint', async () => {
  const [fault] = await faultsOf(mappingWith('[{ "targetLanguageCode": 5 }]', '[{ "content": "x" }]'));
  expect(fault?.detail).not.toContain('[]');
});
