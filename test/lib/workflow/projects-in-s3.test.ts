import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { objectsInS3 } from '../../../lib/workflow/projects-in-s3.ts';
import { NOWHERE } from '../../support/aws/dynamodb.ts';
import { expectProblem, problemOf } from '../support.ts';

const place = { bucket: 'exports', key: 'a/ü b.json' };
const deadline = { remainingMs: () => 10_000 };
const TEXT = '{"name":"A project"}';

/** Serves an answer to the request for an object, and keeps the requests. */
function answered(answer: (request: { path: string; query: object }) => unknown) {
  const asked: { path: string; query: object }[] = [];
  const handle = async (request: { path: string; query: object }) => {
    asked.push(request);
    return { response: answer(request) };
  };
  const client = s3Client({ ...NOWHERE, forcePathStyle: true, maxAttempts: 1, requestHandler: { handle } });
  return { read: objectsInS3(client), asked };
}

const found = (body: Readable, length: number) => ({
  statusCode: 200,
  headers: { 'content-length': String(length) },
  body,
});
const refusal = (statusCode: number, code: string) => ({
  statusCode,
  headers: {},
  body: Readable.from([`<Error><Code>${code}</Code><Message>CANARY</Message></Error>`]),
});

describe('an object of S3', () => {
  it('is read completely, in the named version', async () => {
    const { read, asked } = answered(() =>
      found(Readable.from([TEXT.slice(0, 9), TEXT.slice(9)].map(Buffer.from)), 20),
    );
    expect(Buffer.from(await read(place, deadline)).toString()).toBe(TEXT);
    await read({ ...place, versionId: 'v/1' }, deadline);
    expect(asked).toMatchObject([
      { path: '/exports/a/%C3%BC%20b.json', query: { 'x-id': 'GetObject' } },
      { path: '/exports/a/%C3%BC%20b.json', query: { versionId: 'v/1' } },
    ]);
  });

  it('may have as many bytes as a body; a larger one is not read', async () => {
    const most = LIMITS.bodyBytes;
    const whole = answered(() => found(Readable.from([Buffer.alloc(most, 32)]), most));
    expect((await whole.read(place, deadline)).byteLength).toBe(most);

    let pulled = 0;
    const body = new Readable({ read: () => pulled++ });
    const { read } = answered(() => found(body, most + 1));
    await expectProblem('too-large', () => read(place, deadline));
    expect({ pulled, destroyed: body.destroyed }).toEqual({ pulled: 0, destroyed: true });
  });

  it.each<[number, string]>([
    [404, 'NoSuchKey'],
    [404, 'NoSuchVersion'],
    [403, 'AccessDenied'],
    [403, 'InvalidObjectState'],
    [400, 'KeyTooLongError'],
    [301, 'PermanentRedirect'],
  ])('that is missing or forbidden is refused: %i %s', async (status, code) => {
    const problem = await problemOf(() => answered(() => refusal(status, code)).read(place, deadline));
    expect(problem).toMatchObject({ name: 'invalid-parameter', occurrence: { errors: [{ pointer: '/projectFrom' }] } });
    expect(JSON.stringify(problem.body('', ''))).not.toContain('CANARY');
  });

  it.each([
    [503, 'SlowDown'],
    [500, 'InternalError'],
    [400, 'ExpiredToken'],
    [403, 'RequestTimeTooSkewed'],
  ])('may be retried after %i %s', async (status, code) => {
    await expectProblem('unavailable', () => answered(() => refusal(status, code)).read(place, deadline));
  });

  it('may be retried if the connection breaks, before its first byte or later, or no time is left', async () => {
    const broken = () => {
      throw Object.assign(new Error('No answer'), { code: 'ECONNRESET' });
    };
    await expectProblem('unavailable', () => answered(broken).read(place, deadline));
    const cut = new Readable({
      read() {
        this.push(TEXT.slice(0, 5));
        this.destroy(new Error('cut'));
      },
    });
    await expectProblem('unavailable', () => answered(() => found(cut, 20)).read(place, deadline));
    const silent = new Readable({ read() {} });
    const { read } = answered(() => found(silent, 20));
    await expectProblem('unavailable', () => read(place, { remainingMs: () => 0 }));
  });
});
