import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { registerCompany } from '../../../lib/credentials/company-record.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { contextOf } from '../../lib/http/fixture.ts';
import { callOf } from '../../lib/support.ts';
import { type JsonObject, member, segment, smallProject, target } from '../../support/projects.ts';
import { BUCKET } from './definitions.ts';
import { run, type Tasks } from './tasks.ts';

const folder = mkdtempSync(join(tmpdir(), 'segue-'));
let functions: Tasks;
/** The service that the functions are composed with. */
let service: ProjectService;

beforeAll(async () => {
  const environment = {
    SEGUE_DATA_DIR: folder,
    SEGUE_PROJECTS_DIR: join(folder, 'projects'),
    SEGUE_COMPANY_ID: 'acme',
    SEGUE_API_KEY: 'a-key-for-tests-only',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { handler: createProject } = await import('../../../functions/tasks/createProject.ts');
  const { handler: deleteProject } = await import('../../../functions/tasks/deleteProject.ts');
  const put = (key: string, content: string) => {
    const path = join(environment.SEGUE_PROJECTS_DIR, BUCKET, key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  functions = { createProject, deleteProject, put };
  ({ service } = await import('#service'));
  const { storage } = await import('#platform');
  await registerCompany(storage(), 'acme');
});
afterAll(async () => {
  const { closePlatform } = await import('#platform');
  closePlatform();
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const logged: string[] = [];
beforeEach(() => {
  logged.length = 0;
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => logged.push(String(line)) > 0);
});

function inputOf(fields: JsonObject = {}) {
  const segments = [segment({ taskId: 'a' }), segment({ taskId: 'b' })];
  return { project: smallProject({ segments, ...fields }), taskId: 'a' };
}

const projects = async () => (await service.list({ limit: 100 }, callOf())).projects;

it('the example runs with the functions that deploy', async () => {
  const { output, visited, failures } = await run(functions, inputOf());
  expect({ visited, failures }).toEqual({
    visited: ['CreateProject', 'DeleteTask', 'DeleteProject', 'Done'],
    failures: [],
  });
  expect(output).toMatchObject({ created: { segments: 2 }, deletedTask: { outcome: 'deleted' } });
  expect(await projects()).toEqual([]);
  expect(logged).toHaveLength(3);
});

it('a team with a proofreader and no translator is caught by its name, and nothing is written', async () => {
  const team = [member({ isTranslator: false, isProofreader: true })];
  const { error, failures } = await run(functions, inputOf({ targetLanguages: [target({ team })] }));
  expect({ error, failures }).toEqual({
    error: 'TeamToComplete',
    failures: ['Segue.Terminal.team-without-translator', 'TeamToComplete'],
  });
  expect(await projects()).toEqual([]);
});

it('a custom id in use is caught by its name, and the project that has it stays', async () => {
  const project = smallProject({ customId: 'taken' });
  await functions.createProject({ companyId: 'acme', project }, contextOf());
  const { error, failures } = await run(functions, inputOf({ customId: 'taken' }));
  expect({ error, failures }).toEqual({
    error: 'CustomIdInUse',
    failures: ['Segue.Terminal.custom-id-in-use', 'CustomIdInUse'],
  });
  expect(await projects()).toMatchObject([{ customId: 'taken' }]);
});
