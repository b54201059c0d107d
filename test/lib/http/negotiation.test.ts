import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptsGzip,
  preferredType,
  prefersAsync,
  prefersRepresentation,
  prefersStrict,
} from '../../../lib/http/negotiation.ts';

describe('Accept', () => {
  it.each([
    ['', 'text/html'],
    ['application/json, */*;q=0.9', 'application/json'],
    ['text/html;q=0.5, application/json;q=0.6', 'application/json'],
    ['text/*;q=0, */*;q=0.1', 'application/json'],
    ['text/html;q=0, application/json;q=0, */*', undefined],
    ['application/json;q=x', undefined],
    ['application', undefined],
  ])('%j prefers of HTML and JSON: %s', (accept, type) => {
    expect(preferredType(accept, ['text/html', 'application/json'])).toBe(type);
  });
});

describe('Accept-Encoding', () => {
  it.each([
    [undefined, false],
    ['br, deflate', false],
    ['gzip', true],
    ['GZip', true],
    ['*', true],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
    ['gzip;q=0', false],
    ['gzip; q=0, *', false],
  ])('%j accepts gzip: %s', (header, takes) => {
    expect(acceptsGzip(header)).toBe(takes);
  });
});

describe('Prefer', () => {
  it.each([
    [undefined, false],
    ['return=representation', true],
    ['Return = "representation"', true],
    ['respond-async, return=representation', true],
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
    ['wait; respond-async', false],
    ['no-respond-async', false],
  ])('%j asks not to wait: %s', (header, asks) => {
    expect(prefersAsync(header)).toBe(asks);
  });

  it.each([
    [undefined, false],
    ['handling=strict', true],
    ['respond-async, Handling="strict"', true],
    ['handling=lenient', false],
    ['handling', false],
  ])('%j asks for strict handling: %s', (header, asks) => {
    expect(prefersStrict(header)).toBe(asks);
  });
});

it('any header can be read without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (header) => {
      for (const judge of [acceptsGzip, prefersAsync, prefersRepresentation])
        expect(judge(header)).toBeTypeOf('boolean');
      expect(preferredType(header, ['text/html'])).toBeOneOf(['text/html', undefined]);
    }),
  );
});
