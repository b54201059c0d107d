import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ISO_639_2_TO_1 } from '../../../lib/contract/iso639.data.ts';
import { allLanguages, languageByCode, nearestLanguageCodes } from '../../../lib/contract/languages.ts';

/** Reads pairs such as `ger:de`. */
const pairsIn = (text: string) =>
  text
    .trim()
    .split(/\s+/)
    .map((pair): [string, string] => [pair.split(':')[0] ?? '', pair.split(':')[1] ?? '']);
const PAIRS = pairsIn(ISO_639_2_TO_1);

describe('the catalogue', () => {
  it('has every id, code and name once, in order of id', () => {
    expect(allLanguages().length).toBeGreaterThanOrEqual(170);
    expect(new Set(allLanguages().map(({ id }) => id)).size).toBe(allLanguages().length);
    expect(new Set(allLanguages().map(({ langCode }) => langCode.toLowerCase())).size).toBe(allLanguages().length);
    expect(new Set(allLanguages().map(({ descriptiveName }) => descriptiveName)).size).toBe(allLanguages().length);
    expect(allLanguages().map(({ id }) => id)).toEqual(
      allLanguages()
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    );
  });

  it('has well-formed codes in their usual case, with plain names', () => {
    for (const { id, langCode, descriptiveName } of allLanguages()) {
      expect(Number.isSafeInteger(id) && id > 0).toBe(true);
      expect(langCode).toMatch(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$/);
      expect(descriptiveName).toMatch(/^\p{Lu}[^()]*( \([^()]+\))?$/u);
    }
  });

  it('has the bare language of every regional or script form', () => {
    for (const { langCode } of allLanguages()) expect(languageByCode(langCode.split('-')[0] ?? '')).toBeDefined();
  });

  it('never changes an id: rows are only appended', () => {
    // The rows of the first edition. If this test fails, the data file is wrong, not the test.
    const rows = allLanguages()
      .slice(0, 554)
      .map(({ id, langCode }) => `${id}:${langCode}\n`);
    expect(createHash('sha256').update(rows.join('')).digest('hex')).toBe(
      '44579cf3b0dd3f4eeb2ff0e0f6b9b27fd39a084c5c2d68b2f120442eb6714f92',
    );
  });
});

describe('languageByCode', () => {
  it('finds every code in any case and with an underscore', () => {
    for (const language of allLanguages()) {
      for (const code of [language.langCode, language.langCode.replaceAll('-', '_')]) {
        expect(languageByCode(code)).toBe(language);
        expect(languageByCode(code.toLowerCase())).toBe(language);
        expect(languageByCode(code.toUpperCase())).toBe(language);
      }
    }
  });

  it.each(
    pairsIn(
      'deu:de ger:de GER_de:de-DE deu-AT:de-AT zho-Hans:zh-Hans chi_hant_tw:zh-Hant-TW jpn:ja fre-CA:fr-CA fra-ca:fr-CA ' +
        'nob-NO:nb-NO nor:no heb:he tgl:tl twi:tw bih:bh fil:fil fil-ph:fil-PH haw:haw yue_HK:yue-HK',
    ),
  )('reads %s as %s', (code, langCode) => {
    expect(languageByCode(code)?.langCode).toBe(langCode);
  });

  it.each(
    pairsIn(
      'iw:he IW_il:he-IL in:id in_ID:id-ID ji:yi mo:ro mo-MD:ro-MD sh:sr-Latn sh-Latn:sr-Latn en-UK:en-GB eng_UK:en-GB cmn:zh jw:jv ' +
        'tl:tl no:no bh:bh',
    ),
  )('reads %s, which may be a former code, as %s', (code, langCode) => {
    expect(languageByCode(code)?.langCode).toBe(langCode);
  });

  it.each(
    pairsIn(
      'zh-rTW:zh-TW zh-rtw:zh-TW pt-rBR:pt-BR iw-rIL:he-IL in-rID:id-ID deu-rAT:de-AT ZH_rHK:zh-HK ' +
        'b+sr+Latn:sr-Latn b+zh+Hant+TW:zh-Hant-TW B+es+419:es-419 b+iw:he',
    ),
  )('reads %s, in the form of Android, as %s', (code, langCode) => {
    expect(languageByCode(code)?.langCode).toBe(langCode);
  });

  it('rejects every other text', () => {
    const malformed = [
      '',
      '-',
      'de-',
      '-de',
      'b+',
      'b+de+',
      'de+DE',
      'de-r',
      'de-rD',
      'zh-rTW-x',
      'de--DE',
      'de DE',
      ' de',
      'de\n',
      'de'.repeat(500_000),
    ];
    const unknown = ['de-XX', 'xx', 'zzz', 'english', 'DE-deu', '__proto__', 'constructor'];
    // The Kelvin sign becomes k in lower case; the other letter is a dotted I.
    for (const code of [...malformed, ...unknown, '\u212Ao', 'f\u0130']) expect(languageByCode(code)).toBeUndefined();
  });
});

describe('three-letter codes', () => {
  it('name languages of the catalogue, which does not list them itself', () => {
    const codes = new Set(allLanguages().map(({ langCode }) => langCode));
    for (const [three, two] of PAIRS) {
      expect(languageByCode(three)?.langCode).toBe(two);
      expect(codes).not.toContain(three);
    }
  });

  it('agree with those of the runtime', () => {
    // The runtime uses newer codes for these three.
    const renamed: Readonly<Record<string, string>> = { bih: 'bho', tgl: 'fil', twi: 'ak' };
    const bibliographic = new Set(
      'alb arm baq bur chi cze dut fre geo ger gre ice mac mao may per rum slo tib wel'.split(' '),
    );
    for (const [three, two] of PAIRS) {
      if (bibliographic.delete(three)) continue;
      expect(new Intl.Locale(three).language).toBe(renamed[three] ?? two);
    }
    expect(bibliographic.size).toBe(0);
  });
});

describe('nearestLanguageCodes', () => {
  it.each([
    ['de-XX', ['de', 'de-DE', 'de-AT']],
    ['ger_XX', ['de', 'de-DE', 'de-AT']],
    ['dd-DE', ['de-DE']],
    ['aa-XX', ['aa']],
    ['zh-Hand', ['zh', 'zh-Hans', 'zh-Hant']],
    ['english', ['en', 'en-US', 'en-GB']],
    ['Germna', ['de', 'de-DE', 'de-AT']],
    ['chinese (simplified)', ['zh-Hans', 'zh', 'zh-Hant']],
    ['klingon', []],
    ['zz-ZZ', []],
    ['', []],
  ])('for %j returns %j', (code, codes) => {
    expect(nearestLanguageCodes(code)).toEqual(codes);
  });

  it.each([...pairsIn('iw-XX:he in-XX:id jp:ja cz:cs ua:uk dk:da xx:xh'), ['de DE', 'de-DE']])(
    'for %j begins with %s',
    (code, first) => {
      expect(nearestLanguageCodes(code)[0]).toBe(first);
    },
  );

  it('returns at most as many codes as requested', () => {
    expect([5, 1, 0].map((most) => nearestLanguageCodes('en-XX', most).length)).toEqual([5, 1, 0]);
  });

  it('returns different known codes for any string', () => {
    const alike = fc.string({ unit: fc.constantFrom(...'abdehnz-_DHX4 '), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), alike), (code) => {
        const codes = nearestLanguageCodes(code);
        expect(codes.length).toBeLessThanOrEqual(3);
        expect(new Set(codes).size).toBe(codes.length);
        for (const near of codes) expect(languageByCode(near)?.langCode).toBe(near);
      }),
    );
  });
});
