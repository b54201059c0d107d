import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemeOf } from '../../../lib/signatures/schemes.ts';
import type { SchemeSettings } from '../../../lib/signatures/stored-scheme.ts';
import { verifyMessage } from '../../../lib/signatures/verify-message.ts';
import { NOW_MS } from '../support.ts';
import { type Headers, PATH, received } from './messages.ts';

const SECRET = '0123456789abcdef';

const prove = (settings: SchemeSettings, headers: Headers, query: Headers = {}, secrets = [SECRET]) =>
  verifyMessage(schemeOf(settings), secrets, received(headers, '{}', { query }), NOW_MS);
const accepted = { messageId: undefined, signedAtMs: undefined };

describe('the scheme token', () => {
  const basic = `Basic ${Buffer.from(`strapi:${SECRET}`).toString('base64')}`;

  it.each<[string, SchemeSettings, string, string]>([
    ['a header', { name: 'token', header: 'x-token' }, 'x-token', SECRET],
    [
      'a header with a prefix',
      { name: 'token', header: 'authorization', prefix: 'Bearer ' },
      'authorization',
      `Bearer ${SECRET}`,
    ],
    ['HTTP Basic', { name: 'token', basic: 'strapi' }, 'authorization', basic],
  ])('accepts exactly the secret in %s', (_, settings, name, right) => {
    expect(prove(settings, { [name]: right })).toEqual(accepted);
    expect(schemeOf(settings).sign(SECRET, { id: '', atMs: NOW_MS, path: PATH, headers: {}, body: '' })).toEqual({
      [name]: right,
    });
    const near = [
      right.slice(1),
      right.slice(0, -1),
      `${right} `,
      ` ${right}`,
      right.toUpperCase(),
      `${right}=`,
      '',
      SECRET.slice(1),
    ];
    for (const text of near) expect([text, prove(settings, { [name]: text })]).toEqual([text, 'wrong']);
    fc.assert(fc.property(fc.string(), (text) => prove(settings, { [name]: text }) === 'wrong'));
    expect(prove(settings, {})).toBe('missing');
    expect(prove(settings, { [name]: [right, right] })).toBe('malformed');
    expect(prove(settings, {}, { [name]: right })).toBe('missing');
  });

  it('accepts exactly the secret in a query parameter', () => {
    const settings = { name: 'token', query: 'token' } as const;
    expect(prove(settings, {}, { token: SECRET })).toEqual(accepted);
    expect(prove(settings, {}, { token: 'wrong' })).toBe('wrong');
    expect(prove(settings, {}, { token: [SECRET, SECRET] })).toBe('malformed');
    expect(prove(settings, { token: SECRET })).toBe('missing');
    expect(schemeOf(settings).queryParameter).toBe('token');
  });

  it('accepts either of two live secrets, and no secret of another form', () => {
    const settings = { name: 'token', header: 'x-token' } as const;
    expect(prove(settings, { 'x-token': SECRET }, {}, ['another secret of it', SECRET])).toEqual(accepted);
    expect(prove(settings, { 'x-token': SECRET }, {}, [])).toBe('wrong');
    expect(prove(settings, { 'x-token': 'short' }, {}, ['short'])).toBe('wrong');
    expect(prove(settings, { 'x-token': '' }, {}, [''])).toBe('wrong');
  });
});
