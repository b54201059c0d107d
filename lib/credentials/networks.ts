import { BlockList, isIP } from 'node:net';

const PREFIX_BITS = { ipv4: 32, ipv6: 128 } as const;

interface Network {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Reads a network: an IP address, or a CIDR block such as `203.0.113.0/24`. Returns `undefined` for any other text. */
function readNetwork(text: string): Network | undefined {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  // A zone, as in `fe80::1%eth0`, is of one machine only.
  if (version === 0 || address.includes('%')) return undefined;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const bits = prefix === undefined ? PREFIX_BITS[family] : Number(prefix);
  return bits <= PREFIX_BITS[family] ? { address, bits, family } : undefined;
}

/**
 * Returns the network that a text names, with all bits after the prefix 0: `10.0.0.0/8` for `10.0.0.1/8`. Returns a text
 * without such bits as it is, and `undefined` for a text that is neither an IP address nor a CIDR block.
 */
export function networkOf(text: string): string | undefined {
  const network = readNetwork(text);
  if (!network) return undefined;
  const { address, bits, family } = network;
  const groups = groupsOf(address, family);
  const size = PREFIX_BITS[family] / groups.length;
  const first = groups.map((group, index) => {
    const step = 2 ** (size - Math.min(Math.max(bits - index * size, 0), size));
    return group - (group % step);
  });
  if (first.every((group, index) => group === groups[index])) return text;
  const written = family === 'ipv4' ? first.join('.') : canonical(first.map((group) => group.toString(16)).join(':'));
  return `${written}/${bits}`;
}

/** Returns the numbers of an address: four bytes, or eight groups of 16 bits. */
function groupsOf(address: string, family: Network['family']): number[] {
  if (family === 'ipv4') return address.split('.').map(Number);
  const [before = [], after = []] = canonical(address)
    .split('::')
    .map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

/** Writes an IPv6 address in its shortest form, without a part in decimals. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/**
 * Whether an IP address is in one of some networks.
 * @param address the address of a sender; `undefined`, if it is not known, is in no network
 * @param networks IP addresses and CIDR blocks
 */
export function isInNetworks(address: string | undefined, networks: readonly string[]): boolean {
  const version = isIP(address ?? '');
  if (address === undefined || version === 0) return false;
  const list = new BlockList();
  for (const network of networks.map(readNetwork)) {
    if (network) list.addSubnet(network.address, network.bits, network.family);
  }
  return list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
