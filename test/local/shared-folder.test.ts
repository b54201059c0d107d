import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isHostedProject, isHostedSegment } from '../../packages/client/hosted-types.ts';
import { SegueClient } from '../../packages/client/segue-client.ts';
import { newProject } from '../../packages/client/test/world.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

vi.setConfig({ testTimeout: MUCH_WORK_MS, hookTimeout: MUCH_WORK_MS });

const PROJECTS = Array.from({ length: 20 }, (_, index) => index);

let folder = '';
let gateways: readonly StartedGateway[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'segue-'));
  const start = () => startGateway({ env: { SEGUE_DATA_DIR: folder } });
  gateways = await Promise.all([start(), start()]);
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await rm(folder, { recursive: true });
});

const clients = (scheme: 'basic' | 'bearer') =>
  gateways.map(({ url: baseUrl, companyId, apiKey }) => new SegueClient({ baseUrl, companyId, apiKey, scheme }));

describe('two Segues on one data folder', () => {
  it('create each project once, translate each segment once, and tell its events once', async () => {
    const project = {
      ...newProject,
      targetLanguages: [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }],
      segments: Array.from({ length: 50 }, () => ({ content: 'Good morning' })),
    };
    const [first, second] = clients('basic');
    if (!first || !second) throw new Error('Two gateways were started');
    const create = (client: SegueClient) =>
      Promise.all(PROJECTS.map((index) => client.createProject(project, { idempotencyKey: `order-${index}` })));
    const [created, again] = await Promise.all([create(first), create(second)]);
    expect(again.map(({ id }) => id)).toEqual(created.map(({ id }) => id));
    expect(new Set(created.map(({ id }) => id)).size).toBe(PROJECTS.length);

    const isDone = async () =>
      expect((await second.listProjects({ done: true })).projects).toHaveLength(PROJECTS.length);
    await vi.waitFor(isDone, { timeout: MUCH_WORK_MS, interval: 100 });
    for (const { id } of created) {
      for (const client of [first, second]) {
        const { segments } = await client.getSegments(id);
        const versions = segments.filter(isHostedSegment).flatMap(({ translations }) => translations[0]?.version ?? []);
        expect(versions).toEqual(project.segments.map(() => 1));
      }
      const found = await second.getProject(id);
      expect(isHostedProject(found) && found.targetLanguages[0]?.automaticTranslation?.state).toBe('done');
    }
    const events = await Array.fromAsync(first.events());
    expect(await Array.fromAsync(second.events())).toEqual(events);
    const told = events.map(({ type, data }) => `${type} ${data.projectId}`).sort();
    const expected = created.flatMap(({ id }) => [`language.completed ${id}`, `project.created ${id}`]).sort();
    expect(told).toEqual(expected);

    await Promise.all(created.map(({ id }, index) => (index % 2 ? first : second).deleteProject(id, 'project')));
    expect(await first.listProjects()).toEqual({ projects: [] });
    expect(await second.listProjects()).toEqual({ projects: [] });
  });

  it('accept the tokens of each other', async () => {
    const [first] = clients('bearer');
    const { AccessToken } = (await first?.obtainToken()) ?? {};
    for (const { url } of gateways) {
      const response = await fetch(`${url}/events`, { headers: { authorization: `Bearer ${AccessToken}` } });
      expect(response.status).toBe(200);
    }
  });
});
