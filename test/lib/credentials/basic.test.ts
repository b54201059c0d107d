import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basicHeader, readBasic } from '../../../lib/credentials/basic.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('Basic credentials', () => {
  it.each([
    ['as they are', `Basic ${base64('acme:key')}`, 'key'],
    ['in any case of the scheme', `bAsIc ${base64('acme:key')}`, 'key'],
    ['with more spaces', `Basic   ${base64('acme:key')}  `, 'key'],
    ['with colons in the key', `Basic ${base64('acme:a:b:')}`, 'a:b:'],
    ['without a key', `Basic ${base64('acme:')}`, ''],
    ['without padding', `Basic ${base64('acme:key').replace(/=+$/, '')}`, 'key'],
  ])('are read %s', (_, header, apiKey) => {
    expect(readBasic(header)).toEqual({ companyId: 'acme', apiKey });
  });

  it.each([
    '',
    'Basic',
    'Basic ',
    `Basic${base64('acme:key')}`,
    `Basic ${base64('no colon')}`,
    `Basic ${base64(':key')}`,
    `Basic ${base64('acme:key')}, Basic ${base64('other:key')}`,
    `Basic ${base64('acme:key')} trailing`,
    `Bearer ${base64('acme:key')}`,
    'Basic acme:key',
    `Basic ${base64('acme:key!')}A`,
    'Basic YWNtZTprZXl=',
    `Basic ${base64(`acme:${'x'.repeat(9_000)}`)}`,
  ])('are none in %s', (header) => {
    expect(readBasic(header)).toBeUndefined();
  });

  it('are read as they were made', () => {
    const text = fc.string({ unit: 'binary', maxLength: 100 }).filter((value) => value.isWellFormed());
    const companyId = text.filter((value) => value.length > 0 && !value.includes(':'));
    fc.assert(
      fc.property(fc.record({ companyId, apiKey: text }), (credentials) => {
        expect(readBasic(basicHeader(credentials))).toEqual(credentials);
      }),
    );
  });

  it('are read or not, whatever a header holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) =>
        ['object', 'undefined'].includes(typeof readBasic(`Basic ${text}`)),
      ),
    );
  });
});
