import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { type Companies, companiesIn } from '../../../lib/credentials/companies.ts';
import { requireActiveCompany } from '../../../lib/credentials/company-record.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { bulkLineTask } from '../../../lib/workflow/bulk/bulk-line.ts';
import { manifestKey, manifestsInS3 } from '../../../lib/workflow/bulk/manifests-in-s3.ts';
import { prepareBulkTask } from '../../../lib/workflow/bulk/prepare-bulk.ts';
import { createProjectTask } from '../../../lib/workflow/create-project.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project.ts';
import type { TaskHandler } from '../../../lib/workflow/task.ts';
import { S3StandIn } from '../../support/aws/s3.ts';
import { hosted } from '../hosted/fixture.ts';
import { contextOf } from '../http/fixture.ts';
import { openSqlite } from '../storage/folder.ts';
import { callOf, heldNow, NOW_MS, project } from '../support.ts';
import { fileOf } from './bulk/file.ts';
import { failureOf, options } from './fixture.ts';

const text = JSON.stringify({ create: project() });

/** The tasks on a store that has one company, acme, each with its input. */
async function tasks(): Promise<{
  readonly service: ProjectService;
  readonly companies: Companies;
  readonly all: Record<string, { readonly handler: TaskHandler<unknown>; readonly input: object }>;
}> {
  const storage = openSqlite(heldNow);
  const companies = companiesIn(storage, () => NOW_MS);
  await companies.add('acme', createApiKey());
  const service = hosted({ storage });
  const s3 = new S3StandIn();
  for (const companyId of ['acme', 'typo-co']) s3.write(manifestKey(companyId, 'a.jsonl'), Buffer.from(text));
  const checking = { ...options, requireCompany: requireActiveCompany(() => storage) };
  const entry = { entry: 1, line: 1, offset: 0, bytes: text.length, occurrence: 1 };
  return {
    service,
    companies,
    all: {
      createProject: { handler: createProjectTask(service, checking), input: { project: project() } },
      deleteProject: { handler: deleteProjectTask(service, checking), input: { scope: 'project', customId: 'none' } },
      prepareBulk: {
        handler: prepareBulkTask(manifestsInS3(s3.bucket, s3.newClient()), checking),
        input: { object: { key: manifestKey('acme', 'a.jsonl') } },
      },
      bulkLine: { handler: bulkLineTask(service, () => fileOf(text), checking), input: { run: 'a', entry } },
    },
  };
}

describe('a company that does not exist', () => {
  it.each(['createProject', 'deleteProject', 'prepareBulk'])('is refused by %s', async (name) => {
    const { service, all } = await tasks();
    const { handler, input } = all[name] ?? never();
    const { name: failure } = await failureOf(handler, { ...input, companyId: 'typo-co' });
    expect(failure).toBe('Segue.Terminal.company-not-found');
    expect((await service.list({ limit: 9 }, callOf('typo-co'))).projects).toEqual([]);
    await handler({ ...input, companyId: 'acme' }, contextOf());
  });

  it('is refused by bulkLine, which says so of the line', async () => {
    const { service, all } = await tasks();
    const { handler, input } = all['bulkLine'] ?? never();
    expect(await handler({ ...input, companyId: 'typo-co' }, contextOf())).toMatchObject({
      outcome: 'failed',
      failure: 'Segue.Terminal.company-not-found',
    });
    expect((await service.list({ limit: 9 }, callOf('typo-co'))).projects).toEqual([]);
    expect(await handler({ ...input, companyId: 'acme' }, contextOf())).toMatchObject({ outcome: 'created' });
  });
});

describe('a suspended company', () => {
  it.each(['createProject', 'deleteProject', 'prepareBulk'])('is refused by %s until it is resumed', async (name) => {
    const { service, companies, all } = await tasks();
    const { handler, input } = all[name] ?? never();
    await companies.setState('acme', 'suspended');
    const { name: failure } = await failureOf(handler, { ...input, companyId: 'acme' });
    expect(failure).toBe('Segue.Terminal.company-suspended');
    expect((await service.list({ limit: 9 }, callOf('acme'))).projects).toEqual([]);
    await companies.setState('acme', 'active');
    await handler({ ...input, companyId: 'acme' }, contextOf());
  });

  it('is refused by bulkLine, which says so of the line', async () => {
    const { companies, all } = await tasks();
    const { handler, input } = all['bulkLine'] ?? never();
    await companies.setState('acme', 'suspended');
    expect(await handler({ ...input, companyId: 'acme' }, contextOf())).toMatchObject({
      outcome: 'failed',
      failure: 'Segue.Terminal.company-suspended',
    });
  });
});

function never(): never {
  throw new Error('There is no such task');
}
