import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BodyKind, type Route, SCOPES } from '../../../lib/contract/routes.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import { operationAnswer, problemAnswer, projectAnswer, receiptAnswer, tokenAnswer } from '../../contract/answers.ts';
import { segment, smallProject, startingNow } from '../../support/projects.ts';
import { addCompany } from '../../support/segue.ts';
import { type Asked, bytesOf, PROJECTS, startWorld } from './world.ts';

const { ask, create, kept, whenIdle, dataDir } = await startWorld();

const owner = await addCompany(dataDir, 'owner', '--scopes', SCOPES.join());
const stranger = await addCompany(dataDir, 'stranger', '--scopes', SCOPES.join());
const nobody = await addCompany(dataDir, 'nobody');
const tokensOf = async ({ authorization }: { readonly authorization: string }) =>
  tokenAnswer.parse(JSON.parse((await ask(authorization, { method: 'POST', path: '/authentication/token' })).text));
/** Another company's credentials in both schemes. The scheme must make no difference. */
const strangers = [stranger.authorization, `Bearer ${(await tokensOf(stranger)).AccessToken}`];

/** The owner's data: projects, one of them deleted, and the keys that it used. */
const TASKS = ['their task', 'their other task'];
const project = (customId: string) =>
  smallProject({ customId, taskId: TASKS[0] ?? null, segments: TASKS.map((taskId) => segment({ taskId })) });
const USED = { create: 'used-to-create', delete: 'used-to-delete', refresh: 'used-to-refresh' };
const withKey = (key: string) => ({ 'Idempotency-Key': `"${key}"` });
const CREATED = project('their live one');
const live = await create(owner.authorization, CREATED, withKey(USED.create));
const gone = await create(owner.authorization, project('their dead one'));
await ask(owner.authorization, { method: 'DELETE', path: `${PROJECTS}/${gone}`, headers: withKey(USED.delete) });
for (const customId of ['a', 'b', 'c']) await create(owner.authorization, project(customId));
/** Keys that only the owner sends. If another company sent one, it would get an operation of its own. */
const ASKED_FOR = ['of-a-creation', 'of-a-deletion'] as const;
const briefly = await create(owner.authorization, project('their short one'), withKey(ASKED_FOR[0]));
await ask(owner.authorization, { method: 'DELETE', path: `${PROJECTS}/${briefly}`, headers: withKey(ASKED_FOR[1]) });
const page = await ask(owner.authorization, { method: 'GET', path: `${PROJECTS}?limit=2` });
const [, theirPage = ''] = /<[^>]+(\?limit=2&cursor=[^>]+)>/.exec(String(page.headers['link'])) ?? [];

/** Ids of the owner, each beside an unused id of the same length. */
const IDS: readonly (readonly [theirs: string, unknown: string])[] = [
  [`${live}`, `${live + 500}`],
  [`${gone}`, `${gone + 500}`],
  ['custom/their%20live%20one', 'custom/their%20life%20one'],
  ['custom/their%20dead%20one', 'custom/their%20deaf%20one'],
  ['custom/a', 'custom/z'],
];
const operationPath = (key: string) => `/operations/${operationIdOf(key)}`;
const QUERIES = ['', '?taskId=their%20task', '?taskId=their%20other%20task', '?taskId=no%20task'];
const PLANNING = ['?validateOnly=true', '?validateOnly=true&revision=1', '?validateOnly=true&taskId=their%20task'];
/** A valid body of each kind. */
const BODIES: Partial<Record<BodyKind, unknown>> = {
  translations: [{ segmentId: live + 3, languageCode: 'de-DE', content: 'x', status: 'draft' }],
  'language-change': { state: 'InPreparation' },
  project: smallProject({ segments: TASKS.map((taskId) => segment({ taskId })) }),
};
const HEADERS: readonly NonNullable<Asked['headers']>[] = [
  {},
  withKey(USED.create),
  withKey(USED.delete),
  withKey(USED.refresh),
  { Prefer: 'return=representation' },
];

// A request of another company must not change a byte of the owner's data.
let before: unknown;
beforeEach(async () => {
  await whenIdle();
  before = kept(owner.companyId);
});
afterEach(() => expect(kept(owner.companyId)).toEqual(before));

/** Matches the plan of a put, which has a hash of the custom id. */
const PLAN = /"plan":"[\w-]+"/;

/** Expects that two requests of another company get the same answer, byte for byte. */
async function expectSame(authorization: string, theirs: Asked, unknown: Asked): Promise<void> {
  const [one, other] = [await ask(authorization, theirs), await ask(authorization, unknown)];
  const bytes = [one, other].map((answer) => bytesOf({ ...answer, text: answer.text.replace(PLAN, '') }));
  expect({ theirs, answer: bytes[0] }).toEqual({ theirs, answer: bytes[1] });
}

