import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../lib/service/public-address.ts';
import { readReceiverUrl } from '../../../lib/service/receiver-url.ts';

/** An address of every special range, and others that name this machine or its network. */
const NOT_PUBLIC = `0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254
  169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1
  203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1
  100::1 2001::1 2001:0:7f00:1::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 3fff::1 5f00::1 fc00::1
  fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1`.split(/\s+/);
const PUBLIC = '8.8.8.8 93.184.216.34 172.32.0.1 100.128.0.1 2606:4700::1111 2a00:1450::1 2001:4860:4860::8888'.split(
  ' ',
);

describe('an address', () => {
  it.each(NOT_PUBLIC)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(PUBLIC)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
  it('that is none is not public', () => {
    fc.assert(fc.property(fc.string(), (text) => !isPublicAddress(`${text} `)));
  });
});

describe('an eventUrl', () => {
  it.each([
    'http://example.com/',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://user:secret@example.com/',
    'https://example.com:22/',
    'https://example.com:25/',
    'ftp://example.com/',
    'no url',
    'http://127.0.0.1:8080/',
  ])('%s is refused', (url) => expect(readReceiverUrl(url, false)).toBeUndefined());

  it.each([
    ['https://example.com/a?b=c#d', { hostname: 'example.com', port: 443, path: '/a?b=c' }],
    ['https://example.com:8443', { hostname: 'example.com', port: 8_443, path: '/' }],
    ['https://[2606:4700::1111]:2096/x', { hostname: '2606:4700::1111', port: 2_096, path: '/x' }],
  ])('%s is accepted', (url, expected) =>
    expect(readReceiverUrl(url, false)).toEqual({ protocol: 'https', ...expected }),
  );

  it('of a receiver on this machine is accepted only if that is allowed, and only as 127.0.0.1', () => {
    expect(readReceiverUrl('http://127.0.0.1:8080/x', true)).toEqual({
      protocol: 'http',
      hostname: '127.0.0.1',
      port: 8_080,
      path: '/x',
    });
    for (const url of ['http://localhost:8080/', 'http://127.0.0.2:8080/', 'http://[::1]:8080/', 'https://127.0.0.1/'])
      expect(readReceiverUrl(url, true)).toBeUndefined();
  });
});
