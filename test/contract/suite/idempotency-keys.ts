import { afterEach, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId, byId } from '../api.ts';
import { expectInvalid, expectProblem } from '../problems.ts';
import { createOnce, expectReplayed, expectReplayOf, newKey, postOnce, tenMinutesAgo, withKey } from './once.ts';

/** Every visible ASCII character except the quote, which an unquoted key cannot contain. */
const VISIBLE = Array.from({ length: 0x7f - 0x21 }, (_, n) => String.fromCharCode(0x21 + n)).join('');
const BARE = VISIBLE.replace('"', '');

/** Returns a key of a given length that no other test has used. */
const keyOf = (length: number) => newKey().padEnd(length, '-');
const quoted = (key: string) => `"${key.replaceAll(/["\\]/g, '\\$&')}"`;

/** Header values that are not valid keys. */
const BAD: Readonly<Record<string, () => string | readonly string[]>> = {
  empty: () => '',
  'empty in quotes': () => '""',
  'of 256 characters': () => keyOf(256),
  'of 256 characters in quotes': () => quoted(keyOf(256)),
  'with a space': () => `${newKey()} x`,
  'with a space in quotes': () => quoted(`${newKey()} x`),
  'with a tab': () => `${newKey()}\tx`,
  'with a character that is not ASCII': () => `${newKey()}\u00fc`,
  'with a character that is not ASCII, in quotes': () => quoted(`${newKey()}\u00fc`),
  'with a character that is not ASCII, as UTF-8': () => Buffer.from(`${newKey()}\u4eba`).toString('latin1'),
  'two headers': () => [newKey(), newKey()],
  'the same header twice': () => Array<string>(2).fill(newKey()),
  'a quote at its beginning alone': () => `"${newKey()}`,
  'a quote at its end alone': () => `${newKey()}"`,
  'one quote': () => '"',
  'a quote in a bare key': () => `${newKey()}"x`,
  'a quote in a quoted key, not escaped': () => `"${newKey()}"x"`,
  'its last quote escaped': () => `"${newKey()}\\"`,
  'an escape that is none': () => `"${newKey()}\\x"`,
  'something behind the quotes': () => `"${newKey()}";x=1`,
};

