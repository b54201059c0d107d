import { afterAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../lib/contract/routes.ts';
import { bytesOf } from '../faults/isolation/world.ts';
import { startGateway } from '../support/gateway.ts';
import { segment, smallProject, uniqueId } from '../support/projects.ts';
import { addCompany } from '../support/segue.ts';
import { ADDED_IN_FRONT, Api, byCustomId, byId, operationPath } from './api.ts';
import { contract } from './suite/index.ts';
import { newKey, withKey } from './suite/once.ts';

// `hosted.test.ts` tests the suite while an engine translates.
const behind = await startGateway({ env: { SEGUE_TRANSLATION_ENGINE: 'none' } });
afterAll(() => behind.stop());
// This upstream service shows changes at once, so the shortest setting is enough.
const front = await startGateway({ upstream: behind, env: { SEGUE_SETTLE_SECONDS: '1' } });
afterAll(() => front.stop());

const { url } = front;
const one = {
  ...(await addCompany(front.dataDir, 'one', '--scopes', SCOPES.join())),
  url,
  name: 'Segue in front of Segue, for one of two companies of an account',
  addedBytes: ADDED_IN_FRONT,
  assignsMembers: true,
} as const;
const other = { ...(await addCompany(front.dataDir, 'other')), url, name: 'the other company' };

contract(one);

describe('two companies of one upstream account', () => {
  const [mine, theirs] = [new Api(one), new Api(other)];

  it('a company gets the same answer for another company’s project as for an unknown one', async () => {
    const customId = uniqueId();
    const fields = { customId, segments: [segment({ taskId: 't' }), segment()] };
    const live = await theirs.create(smallProject(fields));
    const gone = await theirs.create(smallProject({ customId: `${customId}, gone` }));
    await theirs.delete(byId(gone.id));
    const names: readonly (readonly [theirs: string, unknown: string])[] = [
      [byId(live.id), byId(live.id + 500)],
      [byId(gone.id), byId(gone.id + 500)],
      [byCustomId(customId), byCustomId(uniqueId())],
      [byCustomId(`${customId}, gone`), byCustomId(`${uniqueId()}, gone`)],
      [byCustomId(`segue.other.n.${customId}`), byCustomId(`segue.other.n.${uniqueId()}`)],
    ];
    for (const [named, unknown] of names) {
      for (const query of ['', '?taskId=t']) {
        for (const method of ['GET', 'DELETE']) {
          const answer = await mine.send(method, named + query);
          expect(answer.status).toBe(404);
          expect(bytesOf(answer)).toEqual(bytesOf(await mine.send(method, unknown + query)));
        }
      }
    }
    expect(await theirs.read(byCustomId(customId))).toEqual(live);
    expect(await mine.list()).toEqual([]);
    await theirs.cleanUp();
  });

  it('each company can use the same custom id and the same key', async () => {
    const project = smallProject({ customId: uniqueId() });
    const options = withKey(newKey());
    const [first, second] = [await mine.create(project, options), await theirs.create(project, options)];
    expect(second.id).not.toBe(first.id);
    expect(second.customId).toBe(first.customId);
    await mine.cleanUp();
    expect(await theirs.read(byCustomId(`${project['customId']}`))).toEqual(second);
    await theirs.cleanUp();
  });

  it('a company gets the same answer for another company’s operation as for an unknown one', async () => {
    const answer = await theirs.post(smallProject(), '', { headers: { prefer: 'respond-async' } });
    expect(answer.status).toBe(202);
    const operation = new URL(String(answer.headers.location)).pathname;
    expect((await theirs.get(operation)).status).toBe(200);
    const unknown = await mine.get(operationPath('A'.repeat(43)));
    expect(bytesOf(await mine.get(operation))).toEqual(bytesOf(unknown));
  });

  it('the account is empty after both companies deleted their projects', async () => {
    for (const api of [mine, theirs]) for (const { id } of await api.list()) await api.delete(byId(id));
    expect(await new Api({ ...behind, name: 'the account itself' }).list()).toEqual([]);
  });
});
