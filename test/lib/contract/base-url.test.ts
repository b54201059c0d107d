import { expect, it } from 'vitest';
import { readBaseUrl, writeBaseUrl } from '../../../lib/contract/base-url.ts';

const protocols = ['http', 'https'] as const;

it.each([
  ['https://service.example', 'https://service.example'],
  ['https://service.example/', 'https://service.example'],
  ['http://127.0.0.1:8787/', 'http://127.0.0.1:8787'],
  ['HTTPS://Service.Example:443/API/v1//', 'https://service.example/API/v1'],
  ['http://localhost:8787', 'http://localhost:8787'],
  ['http://127.1/api', 'http://127.0.0.1/api'],
  ['http://127.255.0.9', 'http://127.255.0.9'],
  ['http://[::1]:80/', 'http://[::1]'],
  ['https://service.example/a%2Fb%3Fc%23d/', 'https://service.example/a%2Fb%3Fc%23d'],
])('reads %s and writes it as %s', (text, written) => {
  const url = readBaseUrl(text, { protocols });
  expect(url && writeBaseUrl(url)).toBe(written);
});

it.each([
  ['nothing', ''],
  ['no URL', 'service.example'],
  ['another protocol', 'ftp://service.example'],
  ['plain HTTP to another machine', 'http://service.example'],
  ['plain HTTP to a private address', 'http://10.0.0.1:8787'],
  ['plain HTTP to every address of this machine', 'http://0.0.0.0:8787'],
  ['plain HTTP to a host that only begins like this machine', 'http://127.0.0.1.service.example'],
  ['plain HTTP to a host that only ends like this machine', 'http://service.example.localhost'],
  ['a user', 'https://acme@service.example'],
  ['a password', 'https://:key@service.example'],
  ['a query', 'https://service.example/?a=b'],
  ['a bare question mark', 'https://service.example/?'],
  ['a fragment', 'https://service.example/#a'],
  ['a bare number sign', 'https://service.example/api#'],
])('refuses %s', (_, text) => {
  expect(readBaseUrl(text, { protocols })).toBeUndefined();
});

it('refuses a protocol that is not among the given ones', () => {
  expect(readBaseUrl('http://127.0.0.1', { protocols: ['https'] })).toBeUndefined();
  expect(readBaseUrl('https://127.0.0.1', { protocols: ['https'] })).toBeDefined();
});
