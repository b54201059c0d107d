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
  if (version === 0) return undefined;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const bits = prefix === undefined ? PREFIX_BITS[family] : Number(prefix);
  return bits <= PREFIX_BITS[family] ? { address, bits, family } : undefined;
}

/** Whether a text is an IP address or a CIDR block. */
export function isNetwork(text: string): boolean {
  return readNetwork(text) !== undefined;
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
