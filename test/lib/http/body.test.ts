import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/credentials.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import { obtainToken } from '../../../lib/http/operations/obtain-token.ts';
import { authenticationWith, companyKey, keyTable } from '../credentials/world.ts';
import { project } from '../support.ts';
import { contextOf, documentWith, type EventOptions, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const good = JSON.stringify(project());
const { options } = keptLog();
const create = createProject(fakeService({ create: () => documentWith(5) }), options);

/** The last part of the problem's type, or the status of a success. */
async function outcomeOf(event: EventOptions): Promise<unknown> {
  const { status, text } = readAnswer(await create(eventOf('createProject', event), contextOf()));
  return status === 201 ? status : /problems\/([a-z-]+)"/.exec(text)?.[1];
}

const typed = (type: string) => ({ 'Content-Type': type });
/** A text of so many bytes that is a project until its padding decides otherwise. */
const padded = (bytes: number) => good + ' '.repeat(bytes - Buffer.byteLength(good));

describe('the type of a body', () => {
  it('given twice, under names of different case, is not read', async () => {
    const headers = { 'Content-Type': 'text/plain', 'content-type': 'application/json' };
    expect(await outcomeOf({ body: good, headers })).toBe('unsupported-media-type');
  });

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/vnd.api+json',
    'application/json-patch+json',
  ])('%s is read', async (type) => {
    expect(await outcomeOf({ body: good, headers: typed(type) })).toBe(201);
  });

  it.each([
    'text/json',
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'application/json, application/json',
    'application/json; charset=iso-8859-1',
    'application/+json',
    '',
  ])('%s is not read', async (type) => {
    expect(await outcomeOf({ body: good, headers: typed(type) })).toBe('unsupported-media-type');
  });
});

describe('the coding of a body', () => {
  it.each<[string, Uint8Array | string, string]>([
    ['as it is', good, 'identity'],
    ['gzip', gzipSync(good), 'gzip'],
    ['gzip in capitals', gzipSync(good), 'GZIP'],
    ['gzip that the gateway has unpacked and left its header', good, 'gzip'],
    ['gzip without a header', gzipSync(good), ''],
  ])('%s is read', async (_, body, coding) => {
    expect(await outcomeOf({ body, headers: { 'Content-Encoding': coding } })).toBe(201);
  });

  it.each<[string, Uint8Array | string, string, string]>([
    ['br', brotliCompressSync(good), 'br', 'unsupported-media-type'],
    ['two codings', gzipSync(good), 'gzip, gzip', 'unsupported-media-type'],
    ['gzip in gzip', gzipSync(gzipSync(good)), 'gzip', 'malformed-json'],
    ['half a stream', gzipSync(good).subarray(0, 50), 'gzip', 'malformed-json'],
    ['a stream with something behind', Buffer.concat([gzipSync(good), Buffer.from('{}')]), 'gzip', 'malformed-json'],
    [
      'a stream with a wrong checksum',
      Buffer.concat([gzipSync(good).subarray(0, -8), Buffer.alloc(8)]),
      'gzip',
      'malformed-json',
    ],
    ['only a beginning', Uint8Array.of(0x1f, 0x8b), 'gzip', 'malformed-json'],
  ])('%s is refused', async (_, body, coding, problem) => {
    expect(await outcomeOf({ body, headers: { 'Content-Encoding': coding } })).toBe(problem);
  });
});

describe('the size of a body', () => {
  it.each([
    ['as it is', (text: string) => text],
    ['gzip', (text: string) => gzipSync(text)],
  ])('is measured after decoding: %s', async (_, encode) => {
    expect(await outcomeOf({ body: encode(padded(LIMITS.bodyBytes)) })).toBe(201);
    expect(await outcomeOf({ body: encode(padded(LIMITS.bodyBytes + 1)) })).toBe('too-large');
  });

  it('of a bomb is not found out by unpacking it all', async () => {
    expect(await outcomeOf({ body: gzipSync(new Uint8Array(200_000_000), { level: 1 }) })).toBe('too-large');
  });

  it('of none is a fault of the body, with or without a type', async () => {
    expect(await outcomeOf({})).toBe('malformed-json');
    expect(await outcomeOf({ headers: typed('application/json') })).toBe('malformed-json');
    expect(await outcomeOf({ headers: typed('text/plain') })).toBe('unsupported-media-type');
  });
});

describe('a request for a token', () => {
  const key = companyKey('acme');
  const { table } = keyTable([key]);
  const obtain = async (event: EventOptions) => {
    const handler = obtainToken(authenticationWith(storedKeys(table)), options);
    return readAnswer(await handler(eventOf('obtainToken', { authorizer: null, ...event }), contextOf()));
  };
  const body = (username: unknown, password: unknown) => JSON.stringify({ username, password });

  // The gateway unpacks gzip, so the function may get more than was sent.
  it.each([
    [Buffer.alloc(8_193, ' '), 'The body has more than 8192 bytes after decoding.'],
    [Buffer.concat([gzipSync('{}'), Buffer.alloc(8_192)]), 'The body has more than 8192 bytes as sent.'],
  ])('says which size is too large', async (body, detail) => {
    expect(await obtain({ body, headers: { 'Content-Encoding': 'gzip' } })).toMatchObject({
      status: 413,
      json: { detail },
    });
  });

  it('is granted for the company’s key, in the body or as Basic credentials', async () => {
    for (const event of [{ body: body('acme', key.apiKey) }, { headers: { Authorization: basicHeader(key) } }]) {
      const answer = await obtain(event);
      expect(answer).toMatchObject({ status: 200, json: { expiresIn: 1_800, AccessToken: expect.any(String) } });
    }
  });

  it.each<[string, EventOptions]>([
    ['nothing', {}],
    ['another key', { body: body('acme', companyKey('acme').apiKey) }],
    ['another company', { body: body('other', key.apiKey) }],
    ['a wrong shape', { body: body(['acme'], key.apiKey) }],
    ['a body that is no object', { body: '[]' }],
    [
      'a wrong body beside good Basic credentials',
      { body: body('acme', 'x'), headers: { Authorization: basicHeader(key) } },
    ],
  ])('is answered 401 for %s', async (_, event) => {
    const answer = await obtain(event);
    expect(answer).toMatchObject({ status: 401, json: { outcome: 'not-applied' } });
    expect(answer.headers['WWW-Authenticate']).toMatch(/^Basic .*, Bearer /);
  });
});
