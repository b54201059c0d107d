import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { send } from '../support/http.ts';
import { smallProject } from '../support/projects.ts';
import { addCompany, segueHere } from '../support/segue.ts';
import { openGateway } from './world.ts';

const PROJECTS = '/segments/projects';
/** How long the gateway keeps what the authorizer said. */
const KEPT_MS = 30_000;
const Project = z.object({ id: z.int() });
const Pair = z.object({ AccessToken: z.string(), RefreshToken: z.string() });

/** A company on a gateway, with a project, and with tokens that were used and tokens that were not. */
async function world() {
  const folder = temporaryFolder();
  const { clock, url } = await openGateway(folder);
  const key = await addCompany(folder, 'acme');
  const ask = (authorization: string | undefined, method: string, path: string, json?: unknown) =>
    send(url, {
      method,
      path,
      headers: { ...(authorization && { Authorization: authorization }), 'Content-Type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  const obtain = async () => {
    const answer = await ask(key.authorization, 'POST', '/authentication/token');
    return Pair.parse(JSON.parse(answer.text));
  };
  const create = (authorization: string) => ask(authorization, 'POST', PROJECTS, smallProject());
  const made = async (authorization: string) => {
    const { id } = Project.parse(JSON.parse((await create(authorization)).text));
    return `${PROJECTS}/${id}`;
  };
  const [used, unused] = [await obtain(), await obtain()];
  const bearer = `Bearer ${used.AccessToken}`;
  const known = [key.authorization, bearer, `Bearer ${key.apiKey}`];
  const paths = await Promise.all(known.map(made));
  const revoke = () => segueHere(folder, 'company', 'revoke', key.keyId);
  return { clock, key, known, unused, paths, ask, create, revoke };
}

it('a revoked key and its tokens delete nothing from then on', async () => {
  const { known, paths, ask, revoke } = await world();
  expect((await revoke()).stdout).toMatch(/^Revoked\. It deletes nothing .*\nThe company acme has 0 active keys\.\n/);
  for (const authorization of known) {
    for (const path of paths) {
      for (const target of [path, `${path}?taskId=x`, `${PROJECTS}/1`]) {
        const { status, headers } = await ask(authorization, 'DELETE', target);
        expect({ target, status }).toEqual({ target, status: 401 });
        expect(headers['content-type']).toBe('application/problem+json');
      }
      expect((await ask(authorization, 'GET', path)).status).toBe(200);
    }
  }
});

it('it creates and reads until the cached answer of the authorizer expires', async () => {
  const { clock, known, paths, ask, create, revoke } = await world();
  const statuses = async () => {
    const answers = known.flatMap((authorization) => [
      ask(authorization, 'GET', PROJECTS),
      ask(authorization, 'GET', paths[0] ?? ''),
      ask(authorization, 'GET', '/integrations/languages'),
      create(authorization),
    ]);
    return [...new Set((await Promise.all(answers)).map(({ status }) => status))].sort();
  };
  await revoke();
  clock.nowMs += KEPT_MS - 1;
  expect(await statuses()).toEqual([200, 201]);
  clock.nowMs += 1;
  expect(await statuses()).toEqual([401]);
});

it('it gets no token, and its refresh tokens and unused tokens are refused', async () => {
  const { key, unused, ask, revoke } = await world();
  await revoke();
  const { companyId: username, apiKey: password } = key;
  const requests = [
    ask(key.authorization, 'POST', '/authentication/token'),
    ask(undefined, 'POST', '/authentication/token', { username, password }),
    ask(undefined, 'POST', '/authentication/RefreshToken', { token: unused.RefreshToken }),
    ask(`Bearer ${unused.AccessToken}`, 'GET', PROJECTS),
    ask(`Bearer  ${key.apiKey}`, 'GET', PROJECTS),
  ];
  for (const { status } of await Promise.all(requests)) expect(status).toBe(401);
});
