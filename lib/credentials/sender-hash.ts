import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type SigningKeys, signingKeyAt } from './signing-keys.ts';

/** Enough to tell senders apart. */
const HASH_CHARACTERS = 16;
/** A sender usually has a whole /64 of IPv6 addresses. */
const IPV6_GROUPS = 4;

/**
 * A keyed hash of a sender's address, for the log: the same address has the same hash until another key signs tokens. The
 * key is derived from the signing key, so that no other secret has to be read.
 */
export function senderHash(address: string, keys: SigningKeys, nowMs: number): string {
  const { secret } = signingKeyAt(keys, nowMs);
  const key = createHmac('sha256', secret).update('segue sender address').digest();
  return createHmac('sha256', key).update(networkOf(address)).digest('hex').slice(0, HASH_CHARACTERS);
}

/** An IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  return groupsOf(address).slice(0, IPV6_GROUPS).join(':');
}

/** The eight groups of an IPv6 address, those that `::` stands for included. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => group.replace(/^0+(?=.)/, '')));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after];
}
