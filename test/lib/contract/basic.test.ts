import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basicHeader, readBasic } from '../../../lib/contract/basic-credentials.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('readBasic', () => {
  it.each([
    [`Basic ${base64('acme:key')}`, 'key'],
    [`bAsIc ${base64('acme:key')}`, 'key'],
    [`Basic   ${base64('acme:key')}  `, 'key'],
    [`Basic ${base64('acme:a:b:')}`, 'a:b:'],
    [`Basic ${base64('acme:')}`, ''],
    [`Basic ${base64('acme:key').replace(/=+$/, '')}`, 'key'],
  ])('reads %j', (header, apiKey) => {
    expect(readBasic(header)).toEqual({ companyId: 'acme', apiKey });
  });

  it('reads what basicHeader makes', () => {
    const text = fc.string({ unit: 'binary', maxLength: 100 }).filter((value) => value.isWellFormed());
    const companyId = text.filter((value) => value.length > 0 && !value.includes(':'));
    fc.assert(
      fc.property(fc.record({ companyId, apiKey: text }), (credentials) => {
        expect(readBasic(basicHeader(credentials))).toEqual(credentials);
      }),
    );
  });

  it('returns undefined for other headers, and never throws', () => {
    const wrong = ['', 'Basic', 'Basic ', `Basic ${base64(':key')}`, `Basic ${base64(`a:${'x'.repeat(9_000)}`)}`];
    for (const header of wrong) expect(readBasic(header)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) =>
        ['object', 'undefined'].includes(typeof readBasic(`Basic ${text}`)),
      ),
    );
  });
});
