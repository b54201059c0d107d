import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SegueClient } from '../../packages/client/segue-client.ts';
import { newProject } from '../../packages/client/test/world.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { readyUrl, type StartedGateway, startGateway, textOf } from '../support/gateway.ts';

/** Tests the API description with tools that API users have: a generated client, and a proxy that validates. */

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const DESCRIPTION = join(ROOT, 'lib/contract/openapi.json');
const binOf = (name: string) => join(import.meta.dirname, 'node_modules/.bin', name);

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => void (await gateway.stop()));

/** A program that uses the generated client. */
const PROGRAM = `
import { client } from './client/client.gen';
import { createProject, deleteProject, getProgress, getProject, listProjects, planDeletion } from './client/index';

const { SEGUE_URL = '', SEGUE_COMPANY_ID = '', SEGUE_API_KEY = '' } = process.env;
const auth = ({ scheme }: { scheme?: string }) => (scheme === 'basic' ? \`\${SEGUE_COMPANY_ID}:\${SEGUE_API_KEY}\` : undefined);
client.setConfig({ baseUrl: SEGUE_URL, auth });

const { data: created, response } = await createProject({
  throwOnError: true,
  headers: { 'Idempotency-Key': 'order-1' },
  body: { ...${JSON.stringify(newProject)}, startDateUtc: new Date().toISOString() },
});
if (!('id' in created)) throw new Error('The answer is not a project');
const path = { id: created.id };
const project = await getProject({ path, throwOnError: true });
const progress = await getProgress({ path, throwOnError: true });
const { data: plan } = await planDeletion({ path, throwOnError: true });
const deleted = await deleteProject({ path, headers: { 'If-Match': \`"\${plan.plan}"\` } });
const { error } = await getProject({ path });
console.log(response.status, project.data.segments?.length, progress.data.languages?.length, plan.removes.segments);
console.log(deleted.response?.status, error?.type.split('/').at(-1), error?.retryable);
console.log((await listProjects({ throwOnError: true })).data.length);
`;

describe('a client that @hey-api/openapi-ts generates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'segue-generated-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('compiles, and creates, reads, plans and deletes', async () => {
    await run(binOf('openapi-ts'), ['--input', DESCRIPTION, '--output', join(folder, 'client')], { cwd: folder });
    const program = join(folder, 'program.ts');
    writeFileSync(program, PROGRAM);
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', '--module', 'preserve'];
    const types = [
      '--types',
      'node',
      '--typeRoots',
      join(ROOT, 'node_modules/@types'),
      '--lib',
      'es2023,dom,dom.iterable',
    ];
    await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...types, program]);
    const outfile = join(folder, 'program.mjs');
    await build({ entryPoints: [program], bundle: true, platform: 'node', format: 'esm', outfile });
    const account = { SEGUE_URL: gateway.url, SEGUE_COMPANY_ID: gateway.companyId, SEGUE_API_KEY: gateway.apiKey };
    const { stdout } = await run(process.execPath, [outfile], { env: childEnvironment(account) });
    expect(stdout).toBe('201 1 1 1\n204 project-not-found false\n0\n');
  });
});

describe('Prism, which validates requests and answers', () => {
  let prism: ChildProcessByStdio<null, Readable, null>;
  let url = '';
  beforeAll(async () => {
    const args = ['proxy', DESCRIPTION, gateway.url, '--errors', '--port', '0', '--host', '127.0.0.1'];
    prism = spawn(binOf('prism'), args, {
      env: childEnvironment({ PATH: String(process.env['PATH']) }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    url = await readyUrl(prism.stdout, textOf(prism.stdout), /Prism is listening on (http:\/\/\S+)/);
  });
  afterAll(async () => {
    prism.kill();
    await once(prism, 'close');
  });

  it('finds no violation on the way of a project', async () => {
    const segue = new SegueClient({ ...gateway, baseUrl: url });
    const { id, customId } = await segue.createProject({ ...newProject, customId: 'cms/1' });
    expect(customId).toBe('cms/1');
    expect((await segue.listProjects({ limit: 10, state: 'InProgress' })).projects).toHaveLength(1);
    expect((await segue.getProjectByCustomId('cms/1')).id).toBe(id);
    await segue.getSegments(id, { limit: 10 });
    await segue.getProgress(id);
    await segue.writeTranslations(id, [
      {
        segmentId: Number((await segue.getSegments(id)).segments[0]?.source?.id),
        languageCode: 'de-DE',
        content: 'Hallo',
        status: 'translated',
      },
    ]);
    await segue.changeLanguage(id, 'de-DE', { state: 'InPreparation' });
    const { plan } = await segue.planDeletion(id, 'project');
    expect((await segue.deleteProject(id, 'project', { plan })).outcome).toBe('deleted');
    await expect(segue.getProject(id)).rejects.toMatchObject({ type: 'project-not-found' });
    expect((await segue.listEvents()).events.length).toBeGreaterThan(0);
    expect((await segue.listLanguages()).length).toBeGreaterThan(100);
  });

  it('refuses what Segue refuses', async () => {
    const response = await fetch(`${url}/segments/projects`, {
      method: 'POST',
      headers: { authorization: gateway.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 1 }),
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(await response.json())).toContain('name');
  });
});
