import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInNetworks, networkOf } from '../../../lib/credentials/networks.ts';

it.each([
  '203.0.113.7',
  '203.0.113.0/24',
  '203.0.113.7/32',
  '0.0.0.0/0',
  '2001:db8::/32',
  '::1',
  '::ffff:203.0.113.7/128',
  '2001:DB8::/32',
  '0:0::/0',
])('%s is a network', (text) => expect(networkOf(text)).toBe(text));

it.each([
  '',
  '203.0.113',
  '203.0.113.0/33',
  '203.0.113.0/',
  '2001:db8::/129',
  '203.0.113.0/24/8',
  ' 203.0.113.7',
  'localhost',
  '010.0.0.1',
  'fe80::1%eth0',
  'fe80::1%eth0/64',
])('%j is no network', (text) => expect(networkOf(text)).toBeUndefined());

it.each([
  ['10.0.0.1/8', '10.0.0.0/8'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['203.0.113.255/31', '203.0.113.254/31'],
  ['255.255.255.255/0', '0.0.0.0/0'],
  ['2001:db8::1/32', '2001:db8::/32'],
  ['2001:db8:1:2:3:4:5:6/64', '2001:db8:1:2::/64'],
  ['1::/8', '::/8'],
  ['::ffff:203.0.113.7/120', '::ffff:cb00:7100/120'],
])('the network of %s is %s', (text, network) => expect(networkOf(text)).toBe(network));

describe('isInNetworks', () => {
  const networks = ['203.0.113.0/24', '198.51.100.7', '2001:db8:1::/48'];

  it.each(['203.0.113.0', '203.0.113.255', '198.51.100.7', '2001:db8:1:2::3', '::ffff:203.0.113.9'])(
    'finds %s',
    (address) => expect(isInNetworks(address, networks)).toBe(true),
  );

  it.each([undefined, '', 'unknown', '203.0.114.0', '198.51.100.8', '2001:db8:2::', '::ffff:203.0.114.9'])(
    'does not find %s',
    (address) => expect(isInNetworks(address, networks)).toBe(false),
  );

  it('decides by the bits of the prefix', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const address = fc.tuple(octet, octet, octet, octet);
    const numberOf = (parts: readonly number[]) => parts.reduce((all, part) => all * 256 + part, 0);
    fc.assert(
      fc.property(address, address, fc.integer({ min: 0, max: 32 }), (one, other, bits) => {
        const isSame = Math.floor(numberOf(one) / 2 ** (32 - bits)) === Math.floor(numberOf(other) / 2 ** (32 - bits));
        expect(isInNetworks(one.join('.'), [`${other.join('.')}/${bits}`])).toBe(isSame);
      }),
    );
  });
});
