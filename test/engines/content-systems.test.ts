import { expect, it } from 'vitest';
import { followPage } from '../content-systems/follow-page.ts';
import type { SystemName } from '../content-systems/systems.ts';

const { APERTIUM_URL = '' } = process.env;

const SPANISH = new Map([
  ['The house', /^la casa$/i],
  ['The <b>house</b> is open.', /<b>casa<\/b>.*abiert/i],
  ['The <b>house</b> is closed.', /<b>casa<\/b>.*cerrad/i],
]);

it.each([
  ['contentful', 'es-ES'],
  ['strapi', 'es'],
] satisfies [SystemName, string][])('%s gets the real Spanish of a page, with its HTML', (name, language) =>
  followPage(name, {
    env: { SEGUE_TRANSLATION_ENGINE: 'apertium', SEGUE_TRANSLATION_URL: APERTIUM_URL },
    languages: [language],
    first: { title: 'The house', body: 'The <b>house</b> is open.' },
    second: { title: 'The house', body: 'The <b>house</b> is closed.' },
    translationOf: (text) => expect.stringMatching(SPANISH.get(text) ?? /^$/),
  }),
);
