import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { LOOKUP_BYTES, LOOKUP_NAMES, type LookupName } from '../../../lib/contract/lookups.ts';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import { httpTransport } from '../../../lib/service/http-client/transport.ts';
import type { CallContext } from '../../../lib/service/port.ts';
import type { UpstreamOptions } from '../../../lib/upstream/deps.ts';
import { serviceUrl } from '../../../lib/upstream/requests.ts';
import { problemOf } from '../support.ts';
import { breakOff, empty, json, type Play, playService, reset, text } from './server.ts';
import { ACCOUNT, World } from './world.ts';

const USERS = [{ id: 7, firstName: 'Ada', email: 'ada@example.com' }];

/** Segue in front of a service whose lists get these plays. By default it may look up all, for a company with its own account. */
async function world(plays: readonly Play[] = [json(200, USERS)], options: Partial<UpstreamOptions> = {}) {
  const clock = new World();
  const played = await playService(...plays);
  const allowed = { allowedLookups: async () => LOOKUP_NAMES, isOwnAccount: async () => true };
  const service = clock.service(httpTransport(serviceUrl(played.url), clock.now), { ...allowed, ...options });
  return {
    received: played.received,
    lookUp: async (name: LookupName = 'users', fields: Partial<CallContext> = {}) =>
      service.lookUp?.(name, clock.call(fields)),
  };
}

/** Returns a list whose JSON has so many bytes. */
function listOf(bytes: number): string {
  const list = JSON.stringify([{ name: '' }]);
  return list.replace('""', `"${'x'.repeat(bytes - list.length)}"`);
}
const list = (body: string | Uint8Array, headers = {}) =>
  text(200, body, { 'content-type': 'application/json', ...headers });

describe('a lookup', () => {
  it('that fails holds back no request for a project', async () => {
    const busy = text(503, '', { 'retry-after': '3600' });
    const clock = new World();
    const { url } = await playService(busy, json(404, {}));
    const transport = httpTransport(serviceUrl(url), clock.now);
    const service = clock.service(transport, {
      allowedLookups: async () => LOOKUP_NAMES,
      isOwnAccount: async () => true,
    });
    expect((await problemOf(async () => service.lookUp?.('users', clock.call()))).name).toBe('upstream-unavailable');
    expect((await problemOf(service.get({ id: 5 }, undefined, clock.call()))).name).toBe('project-not-found');
  });

  it.each<[LookupName, string]>([
    ['domains', '/Assets/api/Domains?active=true'],
    ['users', '/Accounts/Users'],
    ['collaborators', '/accounts/Collaborators'],
    ['styleGuides', '/TextProcessing/StyleGuide'],
  ])('of %s sends one request to exactly %s, with the account of the company', async (name, url) => {
    const { lookUp, received } = await world();
    expect(await lookUp(name)).toEqual(USERS);
    expect(received).toMatchObject([
      { method: 'GET', url, body: '', headers: { authorization: basicHeader(ACCOUNT), accept: 'application/json' } },
    ]);
  });

  it('passes on what the service gives, also numbers that a double would change', async () => {
    const { lookUp } = await world([list('[{"id":12345678901234567890,"any":{"thing":[null,true]}}]')]);
    expect(JSON.stringify(await lookUp())).toBe('[{"id":12345678901234567890,"any":{"thing":[null,true]}}]');
  });

  it.each(LOOKUP_NAMES)('of %s is refused unless the operator allows it, and nothing is sent', async (name) => {
    const { lookUp, received } = await world([], {
      allowedLookups: async () => LOOKUP_NAMES.filter((each) => each !== name),
    });
    expect((await problemOf(lookUp(name))).name).toBe('not-supported');
    expect(received).toEqual([]);
  });

  it('is refused by default', async () => {
    const { lookUp, received } = await world([], { allowedLookups: undefined });
    expect((await problemOf(lookUp())).name).toBe('not-supported');
    expect(received).toEqual([]);
  });

  it('is refused to a company that shares its account, and nothing is sent', async () => {
    const isOwnAccount = async (companyId: string) => companyId === 'alone';
    const { lookUp, received } = await world([json(200, USERS)], { isOwnAccount });
    const problem = await problemOf(lookUp());
    expect(problem).toMatchObject({ name: 'not-supported', message: expect.stringContaining('account') });
    expect(received).toEqual([]);
    expect(await lookUp('users', { companyId: 'alone' })).toEqual(USERS);
  });

  it('shows nothing if the company has lost its own account meanwhile', async () => {
    const own = [true, false];
    const { lookUp, received } = await world([json(200, USERS)], { isOwnAccount: async () => own.shift() ?? false });
    expect((await problemOf(lookUp())).name).toBe('not-supported');
    expect(received).toHaveLength(1);
  });
});

describe('the answer to a lookup', () => {
  it.each([
    ['plain', (body: string) => list(body)],
    ['compressed', (body: string) => list(gzipSync(body), { 'content-encoding': 'gzip' })],
  ])('may have 1 MiB, and not a byte more: %s', async (_, playOf) => {
    const { lookUp } = await world([playOf(listOf(LOOKUP_BYTES)), playOf(listOf(LOOKUP_BYTES + 1))]);
    expect(await lookUp()).toHaveLength(1);
    expect((await problemOf(lookUp())).name).toBe('upstream-invalid');
  });

  it.each<[string, Play]>([
    ['HTML', text(200, '<html>', { 'content-type': 'text/html' })],
    ['empty', empty(200)],
    ['an object', json(200, { users: USERS })],
    ['a list of texts', json(200, ['Ada'])],
    ['a list of lists', json(200, [[]])],
    ['a list with null', json(200, [null])],
    ['not UTF-8', list(Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d))],
    ['deeper than 100 levels', list(`[{"a":${'['.repeat(101)}${']'.repeat(101)}}]`)],
  ])('must be a JSON array of objects: %s is not', async (_, play) => {
    const { lookUp } = await world([play]);
    const problem = await problemOf(lookUp());
    expect(problem).toMatchObject({ name: 'upstream-invalid', message: expect.not.stringContaining('Ada') });
  });

  it.each<[string, Play, ProblemType]>([
    ['a redirect, which Segue does not follow', empty(302, { location: '/segments/projects' }), 'upstream-refused'],
    ['that the account may not read the list', empty(403), 'upstream-refused'],
    ['an unknown path', empty(404), 'upstream-refused'],
    ['wrong credentials', empty(401), 'upstream-unavailable'],
    ['too many requests', empty(429), 'upstream-unavailable'],
    ['a failure', empty(500), 'upstream-unavailable'],
    ['a part of the list', breakOff(200), 'upstream-unavailable'],
    ['nothing', reset, 'upstream-unavailable'],
  ])('may be %s', async (_, play, type) => {
    const { lookUp, received } = await world([play]);
    expect((await problemOf(lookUp())).name).toBe(type);
    expect(received).toHaveLength(1);
  });

  it('of 403 is not taken for rejected credentials', async () => {
    const { lookUp } = await world([empty(403)]);
    expect((await problemOf(lookUp())).cause).toBeUndefined();
  });

  it('must arrive within the deadline of the caller', async () => {
    const { lookUp, received } = await world([json(200, USERS)]);
    const problem = await problemOf(lookUp('users', { deadline: { remainingMs: () => 0 } }));
    expect(problem.name).toBe('upstream-unavailable');
    expect(received).toEqual([]);
  });
});
