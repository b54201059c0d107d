import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { checkProject } from '../../lib/contract/check-project.ts';
import openApi from '../../lib/contract/openapi.json' with { type: 'json' };
import { readQuery } from '../../lib/contract/parameters.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { readIdempotency } from '../../lib/http/idempotency-key.ts';
import { refByCustomId, refById } from '../../lib/http/project-ref.ts';
import { readRequest } from '../../lib/http/request.ts';
import type { OperationId } from '../../lib/operations/routes.ts';
import { contextOf, eventOf } from '../lib/http/fixture.ts';
import { NOW_MS, project } from '../lib/support.ts';
import { describedBy } from '../support/described.ts';
import type { JsonObject } from '../support/projects.ts';

// The API description and the code accept the same values, checked around the limits.

const CLOCK = { nowMs: NOW_MS, toleranceMs: 300_000 };

const describedProject = describedBy({ $ref: '#/components/schemas/ProjectRequest' });

/** Whether the code accepts a value without a problem. */
function isTaken(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

const takesProject = (value: unknown) => isTaken(() => checkProject(value, CLOCK));

const Parameters = z.object({
  operationId: z.string(),
  parameters: z._default(z.array(z.object({ name: z.string(), schema: z.looseObject({}) })), []),
});

function parameterOf(id: OperationId, name: string) {
  const operations = Object.values(openApi.paths).flatMap((methods) => Object.values(methods));
  for (const operation of operations) {
    const { operationId, parameters } = Parameters.parse(operation);
    const found = parameters.find((parameter) => parameter.name === name);
    if (operationId === id && found) return describedBy(found.schema);
  }
  throw new RangeError(`${id} has no parameter ${name}`);
}

/** Texts that are nearly blank, reserved or too long. */
const spaces = fc.constantFrom(...'\t\n\u0000\u00a0\u00ad\u200b\u2028\u3000\ufeff ', '');
const letters = fc.constantFrom('', '.', '..', '...', 'a', '\u0301', '😀', '\ufffd', '\uffff', '0');
const odd = fc.array(fc.oneof(spaces, letters), { maxLength: 4 }).map((parts) => parts.join(''));
const long = (most: number) =>
  fc
    .record({ count: fc.integer({ min: most - 2, max: most + 2 }), letter: fc.constantFrom('a', '😀', '\u200b') })
    .map(({ count, letter }) => letter.repeat(count));
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.5, 1.5, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 1e15, 1e300),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Expects description and code to give the same verdict about fields of a project. */
function expectSame(fields: JsonObject): boolean {
  const value = project(fields);
  expect({ fields, isTaken: takesProject(value) }).toEqual({ fields, isTaken: describedProject(value) });
  return true;
}

const segments = (fields: JsonObject): JsonObject => ({ segments: [{ content: 'x', ...fields }] });
const targets = (fields: JsonObject): JsonObject => ({ targetLanguages: [{ targetLanguageCode: 'de', ...fields }] });
const members = (fields: JsonObject): JsonObject =>
  targets({ team: [{ id: 1, name: 'n', username: 'a@example.com', ...fields }] });

describe('the description and the code accept the same projects', () => {
  const texts: readonly (readonly [name: string, of: (value: string) => JsonObject, most: number])[] = [
    ['name', (name) => ({ name }), 1_000],
    ['a member’s name', (name) => members({ name }), 1_000],
    ['taskId, which may be empty', (taskId) => ({ taskId }), 1_000],
    ['a segment’s taskId', (taskId) => segments({ taskId }), 1_000],
    ['customId', (customId) => ({ customId }), 255],
    ['a segment’s customId', (customId) => segments({ customId }), 1_000],
    ['content', (content) => segments({ content }), 1_000],
    ['notes', (notes) => segments({ notes }), 10_000],
    ['description', (description) => ({ description }), 10_000],
  ];
  it.each(texts)('text: %s', (_, of, most) => {
    fc.assert(
      fc.property(fc.oneof(odd, long(most)), (value) => expectSame(of(value))),
      { numRuns: 50 },
    );
  });

  it('the fields of which one is needed', () => {
    for (const [id, code] of [
      [undefined, undefined],
      [null, null],
      [53, undefined],
      [null, 'de-DE'],
      [53, 'de-DE'],
    ]) {
      const named = (idField: string, codeField: string): JsonObject => ({
        ...(id !== undefined && { [idField]: id }),
        ...(code !== undefined && { [codeField]: code }),
      });
      const noSource = {
        sourceLanguageId: null,
        sourceLanguageCode: null,
        targetLanguages: [{ targetLanguageId: 72 }],
      };
      expectSame({ ...noSource, ...named('sourceLanguageId', 'sourceLanguageCode') });
      expectSame({ targetLanguages: [named('targetLanguageId', 'targetLanguageCode')] });
      expectSame(segments({ languageSpecificNotes: [named('languageId', 'languageCode')] }));
    }
  });

  const ids: readonly (readonly [name: string, of: (value: number) => JsonObject])[] = [
    ['domainId', (domainId) => ({ domainId })],
    ['processId', (processId) => ({ processId })],
    ['styleGuideId', (styleGuideId) => targets({ styleGuideId })],
    ['a member’s id', (id) => members({ id })],
  ];
  it.each(ids)('id: %s', (_, of) => {
    fc.assert(fc.property(number, (value) => expectSame(of(value))));
  });

  it('dates, except days that a month lacks, and years without four digits', () => {
    const part = (most: number) => fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'));
    const date = fc
      .record({
        day: fc.tuple(part(14), part(33)).map((parts) => parts.join('-')),
        separator: fc.constantFrom('T', 't', ' ', ''),
        time: fc.tuple(part(25), part(61), part(61)).map((parts) => parts.join(':')),
        fraction: fc.constantFrom('', '.', '.1', '.1234567', '.123456789', '.1234567890', ',1'),
        zone: fc.oneof(
          fc.constantFrom('', 'Z', 'z', '+00:00', '-00:00', ' Z', '+5:00', '+0500', 'ZZ', '\n'),
          fc.tuple(fc.constantFrom('+', '-', '−'), part(25), part(61)).map(([sign, h, m]) => `${sign}${h}:${m}`),
        ),
      })
      .map(({ day, separator, time, fraction, zone }) => `2098-${day}${separator}${time}${fraction}${zone}`);
    const lacking = /-(?:02-(?:29|3[01])|(?:0[469]|11)-31)[Tt]/;
    fc.assert(
      fc.property(date, (endDateUtc) => {
        if (!lacking.test(endDateUtc)) return expectSame({ endDateUtc });
        return !takesProject(project({ endDateUtc }));
      }),
      { numRuns: 100 },
    );
  });

  it('eventUrl, except texts that no URL parser accepts', () => {
    const scheme = fc.constantFrom('https://', 'HTTPS://', 'http://', 'https:/', 'https:', 'ftp://', ' https://', '');
    const hosts = [
      'example.com',
      'ä.example',
      '[::1]',
      '127.0.0.1:8443',
      '',
      '/',
      '[',
      'a b',
      'a\u0085',
      'a\u00a0',
      'user@x',
    ];
    const host = fc.constantFrom(...hosts);
    const path = fc.constantFrom('', '/', '/a?b=c#d', '/%zz', '/ ', '/\n', '/\u0000', '/\u3000', '/ü');
    fc.assert(
      fc.property(fc.tuple(scheme, host, path), (parts) => {
        const eventUrl = parts.join('');
        return URL.canParse(eventUrl) || eventUrl === ''
          ? expectSame({ eventUrl })
          : !takesProject(project({ eventUrl }));
      }),
      { numRuns: 200 },
    );
  });
});

