import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type SigningKeys, signingKeyAt } from './signing-keys.ts';

/** The length of a hash in characters. It is enough to distinguish senders. */
const HASH_CHARACTERS = 16;
/** How many groups of an IPv6 address are hashed: the /64 network. A sender usually has a whole /64 network. */
const IPV6_GROUPS = 4;

/**
 * Hashes a sender's address for the log. The hash key is derived from the key that signs tokens, so no other secret is
 * read. An address gets another hash when another key starts to sign.
 */
export function senderHash(address: string, keys: SigningKeys, nowMs: number): string {
  const { secret } = signingKeyAt(keys, nowMs);
  const key = createHmac('sha256', secret).update('segue sender address').digest();
  return createHmac('sha256', key).update(networkOf(address)).digest('hex').slice(0, HASH_CHARACTERS);
}

/** Returns the text to hash: an IPv4 address, or the /64 network of an IPv6 address. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  return groupsOf(address).slice(0, IPV6_GROUPS).join(':');
}

/** Expands `::`, and returns the eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => group.replace(/^0+(?=.)/, '')));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after];
}
