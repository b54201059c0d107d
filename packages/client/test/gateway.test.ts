import { expect, it, onTestFinished } from 'vitest';
import { checkProject } from '../../../lib/contract/check-project.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { asObjects, realProject } from '../../../test/support/projects.ts';
import { SegueClient } from '../segue-client.ts';
import { errorOf } from './world.ts';

// `package.test.ts` tests the same with Basic credentials.
it('a client with tokens creates a large project in Segue, reads it and deletes it', async () => {
  const gateway = await startGateway();
  onTestFinished(async () => void (await gateway.stop()));
  const client = new SegueClient({ baseUrl: gateway.url, ...gateway, scheme: 'bearer' });
  const large = checkProject(realProject('cldr-large'), { nowMs: 0, toleranceMs: Number.POSITIVE_INFINITY });
  const created = await client.createProject(large);
  expect(asObjects(created.segments).map(({ content }) => content)).toEqual(
    large.segments.map(({ content }) => content),
  );
  // Meanwhile the progress of the languages grows.
  const targetLanguages = expect.any(Array);
  expect(await client.getProjectByCustomId(large.customId ?? '')).toEqual({ ...created, targetLanguages });
  const [first, ...others] = large.segments;
  const changed = { ...large, segments: [{ ...first, content: 'Another' }, ...others] };
  const planned = await client.planPut(created.id, changed);
  if (planned.outcome === 'outdated') throw new Error('There is no revision.');
  const result = await client.putProject(created.id, changed, { plan: planned.plan });
  expect(result).toMatchObject({ outcome: 'update', projectId: created.id, segments: planned.segments });
  expect(planned.segments.kept).toBe(others.length);
  await client.putProjectByCustomId(large.customId ?? '', changed, { revision: 5 });
  const late = await client.putProjectByCustomId(large.customId ?? '', large, { revision: 4 });
  expect(late).toEqual({ outcome: 'outdated', revision: 5 });
  const receipt = await client.deleteProject(created.id, 'project');
  expect(receipt).toMatchObject({ outcome: 'deleted', removed: { segments: large.segments.length } });
  const gone = { type: 'project-not-found', deletedAtUtc: receipt.deletedAtUtc };
  expect(await errorOf(client.getProject(created.id))).toMatchObject(gone);
  expect((await client.getProblemType('outcome-unknown')).status).toBe(504);
  const { RefreshToken } = await client.obtainToken();
  expect((await client.refreshToken(RefreshToken)).expiresIn).toBe(1_800);
});