describe('the description and the code accept the same parameters', () => {
  const id36 = (id: bigint) => `c${id.toString(36)}`;
  const cursor = fc.oneof(
    fc.stringMatching(/^c?[0-9a-z]{0,12}$/),
    fc.stringMatching(/^c0?[0-9a-zA-Z_]{0,11}\n?$/),
    fc.bigInt({ min: 2n ** 53n - 3_000n, max: 2n ** 53n + 3_000n }).map(id36),
    fc.bigInt({ min: 1n, max: 2n ** 56n }).map(id36),
  );
  const segmentCursor = fc.oneof(
    fc.stringMatching(/^s?[0-9a-z]{0,5}\.?[A-Za-z0-9_.-]{0,3}\n?$/),
    fc.integer({ min: 62, max: 66 }).map((count) => `s1.${'a'.repeat(count)}`),
  );
  const id = fc.oneof(
    fc.bigInt({ min: -3n, max: 3n }),
    fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
    fc.bigInt({ min: 1n, max: 2n ** 60n }),
  );
  const piece = fc.constantFrom('a', '"', '\\', '\\"', '\\\\', ' ', '~', '!', '\x7f', 'é', '\t', '#', '[', ']');
  const short = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(''));
  const near = fc.integer({ min: 253, max: 258 }).map((count) => 'k'.repeat(count));
  const quoted = fc.oneof(short, near).chain((text) => fc.constantFrom(text, `"${text}"`, `"${text}`, `${text}"`));

  const readKey = (value: string) => {
    const event = eventOf('deleteProject', { headers: { 'idempotency-key': value } });
    return readIdempotency(readRequest(event, contextOf(), Date.now));
  };
  const rows: [OperationId, name: string, values: fc.Arbitrary<string>, read: (text: string) => unknown][] = [
    ['deleteProject', 'taskId', fc.oneof(odd, long(1_000)), (text) => readQuery(['taskId'], { taskId: [text] })],
    ['listProjects', 'cursor', cursor, (text) => readQuery(['cursor'], { cursor: [text] })],
    [
      'listProjects',
      'customIdPrefix',
      fc.oneof(odd, long(255)),
      (text) => readQuery(['customIdPrefix'], { customIdPrefix: [text] }),
    ],
    ['getSegments', 'cursor', segmentCursor, (text) => readQuery(['segmentCursor'], { cursor: [text] })],
    ['getProject', 'id', id.map(String), refById],
    ['getProjectByCustomId', 'customId', fc.oneof(odd, long(255)), (text) => refByCustomId(encodeURIComponent(text))],
    ['deleteProject', 'Idempotency-Key', quoted, readKey],
  ];
  it.each(rows)('%s: %s', (operation, name, values, read) => {
    const described = parameterOf(operation, name);
    const property = fc.property(values, (text) => {
      const value = name === 'id' ? Number(text) : text;
      expect([text, isTaken(() => read(text))]).toEqual([text, described(value)]);
    });
    fc.assert(property, { numRuns: 150, examples: name === 'Idempotency-Key' ? [[`"${'\\"'.repeat(255)}"`]] : [] });
  });
});
