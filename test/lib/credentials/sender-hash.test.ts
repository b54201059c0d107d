import { describe, expect, it } from 'vitest';
import { senderHash } from '../../../lib/credentials/sender-hash.ts';
import { NOW_MS } from '../support.ts';
import { SIGNING_KEYS } from './world.ts';

const hash = (address: string) => senderHash(address, SIGNING_KEYS, NOW_MS);
const [newest, older] = SIGNING_KEYS;

describe('the hash of a sender', () => {
  it('is the same for the same address, and differs for another', () => {
    expect(hash('203.0.113.7')).toBe(hash('203.0.113.7'));
    expect(hash('203.0.113.7')).not.toBe(hash('203.0.113.8'));
    expect(hash('203.0.113.7')).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    ['2001:db8:1:2::7', '2001:0DB8:0001:0002:aaaa:bbbb:cccc:dddd'],
    ['2001:db8::7', '2001:db8:0:0:1::'],
    ['::1', '::2'],
    ['fe80::1%eth0', 'fe80::2'],
  ])('is the same within a /64 network: %s and %s', (one, other) => {
    expect(hash(one)).toBe(hash(other));
  });

  it('differs for other IPv6 networks, and an IPv4-mapped address counts as its IPv4 address', () => {
    expect(hash('2001:db8:1:2::7')).not.toBe(hash('2001:db8:1:3::7'));
    expect(hash('::ffff:203.0.113.7')).toBe(hash('203.0.113.7'));
  });

  it('changes when another key signs tokens', () => {
    const later = senderHash('203.0.113.7', [{ ...newest, signsFromMs: NOW_MS + 1 }, older], NOW_MS);
    expect(later).not.toBe(hash('203.0.113.7'));
    expect(senderHash('203.0.113.7', [older], NOW_MS)).toBe(later);
  });
});
