import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REQUEST_LIMITS, readRequests } from '../../../lib/destinations/requests.ts';

const DESTINATION = { hosts: ['cms.example', 'cms.example:8443'], secretHeader: 'X-Token' };
const request = { method: 'PUT', url: 'https://cms.example/a?b=c', headers: { 'X-Kind': 'page' }, body: { a: 1 } };

/** Returns the faults of one request with these fields. */
function faultsOf(fields: object): string[] {
  const read = readRequests({ ...request, ...fields }, DESTINATION);
  return read.ok ? [] : read.faults.map(({ detail }) => detail);
}

describe('readRequests', () => {
  it('reads a request, an array and nothing', () => {
    expect(readRequests(undefined, DESTINATION)).toEqual({ ok: true, requests: [] });
    expect(readRequests(null, DESTINATION)).toEqual({ ok: true, requests: [] });
    expect(readRequests([], DESTINATION)).toEqual({ ok: true, requests: [] });
    const read = {
      method: 'PUT',
      url: 'https://cms.example/a?b=c',
      headers: { 'content-type': 'application/json', 'x-kind': 'page' },
      body: '{"a":1}',
    };
    expect(readRequests(request, DESTINATION)).toEqual({ ok: true, requests: [read] });
    expect(readRequests([request, request], DESTINATION)).toEqual({ ok: true, requests: [read, read] });
  });

  it('sends a text as it is, and a JSON value as JSON, with the type that the mapping gives', () => {
    const bodyOf = (fields: object) => {
      const read = readRequests({ method: 'POST', url: 'https://cms.example/', ...fields }, DESTINATION);
      return read.ok ? [read.requests[0]?.body, read.requests[0]?.headers['content-type']] : read.faults;
    };
    expect(bodyOf({ body: 'text' })).toEqual(['text', undefined]);
    expect(bodyOf({ body: [1] })).toEqual(['[1]', 'application/json']);
    expect(bodyOf({ body: false })).toEqual(['false', 'application/json']);
    const headers = { 'Content-Type': 'application/vnd.api+json' };
    expect(bodyOf({ body: {}, headers })).toEqual(['{}', 'application/vnd.api+json']);
    expect(bodyOf({ body: null })).toEqual([undefined, undefined]);
  });

  it.each([
    ['another host', { url: 'https://evil.example/' }],
    ['another port', { url: 'https://cms.example:8444/' }],
    ['a host below', { url: 'https://a.cms.example/' }],
    ['credentials', { url: 'https://a:b@cms.example/' }],
    ['no URL', { url: '/path' }],
    ['a long URL', { url: `https://cms.example/${'a'.repeat(REQUEST_LIMITS.urlCharacters)}` }],
    ['another method', { method: 'TRACE' }],
    ['a method in lower case', { method: 'put' }],
    ['a body of a GET', { method: 'GET' }],
    ['an unknown field', { path: '/' }],
    ['headers that are a list', { headers: [] }],
    ['a header with a line break', { headers: { a: 'b\r\nc: d' } }],
    ['a header name with a line break', { headers: { 'a\r\nb': 'c' } }],
    ['a header with a number', { headers: { a: 1 } }],
    ['a header of the connection', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['the host header', { headers: { Host: 'evil.example' } }],
    ['the idempotency key', { headers: { 'Idempotency-Key': 'a' } }],
    ['the header of the secret', { headers: { 'x-token': 'a' } }],
    ['a header for credentials', { headers: { AUTHORIZATION: 'a' } }],
    ['a header twice', { headers: { a: 'b', A: 'b' } }],
    ['too many headers', { headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`a${n}`, 'b'])) }],
    ['a long header', { headers: { a: 'b'.repeat(REQUEST_LIMITS.headerCharacters) } }],
    ['a large body', { body: 'x'.repeat(REQUEST_LIMITS.bodyBytes + 1) }],
  ])('refuses %s', (_, fields) => {
    expect(faultsOf(fields)).toHaveLength(1);
  });

  it('names the request of each fault, and says nothing of what it has', () => {
    const read = readRequests([request, { method: 'CANARY', url: 'CANARY' }, 'CANARY'], DESTINATION);
    expect(read).toMatchObject({ ok: false, faults: [{ request: 2 }, { request: 2 }, { request: 3 }, { request: 3 }] });
    expect(JSON.stringify(read)).not.toContain('CANARY');
  });

  it('refuses too many requests', () => {
    const read = readRequests(Array(REQUEST_LIMITS.requests + 1).fill(request), DESTINATION);
    expect(read).toMatchObject({ ok: false, faults: [{}] });
    expect(readRequests(Array(REQUEST_LIMITS.requests).fill(request), DESTINATION).ok).toBe(true);
  });

  it('lets only requests to known hosts and with safe headers through, whatever a mapping returns', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('cms.example', 'https://cms.example/', 'X-Token', '\r\n'));
    const entry = fc.record(
      {
        method: fc.oneof(text, fc.constantFrom('PUT', 'GET')),
        url: fc.oneof(text, fc.webUrl(), fc.constant('https://cms.example/a')),
        headers: fc.oneof(fc.jsonValue(), fc.dictionary(text, text)),
        body: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(entry, fc.array(entry), fc.jsonValue()), (result) => {
        const read = readRequests(result, DESTINATION);
        if (!read.ok) {
          expect(read.faults.length).toBeGreaterThan(0);
          return;
        }
        for (const { url, headers } of read.requests) {
          expect(DESTINATION.hosts).toContain(new URL(url).host);
          for (const [name, value] of Object.entries(headers)) {
            expect(name).toMatch(/^[^\s:]+$/);
            expect(value).not.toMatch(/[\r\n]/);
            expect(['host', 'authorization', 'x-token', 'idempotency-key']).not.toContain(name);
          }
        }
      }),
    );
  });
});
