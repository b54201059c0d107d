import { expect, it } from 'vitest';
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

it('the suggested form keeps the list', async () => {
  const mapping = mappingWith('body.languages[].{ "targetLanguageCode": $ }', 'body.items[].{ "content": text }');
  expect(await faultsOf(mapping)).toEqual([]);
});

it('the fault of another type has no such hint', async () => {
  const [fault] = await faultsOf(mappingWith('[{ "targetLanguageCode": 5 }]', '[{ "content": "x" }]'));
  expect(fault?.detail).not.toContain('[]');
});
