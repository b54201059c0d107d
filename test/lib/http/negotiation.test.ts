import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptsGzip, preferredType, prefersAsync, prefersRepresentation } from '../../../lib/http/negotiation.ts';

describe('Accept', () => {
  it.each([
    [undefined, true],
    ['', true],
    ['*/*', true],
    ['application/*', true],
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['text/html, application/json;q=0.1', true],
    ['text/html,*/*;q=0.8', true],
    ['application/json;q=0, */*', false],
    ['application/*;q=0, */*', false],
    ['text/html', false],
    ['application/problem+json', false],
    ['application/json;q=0.0', false],
    ['application/json;q=x', false],
    ['application', false],
  ])('%j takes JSON: %s', (accept, takes) => {
    expect(preferredType(accept, ['application/json'])).toBe(takes ? 'application/json' : undefined);
  });

  it.each([
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    ['application/json, text/html', 'text/html'],
    ['text/*, application/*', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['application/json', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json, */*;q=0.9', 'application/json'],
    ['text/html;q=0.5, application/json;q=0.6', 'application/json'],
    ['text/html;q=0, */*', 'application/json'],
    ['text/*;q=0, */*;q=0.1', 'application/json'],
    ['text/html;q=0, application/json;q=0, */*', undefined],
    ['text/plain', undefined],
  ])('%j wants of HTML and JSON most: %s', (accept, type) => {
    expect(preferredType(accept, ['text/html', 'application/json'])).toBe(type);
  });
});

describe('Accept-Encoding', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['identity', false],
    ['br, deflate', false],
    ['gzip', true],
    ['GZip', true],
    ['x-gzip', true],
    ['*', true],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
    ['gzip;q=0', false],
    ['gzip; q=0, *', false],
    ['*;q=0', false],
  ])('%j takes gzip: %s', (header, takes) => {
    expect(acceptsGzip(header)).toBe(takes);
  });
});

describe('Prefer', () => {
  it.each([
    [undefined, false],
    ['return=representation', true],
    ['Return = "representation"', true],
    ['respond-async, return=representation', true],
    ['return=representation;x=1', true],
    ['return=minimal', false],
    ['return=representations', false],
    ['noreturn=representation', false],
  ])('%j asks for a representation: %s', (header, asks) => {
    expect(prefersRepresentation(header)).toBe(asks);
  });

  it.each([
    [undefined, false],
    ['respond-async', true],
    ['Respond-Async ; wait=10', true],
    ['return=representation,respond-async', true],
    ['respond-asynchronously', false],
    ['wait; respond-async', false],
    ['no-respond-async', false],
  ])('%j asks not to wait: %s', (header, asks) => {
    expect(prefersAsync(header)).toBe(asks);
  });
});

it('no header is too strange to be judged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (header) => {
      for (const judge of [acceptsGzip, prefersAsync, prefersRepresentation])
        expect(judge(header)).toBeTypeOf('boolean');
      expect(preferredType(header, ['text/html'])).toBeOneOf(['text/html', undefined]);
    }),
  );
});
