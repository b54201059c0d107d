import { BlockList, isIP } from 'node:net';

/**
 * The IPv4 networks that are not public, from the registry of special-purpose addresses (RFC 6890). `168.63.129.16` is
 * the host of a virtual machine on Azure, although it looks public.
 */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/**
 * The IPv6 network of public addresses. Everything outside is refused: loopback, link-local and unique local addresses,
 * multicast, and addresses that contain an IPv4 address, such as `::ffff:127.0.0.1` and those of NAT64.
 */
const PUBLIC_IPV6 = '2000::/3';
/** The networks in `PUBLIC_IPV6` that are not public: protocols and tunnels with IPv4 addresses, and documentation. */
const NOT_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const;

const refusedIpv4 = blockList(NOT_PUBLIC_IPV4, 'ipv4');
const publicIpv6 = blockList([PUBLIC_IPV6], 'ipv6');
const refusedIpv6 = blockList(NOT_PUBLIC_IPV6, 'ipv6');

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Whether an address belongs to a host on the public internet. An IPv6 address with a zone is never public. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false;
  const version = isIP(address);
  if (version === 4) return !refusedIpv4.check(address, 'ipv4');
  return version === 6 && publicIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6');
}
