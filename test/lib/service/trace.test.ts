import { describe, expect, it } from 'vitest';
import { readTraceparent, traceFrom, traceparentOf } from '../../../lib/service/trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('a traceparent header', () => {
  it.each([
    `00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-00`,
    `cc-${TRACE}-${PARENT}-09`,
    `cc-${TRACE}-${PARENT}-01-what-comes-later`,
  ])('has a trace: %s', (header) => {
    expect(readTraceparent(header)).toBe(TRACE);
  });

  it.each([
    undefined,
    '',
    TRACE,
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}-01,00-${TRACE}-${PARENT}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `cc-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE.slice(1)}-${PARENT}-01`,
    ` 00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-0g`,
    '00-x'.repeat(10_000),
  ])('is ignored if it is ill-formed: %s', (header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });
});

describe('a new trace', () => {
  it('has the digits of a UUID, also of an execution', () => {
    const uuid = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736';
    expect(traceFrom(uuid)).toBe(TRACE);
    expect(traceFrom(`arn:aws:states:eu-central-1:123456789012:execution:Machine:${uuid}`)).toBe(TRACE);
  });

  it.each(['request-1', '', '00000000-0000-0000-0000-000000000000', 'arn:aws:states:::execution:Machine:monday'])(
    'is a hash of any other id: %s',
    (id) => {
      expect(traceFrom(id)).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
      expect(traceFrom(id)).toBe(traceFrom(id));
      expect(traceFrom(id)).not.toBe(traceFrom(`${id}x`));
    },
  );

  it('goes on in a header that a receiver can read, with the request as its parent', () => {
    const header = traceparentOf(TRACE, 'request-1');
    expect(readTraceparent(header)).toBe(TRACE);
    expect(header).toMatch(/-01$/);
    expect(header).not.toBe(traceparentOf(TRACE, 'request-2'));
  });
});
