import { isIP } from 'node:net';

/** A range of addresses, as AWS WAF takes it. */
export interface Network {
  readonly version: 'IPV4' | 'IPV6';
  /** The address with the length of its prefix, such as `203.0.113.0/24`. */
  readonly cidr: string;
}

const BITS = { 4: 32, 6: 128 } as const;

/** Reads a network, or a single address. Returns `undefined` if the text is neither. */
export function readNetwork(text: string): Network | undefined {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version !== 4 && version !== 6) return undefined;
  const bits = digits === undefined ? BITS[version] : Number(digits);
  // WAF takes no network of all addresses.
  if (bits < 1 || bits > BITS[version]) return undefined;
  return { version: version === 4 ? 'IPV4' : 'IPV6', cidr: `${address}/${bits}` };
}
