import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { FaultCode } from '../../../lib/contract/faults.ts';
import { smallProject } from '../../support/projects.ts';
import { type Api, byId, PROJECTS, projectIn } from '../api.ts';
import { expectEcho } from '../echo.ts';
import { expectProblem } from '../problems.ts';

/**
 * Tests the types and encodings of bodies and answers: the text below the table "Operations", and "Errors", in
 * `decisions.md`.
 */
export function bodies(api: Api): void {
  /**
   * A body for requests that are refused before the start date is checked. Its start date is as old as this test run.
   */
  const text = JSON.stringify(smallProject());
  const post = (body: string | Uint8Array, headers: Record<string, string | null> = {}) =>
    api.post(undefined, '', { body, headers });

  describe('Operations: Content-Type', () => {
    afterAll(() => api.cleanUp());

    const read = [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON;charset="UTF-8"',
      'application/vnd.api+json',
      'application/problem+json',
    ];
    for (const type of read) {
      test(`a body of this type is read as JSON: ${type}`, async () => {
        const sent = smallProject();
        expectEcho(projectIn(await post(JSON.stringify(sent), { 'content-type': type }), 201), sent);
      });
    }

    const refused = [
      'text/plain',
      'text/json',
      'application/jsonx',
      'application/x-www-form-urlencoded',
      'a+json',
      null,
    ];
    for (const type of refused) {
      test(`a body of this type is 415: ${type ?? 'none'}`, async () => {
        expectProblem(await post(text, { 'content-type': type }), 'unsupported-media-type');
      });
    }
  });

  describe('Operations: Accept', () => {
    const given = [
      'application/json',
      '*/*',
      'application/*',
      'text/html, application/json;q=0.5',
      '*/*;q=0, application/json',
      null,
    ];
    for (const accept of given) {
      test(`the answer is JSON: ${accept ?? 'none'}`, async () => {
        const answer = await api.get(PROJECTS, { headers: { accept } });
        expect(answer.status).toBe(200);
        expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
      });
    }

    const refused = [
      'text/html',
      'application/xml',
      'application/json;q=0',
      'application/json;q=0, */*',
      'application/problem+json',
    ];
    for (const accept of refused) {
      test(`Accept must match the success type, else 406: ${accept}`, async () => {
        expectProblem(await api.get(PROJECTS, { headers: { accept } }), 'not-acceptable');
        expectProblem(await post(text, { accept }), 'not-acceptable');
      });
    }
  });

  describe('Limits: gzip and other encodings', () => {
    afterAll(() => api.cleanUp());

    const gzip = gzipSync(text);
    const accepted: Record<string, string | null> = {
      'gzip with its header': 'gzip',
      'gzip with its header in another case': 'GZIP',
      'gzip known by its first bytes, without the header': null,
    };
    for (const [title, encoding] of Object.entries(accepted)) {
      test(`the body is decoded: ${title}`, async () => {
        const sent = smallProject();
        const body = gzipSync(JSON.stringify(sent));
        expectEcho(projectIn(await post(body, { 'content-encoding': encoding }), 201), sent);
      });
    }

    const broken = {
      'cut short': gzip.subarray(0, -12),
      'its checksum wrong': Buffer.concat([gzip.subarray(0, -8), Buffer.alloc(8)]),
      'its data wrong': Buffer.concat([gzip.subarray(0, 10), Buffer.alloc(64, 0xff)]),
      'its header alone': gzip.subarray(0, 10),
    };
    for (const [title, body] of Object.entries(broken)) {
      for (const encoding of ['gzip', null]) {
        test(`broken gzip is malformed-json: ${title}, Content-Encoding: ${encoding ?? 'none'}`, async () => {
          const { errors } = expectProblem(await post(body, { 'content-encoding': encoding }), 'malformed-json');
          expect(errors?.map(({ code }) => code)).toEqual(['encoding']);
        });
      }
    }

    for (const encoding of ['br', 'deflate', 'zstd', 'gzip, br']) {
      test(`an unknown encoding is 415: ${encoding}`, async () => {
        expectProblem(await post(text, { 'content-encoding': encoding }), 'unsupported-media-type');
      });
    }

    test('answers are gzip-encoded if the client accepts it', async () => {
      const { id } = await api.create(smallProject({ description: 'Long text. '.repeat(900) }));
      for (const accepts of ['gzip', 'br, gzip;q=0.5', '*']) {
        const answer = await api.get(byId(id), { headers: { 'accept-encoding': accepts } });
        expect(answer.headers['content-encoding'], accepts).toBe('gzip');
        expect(projectIn(answer, 200).id).toBe(id);
      }
      for (const accepts of [null, 'identity', 'gzip;q=0', 'br']) {
        const answer = await api.get(byId(id), { headers: { 'accept-encoding': accepts } });
        expect(answer.headers['content-encoding'], `${accepts}`).toBeUndefined();
        expect(projectIn(answer, 200).id).toBe(id);
      }
    });
  });

  describe('Errors: malformed-json', () => {
    const utf8 = (...bytes: number[]) =>
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const malformed: Readonly<Record<string, readonly [body: string | Uint8Array, code: FaultCode]>> = {
      'an empty body': ['', 'syntax'],
      'white space': [' \n', 'syntax'],
      'cut short': [text.slice(0, -1), 'syntax'],
      'something behind it': [`${text}{}`, 'syntax'],
      'a comma too many': ['{"name":"x",}', 'syntax'],
      'a comment': ['{/* */}', 'syntax'],
      'single quotes': ["{'name':'x'}", 'syntax'],
      'a name without quotes': ['{name:"x"}', 'syntax'],
      NaN: ['{"domainId":NaN}', 'syntax'],
      'a number with a leading zero': ['{"domainId":01}', 'syntax'],
      'a control character in a string': ['{"name":"a\nb"}', 'syntax'],
      'a key twice': ['{"name":"x","name":"x"}', 'duplicate-key'],
      'a key twice, escaped once': ['{"name":"x","n\\u0061me":"y"}', 'duplicate-key'],
      'a key twice, deep inside': ['{"segments":[{"content":"x"},{"content":"x","content":"y"}]}', 'duplicate-key'],
      '__proto__ twice': ['{"__proto__":1,"__proto__":2}', 'duplicate-key'],
      'a byte order mark': [`\ufeff${text}`, 'encoding'],
      'UTF-16': [Buffer.from(text, 'utf16le'), 'syntax'],
      'a byte that is never UTF-8': [utf8(0xff), 'encoding'],
      'an overlong form': [utf8(0xc0, 0x80), 'encoding'],
      'half a surrogate pair': [utf8(0xed, 0xa0, 0x80), 'encoding'],
      'a character cut short': [utf8(0xe4, 0xba), 'encoding'],
      'a depth of 100,000': [nested(100_000), 'too-deep'],
    };
    for (const [title, [body, code]] of Object.entries(malformed)) {
      test(`the body is 400 malformed-json: ${title}`, async () => {
        const { errors } = expectProblem(await post(body), 'malformed-json');
        expect(errors?.map((fault) => fault.code)).toEqual([code]);
      });
    }

    test('a repeated key is named by the fault’s pointer', async () => {
      const { errors } = expectProblem(await post('{"segments":[{"a/b":1,"a/b":2}]}'), 'malformed-json');
      expect(errors?.[0]?.pointer).toBe('/segments/0/a~1b');
    });

    test('the same key in two objects is accepted', async () => {
      await api.create(smallProject({ segments: [{ content: 'x' }, { content: 'x' }] }));
      await api.cleanUp();
    });

    for (const body of ['[]', '"text"', 'null', '5', 'true']) {
      test(`JSON that is not an object is invalid-project: ${body}`, async () => {
        expectProblem(await post(body), 'invalid-project', [['']]);
      });
    }
  });
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}
