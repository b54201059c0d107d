import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SegueClient } from '../../../lib/client/segue-client.ts';
import { checkProject } from '../../../lib/contract/check.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { asObjects, realProject } from '../../support/projects.ts';
import { errorOf } from './world.ts';

/** Whatever the start date is, this is no test of it. */
const clock = { nowMs: 0, toleranceMs: Number.POSITIVE_INFINITY };

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => void (await gateway.stop()));

describe.each(['basic', 'bearer'] as const)('Segue itself, asked with %s', (scheme) => {
  const connect = () => new SegueClient({ baseUrl: gateway.url, ...gateway, scheme });

  it('creates a large project, gives it back, and deletes it', async () => {
    const client = connect();
    const large = checkProject(realProject('cldr-large'), clock);
    const created = await client.createProject(large);
    expect(asObjects(created.segments).map(({ content }) => content)).toEqual(
      large.segments.map(({ content }) => content),
    );
    expect(await client.getProjectByCustomId(large.customId ?? '')).toEqual(created);
    const receipt = await client.deleteProject(created.id, 'project');
    expect(receipt).toMatchObject({ outcome: 'deleted', removed: { segments: large.segments.length } });
    expect(await errorOf(client.getProject(created.id))).toMatchObject({
      type: 'project-not-found',
      deletedAtUtc: receipt.deletedAtUtc,
    });
  });

  it('tells about itself', async () => {
    const client = connect();
    expect(await client.health()).toEqual({ status: 'ok' });
    expect((await client.getProblemType('outcome-unknown')).status).toBe(504);
    expect((await client.listLanguages()).length).toBeGreaterThan(100);
    const { RefreshToken } = await client.obtainToken();
    expect((await client.refreshToken(RefreshToken)).expiresIn).toBe(1_800);
  });
});