/** Tests the header `Idempotency-Key` and when it is checked: "Creating exactly once" of `decisions.md`. */
export function idempotencyKeys(api: Api): void {
  describe('Creating exactly once: Idempotency-Key', () => {
    afterEach(() => api.cleanUp());

    test('is optional: without a key, every request counts as new', async () => {
      const project = smallProject();
      const answers = [await api.post(project), await api.post(project)];
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(2);
      for (const answer of answers) expectReplayed(answer, false);
    });

    const forms: Readonly<Record<string, readonly [key: string, same: string]>> = (() => {
      const [simple, nearly, long] = [newKey(), keyOf(254), keyOf(255)];
      const [every, backslash] = [newKey() + BARE, `${newKey()}\\`];
      return {
        simple: [simple, quoted(simple)],
        'of 254 characters': [nearly, quoted(nearly)],
        'of 255 characters': [long, quoted(long)],
        'of every visible character but the quote': [every, quoted(every)],
        'ending in a backslash': [backslash, quoted(backslash)],
        'with white space around it, which is no part of a header': [`  ${newKey()}`, ''],
      };
    })();
    for (const [title, [key, same]] of Object.entries(forms)) {
      test(`means the same quoted and unquoted: ${title}`, async () => {
        const project = smallProject();
        const { id } = await createOnce(api, project, key);
        await expectReplayOf(api, await postOnce(api, project, same || key.trim()), id);
      });
    }

    test('may contain a quote if it is quoted', async () => {
      const key = quoted(newKey() + VISIBLE);
      const project = smallProject();
      const { id } = await createOnce(api, project, key);
      await expectReplayOf(api, await postOnce(api, project, key), id);
    });

    test('may have a single character', async () => {
      // An earlier run of this test may have used the key.
      expect((await postOnce(api, smallProject(), '~')).status).toBeOneOf([201, 410, 422]);
    });

    test('is compared exactly', async () => {
      const key = `${newKey()}-a`;
      const project = smallProject();
      const ids = new Set<number>();
      const keys = [key, key.replace(/a$/, 'A'), `${key}a`, key.slice(0, -1), `${key}%20`, `'${key}'`];
      for (const other of keys) ids.add((await createOnce(api, project, other)).id);
      expect(ids.size).toBe(keys.length);
    });

    for (const [title, make] of Object.entries(BAD)) {
      test(`is 400 invalid-header if it is malformed, and nothing is done: ${title}`, async () => {
        const customId = uniqueId();
        const bad = withKey(make());
        const refused = await api.post(smallProject({ customId }), '', bad);
        expect(expectProblem(refused, 'invalid-header').errors).toHaveLength(1);
        expectProblem(await api.get(byCustomId(customId)), 'project-not-found');
        const project = await api.create(smallProject({ customId, taskId: 'a' }));
        for (const path of [byId(project.id), byCustomId(customId), `${byId(project.id)}?taskId=a`]) {
          expectProblem(await api.delete(path, bad), 'invalid-header');
        }
        expect(await api.read(byId(project.id))).toEqual(project);
      });
    }
  });

  describe('Creating exactly once: the key is looked at after the body, before the clock and the custom id', () => {
    afterEach(() => api.cleanUp());

    test('an invalid body is refused before a malformed key', async () => {
      expectInvalid(await postOnce(api, smallProject({ name: null }), ''), ['/name']);
      expectProblem(await api.post(undefined, '', { body: '{', ...withKey('') }), 'malformed-json');
      expectProblem(await api.post({}, '?x=1', withKey('')), 'unknown-parameter');
    });

    test('an invalid body is refused before a used key', async () => {
      const key = newKey();
      await createOnce(api, smallProject(), key);
      expectInvalid(await postOnce(api, smallProject({ name: null }), key), ['/name']);
    });

    test('a malformed key is refused before an old start date, and before a custom id in use', async () => {
      const customId = uniqueId();
      await api.create(smallProject({ customId }));
      expectProblem(await postOnce(api, smallProject({ startDateUtc: tenMinutesAgo() }), ''), 'invalid-header');
      expectProblem(await postOnce(api, smallProject({ customId }), ''), 'invalid-header');
    });

    test('a used key is looked up before a custom id in use', async () => {
      const key = newKey();
      const project = smallProject({ customId: uniqueId() });
      const { id } = await createOnce(api, project, key);
      await expectReplayOf(api, await postOnce(api, project, key), id);
    });

    test('the key of a delete is checked after query and body, before the project', async () => {
      const path = byCustomId(uniqueId());
      expectProblem(await api.delete(`${path}?x=1`, withKey('')), 'unknown-parameter');
      expectProblem(await api.delete(path, { json: {}, ...withKey('') }), 'unexpected-body');
      expectProblem(await api.delete(path, withKey('')), 'invalid-header');
    });
  });

  describe('Creating exactly once: validateOnly ignores the key', () => {
    afterEach(() => api.cleanUp());

    test('a key that was sent with validateOnly stays free', async () => {
      const key = newKey();
      const project = smallProject();
      const checked = await api.post(project, '?validateOnly=true', withKey(key));
      expect(checked.status).toBe(200);
      await createOnce(api, { ...project, name: 'Another' }, key);
    });

    test('a used key changes nothing', async () => {
      const key = newKey();
      const project = smallProject();
      await createOnce(api, project, key);
      for (const content of [project, { ...project, name: 'Another' }]) {
        const checked = await api.post(content, '?validateOnly=true', withKey(key));
        expect(checked.status).toBe(200);
        expectReplayed(checked, false);
      }
    });

    test('a malformed key changes nothing', async () => {
      expect((await api.post(smallProject(), '?validateOnly=true', withKey('a b'))).status).toBe(200);
    });

    test('it reports a custom id in use, even if the same key created that project', async () => {
      const key = newKey();
      const project = smallProject({ customId: uniqueId() });
      await createOnce(api, project, key);
      expectProblem(await api.post(project, '?validateOnly=true', withKey(key)), 'custom-id-in-use');
    });
  });
}