describe('a company gets the same answer for another company’s id as for an unknown one', () => {
  const operations = ROUTES.filter(({ path }: Route) => path.startsWith(`${PROJECTS}/`));

  it.each(operations.map(({ id, method, path, body }: Route) => [id, method, path, BODIES[body]] as const))(
    '%s',
    async (_, method, path, json) => {
      const isByCustomId = path.includes('custom');
      // Every company may put any custom id, which creates a project of its own.
      const isCreating = isByCustomId && method === 'PUT';
      const [, rest = ''] = /^[^}]*\}(.*)$/.exec(path) ?? [];
      const names = IDS.filter(([name]) => name.startsWith('custom/') === isByCustomId);
      expect(names.length).toBeGreaterThan(1);
      for (const authorization of strangers) {
        for (const [theirs, unknown] of names) {
          for (const query of isCreating ? PLANNING : QUERIES) {
            for (const headers of HEADERS) {
              const asked = (name: string) => ({
                method,
                path: `${PROJECTS}/${name}${rest.replace('{languageCode}', 'de-DE')}${query}`,
                headers,
                ...(json !== undefined && { json }),
              });
              await expectSame(authorization, asked(theirs), asked(unknown));
            }
          }
        }
      }
    },
  );

  it('getOperation', async () => {
    for (const key of ASKED_FOR) {
      const request = { method: 'GET', path: operationPath(key) };
      const own = await ask(owner.authorization, request);
      expect(operationAnswer.parse(JSON.parse(own.text)).status).toBe('done');
      for (const authorization of strangers) {
        for (const query of ['', '?taskId=x']) {
          const asked = (name: string) => ({ method: 'GET', path: operationPath(name) + query });
          await expectSame(authorization, asked(key), asked('used by nobody'));
        }
      }
    }
  });

  it('no other route has an id of a company in its path', () => {
    const named = ROUTES.filter(({ path, scope }: Route) => path.includes('{') && scope !== null);
    expect(named.map(({ id }) => id)).toEqual([...operations.map(({ id }) => id), 'getOperation']);
  });

  it('tells only the owner when a project was deleted', async () => {
    for (const name of [`${gone}`, 'custom/their%20dead%20one']) {
      const request = { method: 'GET', path: `${PROJECTS}/${name}` };
      const told = problemAnswer.parse(JSON.parse((await ask(owner.authorization, request)).text));
      expect(told.deletedAtUtc).toEqual(expect.any(String));
      for (const authorization of strangers) {
        const answer = problemAnswer.parse(JSON.parse((await ask(authorization, request)).text));
        expect(answer).not.toHaveProperty('deletedAtUtc');
      }
    }
  });
});

describe('a list', () => {
  it('has no project of another company, not even with that company’s cursor', async () => {
    expect(theirPage).toMatch(/cursor=\S/);
    for (const authorization of strangers) {
      expect((await ask(authorization, { method: 'GET', path: PROJECTS })).text).toBe('[]');
      const first = { method: 'GET', path: `${PROJECTS}?limit=2` };
      await expectSame(authorization, { method: 'GET', path: `${PROJECTS}${theirPage}` }, first);
    }
  });
});

describe('two companies can use the same ids', () => {
  it('custom ids and idempotency keys are separate: for a create, its retry, and a delete', async () => {
    const request = { method: 'POST', path: PROJECTS, json: startingNow(CREATED), headers: withKey(USED.create) };
    const check = { ...request, path: `${PROJECTS}?validateOnly=true` };
    expect((await ask(stranger.authorization, check)).status).toBe(200);
    const made = await ask(stranger.authorization, request);
    expect([made.status, made.headers['idempotent-replayed']]).toEqual([201, undefined]);
    const { id } = projectAnswer.parse(JSON.parse(made.text));
    expect(id).not.toBe(live);
    const again = await ask(stranger.authorization, request);
    expect([again.headers['idempotent-replayed'], again.text]).toEqual(['true', made.text]);
    const operation = await ask(stranger.authorization, { method: 'GET', path: operationPath(USED.create) });
    expect(operationAnswer.parse(JSON.parse(operation.text)).project?.id).toBe(id);

    const path = `${PROJECTS}/custom/their%20live%20one`;
    const read = await ask(stranger.authorization, { method: 'GET', path });
    expect(read.text).toBe(made.text);
    const headers = { ...withKey(USED.delete), Prefer: 'return=representation' };
    const removed = await ask(stranger.authorization, { method: 'DELETE', path, headers });
    expect(receiptAnswer.parse(JSON.parse(removed.text))).toMatchObject({ projectId: id, scope: 'project' });
    expect(removed.headers).not.toHaveProperty('idempotent-replayed');
    expect((await ask(owner.authorization, { method: 'GET', path })).status).toBe(200);
  });
});

describe('refresh tokens', () => {
  const refresh = (token: string, key: string, authorization?: string) =>
    ask(authorization, {
      method: 'POST',
      path: '/authentication/RefreshToken',
      json: { token },
      headers: withKey(key),
    });

  it('of two companies with one idempotency key are independent', async () => {
    const [theirs, own] = [await tokensOf(nobody), await tokensOf(stranger)];
    for (const { RefreshToken } of [theirs, own]) {
      const answer = await refresh(RefreshToken, USED.refresh);
      expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([200, undefined]);
      const again = await refresh(RefreshToken, USED.refresh);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect({ ...JSON.parse(again.text), expiresIn: 0 }).toEqual({ ...JSON.parse(answer.text), expiresIn: 0 });
    }
  });

  it('identify their company, whatever other credentials are sent', async () => {
    const { RefreshToken } = await tokensOf(nobody);
    const answer = await refresh(RefreshToken, 'sent-by-a-stranger', stranger.authorization);
    const { AccessToken } = tokenAnswer.parse(JSON.parse(answer.text));
    await create(nobody.authorization, smallProject({ customId: 'nobody’s' }));
    const listed = await ask(`Bearer ${AccessToken}`, { method: 'GET', path: PROJECTS });
    expect(JSON.parse(listed.text)).toMatchObject([{ customId: 'nobody’s' }]);
  });
});
