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
  const receipt = await client.deleteProject(created.id, 'project');
  expect(receipt).toMatchObject({ outcome: 'deleted', removed: { segments: large.segments.length } });
  const gone = { type: 'project-not-found', deletedAtUtc: receipt.deletedAtUtc };
  expect(await errorOf(client.getProject(created.id))).toMatchObject(gone);
  expect((await client.getProblemType('outcome-unknown')).status).toBe(504);
  const { RefreshToken } = await client.obtainToken();
  expect((await client.refreshToken(RefreshToken)).expiresIn).toBe(1_800);
});
