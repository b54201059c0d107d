import { describe, expect, it } from 'vitest';
import { allLanguages } from '../../../lib/contract/languages.ts';
import { engineCode } from '../../../lib/service/engine-codes.ts';

describe('engineCode', () => {
  it.each([
    ['de-AT', ['de'], 'de'],
    ['de-AT', ['de', 'DE-at'], 'DE-at'],
    ['en', ['en-US'], undefined],
    ['sr-Latn', ['sr'], undefined],
    ['sr-Latn-RS', ['sr', 'sr-Latn'], 'sr-Latn'],
    ['sr-RS', ['sr'], 'sr'],
    ['zh-TW', ['zh', 'zh-Hant'], 'zh-Hant'],
    ['zh-TW', ['zh'], undefined],
    ['zh-CN', ['zh'], 'zh'],
    ['zh-Hans-HK', ['zh-HANS'], 'zh-HANS'],
    ['az-Cyrl', ['az'], undefined],
    ['pa-PK', ['pa'], undefined],
  ])('finds the code for %s among %j: %s', (code, codes, found) => {
    expect(engineCode(code, codes)).toBe(found);
  });

  it.each([
    ['pt', 'PT-PT'],
    ['pt-AO', 'PT-PT'],
    ['pt-BR', 'PT-BR'],
  ])('uses other names: %s is %s', (code, found) => {
    expect(engineCode(code, ['PT-BR', 'PT-PT'], { pt: 'PT-PT' })).toBe(found);
  });

  it('takes every code of the catalogue', () => {
    for (const { langCode } of allLanguages())
      expect(engineCode(langCode, [langCode.toUpperCase()])).toBe(langCode.toUpperCase());
  });
});
