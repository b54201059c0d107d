import { describe, expect, it } from 'vitest';
import { allowedUrl, parseAllowedHost } from '../../../lib/service/allowed-hosts.ts';

describe('an allowed host', () => {
  it.each([
    ['api.example.com', 'api.example.com'],
    ['API.example.com:443', 'api.example.com'],
    ['api.example.com:8443', 'api.example.com:8443'],
    ['127.0.0.1:8080', '127.0.0.1:8080'],
    ['127.0.0.1', undefined],
    ['[2001:db8::1]', undefined],
    ['2130706433', undefined],
    ['api.example.com:25', undefined],
    ['https://api.example.com', undefined],
    ['api.example.com/path', undefined],
    ['user@api.example.com', undefined],
    ['*.example.com', undefined],
    ['', undefined],
  ])('is read from %s as %s', (text, host) => {
    expect(parseAllowedHost(text)).toBe(host);
  });
});

describe('an allowed URL', () => {
  const HOSTS = ['api.example.com', '127.0.0.1:8080'];

  it.each([
    ['https://api.example.com/a?b#c', 'https://api.example.com/a?b'],
    ['https://API.example.com:443/a', 'https://api.example.com/a'],
    ['http://127.0.0.1:8080/a', 'http://127.0.0.1:8080/a'],
    ['http://api.example.com/a', undefined],
    ['https://127.0.0.1:8080/a', undefined],
    ['https://api.example.com:8443/a', undefined],
    ['https://api.example.com@evil.example/a', undefined],
    ['https://user@api.example.com/a', undefined],
    ['https://api.example.com.evil.example/a', undefined],
    ['//api.example.com/a', undefined],
  ])('is read from %s as %s', (text, url) => {
    expect(allowedUrl(text, HOSTS)?.href).toBe(url);
  });
});
