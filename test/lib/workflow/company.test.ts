import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { requireActiveCompany } from '../../../lib/credentials/company-record.ts';
import { manifestKey, manifestsInS3 } from '../../../lib/workflow/bulk/manifests-in-s3.ts';
import { prepareBulkTask } from '../../../lib/workflow/bulk/prepare-bulk.ts';
import { bulkLineTask } from '../../../lib/workflow/bulk/run-line.ts';
import { createProjectTask } from '../../../lib/workflow/create-project-task.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project-task.ts';
import type { TaskHandler } from '../../../lib/workflow/task-handler.ts';
import { S3StandIn } from '../../support/aws/s3.ts';
import { hosted } from '../../support/world.ts';
import { contextOf } from '../http/fixture.ts';
import { openSqlite } from '../storage/folder.ts';
import { callContext, heldNow, NOW_MS, project } from '../support.ts';
import { failureOf, fileOf, options } from './world.ts';

const TASKS = ['createProject', 'deleteProject', 'prepareBulk', 'bulkLine'] as const;
const text = JSON.stringify({ create: project() });

/** Returns all tasks on a store that has one company, acme, each with its input. */
async function tasks() {
  const storage = openSqlite(heldNow);
  const companies = companiesIn(storage, () => NOW_MS);
  await companies.add('acme', createApiKey());
  const service = hosted({ storage });
  const s3 = new S3StandIn();
  for (const companyId of ['acme', 'typo-co']) s3.write(manifestKey(companyId, 'a.jsonl'), Buffer.from(text));
  const checking = { ...options, requireCompany: requireActiveCompany(() => storage) };
  const entry = { entry: 1, line: 1, offset: 0, bytes: text.length, occurrence: 1 };
  const prepare = prepareBulkTask(manifestsInS3(s3.bucket, s3.newClient()), checking);
  const all: Record<(typeof TASKS)[number], readonly [handler: TaskHandler<unknown>, input: object]> = {
    createProject: [createProjectTask(service, checking), { project: project() }],
    deleteProject: [deleteProjectTask(service, checking), { scope: 'project', customId: 'none' }],
    prepareBulk: [prepare, { object: { key: manifestKey('acme', 'a.jsonl') } }],
    bulkLine: [bulkLineTask(service, () => fileOf(text), checking), { run: 'a', entry }],
  };
  return { service, companies, all };
}

it('a company that may create no more projects today is refused until the next day', async () => {
  const { service, companies, all } = await tasks();
  await companies.setLimits('acme', { projects: 1 });
  const [create, input] = all.createProject;
  await create({ ...input, companyId: 'acme' }, contextOf());
  const failure = await failureOf(create, { ...input, companyId: 'acme' });
  expect(failure).toMatchObject({ name: 'Segue.Retryable.quota-exceeded' });
  expect((await service.list({ limit: 9 }, callContext('acme'))).projects).toHaveLength(1);
  await companies.setLimits('acme', { projects: null });
  await create({ ...input, companyId: 'acme' }, contextOf());
});

describe.each([
  ['does not exist', 'typo-co', 'Segue.Terminal.company-not-found'],
  ['is suspended', 'acme', 'Segue.Terminal.company-suspended'],
])('a company that %s', (_, companyId, failure) => {
  it.each(TASKS)('is refused by %s', async (name) => {
    const { service, companies, all } = await tasks();
    const [handler, input] = all[name];
    await companies.setState('acme', companyId === 'acme' ? 'suspended' : 'active');
    // A refused line is a result: only a temporary failure is thrown.
    if (name === 'bulkLine')
      expect(await handler({ ...input, companyId }, contextOf())).toMatchObject({ outcome: 'failed', failure });
    else expect(await failureOf(handler, { ...input, companyId })).toMatchObject({ name: failure });
    expect((await service.list({ limit: 9 }, callContext(companyId))).projects).toEqual([]);
    await companies.setState('acme', 'active');
    expect(await handler({ ...input, companyId: 'acme' }, contextOf())).not.toMatchObject({ outcome: 'failed' });
  });
});
