import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { addCompany, segueIn } from '../../../test/support/segue.ts';
import { SegueClient } from '../../client/segue-client.ts';
import { newProject } from '../../client/test/world.ts';
import { openGateway } from './world.ts';

/** Returns a gateway with a company, and commands of the company. */
async function world() {
  const folder = temporaryFolder();
  const { companyId, apiKey } = await addCompany(folder, 'acme');
  const { url: baseUrl } = await openGateway(folder);
  const client = new SegueClient({ baseUrl, companyId, apiKey });
  const env = { SEGUE_URL: baseUrl, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey };
  const segue = (...args: string[]) => segueIn(folder, { env }, 'projects', ...args);
  const create = (fields = {}) =>
    client.createProject({
      ...newProject,
      endDateUtc: '2099-12-31T12:00:00Z',
      customId: 'cms/1',
      segments: [{ content: 'Hello', taskId: 'home' }, { content: 'Bye' }],
      ...fields,
    });
  return { client, segue, create };
}

const planIn = (stdout: string) => /--plan (\S+)/.exec(stdout)?.[1] ?? '';

describe('segue projects list', () => {
  it('says that there are none, then shows them with headings, newest first', async () => {
    const { segue, create } = await world();
    expect(await segue('list')).toEqual({ code: 0, stdout: '', stderr: 'No projects.\n' });
    expect(await segue('list', '--json')).toEqual({ code: 0, stdout: '', stderr: '' });
    await create({ name: 'One\u001b[31m' });
    await create({ customId: 'cms/2', name: 'Two' });
    const { stdout } = await segue('list');
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(1))).toEqual([
      ['CUSTOM ID', 'DUE', 'PROGRESS', 'NAME'],
      ['cms/2', '2099-12-31T12:00:00Z', '0 %', 'Two'],
      ['cms/1', '2099-12-31T12:00:00Z', '0 %', 'One\\u001b[31m'],
      [],
    ]);
  });

  it('selects projects, and prints JSON', async () => {
    const { segue, create } = await world();
    await create();
    const { id } = await create({ customId: 'shop/1' });
    const selection = ['--custom-id-prefix', 'shop/', '--no-done', '--state', 'InProgress', '--json'];
    const { stdout } = await segue('list', ...selection);
    expect(JSON.parse(stdout)).toMatchObject({ id, customId: 'shop/1' });
    expect((await segue('list', '--done')).stderr).toBe('No projects.\n');
    expect(await segue('list', '--state', 'Done')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('InProgress, InPreparation'),
    });
  });
});

describe('segue projects get', () => {
  it('prints a project, or the segments of one task, by id or custom id', async () => {
    const { segue, create } = await world();
    const project = await create();
    expect(JSON.parse((await segue('get', String(project.id))).stdout)).toEqual(project);
    const { stdout } = await segue('get', 'cms/1', '--custom-id', '--task', 'home');
    expect(JSON.parse(stdout)).toMatchObject({ id: project.id, segments: [{ taskId: 'home' }] });
    expect(await segue('get', 'cms/1')).toMatchObject({ code: 2, stderr: expect.stringContaining('--custom-id') });
  });
});

describe('segue projects create', () => {
  const write = (content: unknown) => {
    const path = join(temporaryFolder(), 'project.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    return path;
  };
  const project = { ...newProject, customId: 'cms/9', endDateUtc: '2099-12-31T12:00:00Z' };

  it('creates the project of a file once, however its JSON is written', async () => {
    const { client, segue } = await world();
    const { code, stdout } = await segue('create', write(project));
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Project \d+ \(custom id cms\/9\): 1 segment into de-DE\.\n$/),
    ]);
    const reordered = Object.fromEntries(Object.entries(project).reverse());
    const again = JSON.parse((await segue('create', write(reordered), '--json')).stdout);
    expect((await client.listProjects()).projects.map(({ id }) => id)).toEqual([again.id]);
    const other = await segue('create', write(project), '--idempotency-key', 'another');
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('in-use') });
  });

  it('checks a file without creating its project', async () => {
    const { client, segue } = await world();
    expect(await segue('create', write(project), '--validate-only')).toMatchObject({
      code: 0,
      stdout: 'The project is valid: 1 segment, 1 word, 5 characters.\n',
    });
    expect((await client.listProjects()).projects).toEqual([]);
  });

  it.each([
    ['a syntax fault', '{\n  "name": x\n}', /project\.json:2:11: .*syntax/],
    [
      'a wrong field',
      { ...project, segments: [{ text: 'a' }] },
      /project\.json:\d+:7: \/segments\/0\/text unknown-field: .*Did you mean content/,
    ],
    ['a list', [], /the project wrong-type/],
  ])('shows %s at its place, and sends nothing', async (_, content, said) => {
    const { client, segue } = await world();
    const { code, stderr } = await segue('create', write(content));
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
    expect((await client.listProjects()).projects).toEqual([]);
  });
});

describe('segue projects put', () => {
  it('shows what a changed file changes, and does exactly that', async () => {
    const { client, segue } = await world();
    const path = join(temporaryFolder(), 'project.json');
    const put = (fields: object, ...args: string[]) => {
      writeFileSync(path, JSON.stringify({ ...newProject, customId: 'cms/9', ...fields }));
      return segue('put', path, ...args);
    };
    const created = await put({ segments: [{ content: 'One' }, { content: 'Two' }] }, '--revision', '1');
    expect(created.stdout).toMatch(/^Project \d+ \(custom id cms\/9\): the put creates the project: segments 0 kept, /);
    const changed = { segments: [{ content: 'Two' }, { content: 'Three' }] };
    const planned = await put(changed, '--plan', '--revision', '2');
    expect(planned.stdout).toMatch(/^The put updates the project: segments 1 kept, 0 changed, 1 added, 1 removed; /);
    const [, plan = ''] = /--if-plan (\S+)\n/.exec(planned.stdout) ?? [];
    expect(await put({ segments: [{ content: 'Three' }] }, '--if-plan', plan)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^segue: plan-outdated: .*Request a new plan\. (?!:).*For a new plan, run npx --no-install segue projects put /,
      ),
    });
    expect(await put(changed, '--if-plan', plan, '--revision', '2')).toMatchObject({ code: 0 });
    const late = await put({ segments: [{ content: 'One' }] }, '--revision', '1');
    expect([late.code, late.stdout]).toEqual([0, 'The put changes nothing: revision 2 of the project is known.\n']);
    const { segments } = await client.getProjectByCustomId('cms/9');
    expect(segments).toMatchObject([{ content: 'Two' }, { content: 'Three' }]);
    expect((await put(changed)).stdout).toContain('the put changes nothing: ');
  });
});

describe('segue projects plan, and delete', () => {
  it('show what goes, and delete exactly that', async () => {
    const { client, segue, create } = await world();
    const { id } = await create();
    const task = [String(id), '--task', 'home'];
    const planned = await segue('plan', ...task);
    expect(planned).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        `Deleting task home of project ${id} (custom id cms/1) would remove for ever:\n  target languages: 0\n  segments: 1\n  tasks: 1\n`,
      ),
    });
    expect(planned.stdout).toMatch(
      new RegExp(
        `\nTo delete exactly that, run: npx --no-install segue projects delete ${id} --task home --plan \\S+\n$`,
      ),
    );
    const ofProject = planIn((await segue('plan', 'cms/1', '--custom-id')).stdout);
    expect(await segue('delete', ...task, '--plan', planIn(planned.stdout))).toEqual({
      code: 0,
      stdout: `Task home of project ${id}: deleted.\n`,
      stderr: '',
    });
    expect(await segue('delete', 'cms/1', '--custom-id', '--plan', ofProject)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^segue: plan-outdated: .*\/removes\/segments: The plan removes 2 segments\./),
    });
    expect((await client.getProject(id)).segments).toHaveLength(1);
    const { plan } = JSON.parse((await segue('plan', String(id), '--json')).stdout);
    const deleted = await segue('delete', String(id), '--plan', plan, '--json');
    expect(JSON.parse(deleted.stdout)).toMatchObject({ outcome: 'deleted', removed: { segments: 1 } });
  });

  it('name the command for a task whose id a shell would split, and for another URL', async () => {
    const { segue, create } = await world();
    const { id } = await create({ segments: [{ content: 'Hello', taskId: "it's $HOME" }] });
    const { stdout } = await segue('plan', String(id), '--task', "it's $HOME");
    expect(stdout).toContain(`run: npx --no-install segue projects delete ${id} --task 'it'\\''s $HOME' --plan `);
    const { stderr } = await segue('delete', 'a b', '--custom-id', '--url', 'http://127.0.0.1:9');
    expect(stderr).toContain("run npx --no-install segue projects plan 'a b' --custom-id --url http://127.0.0.1:9, ");
  });

  it('delete the project of a custom id by the printed command', async () => {
    const { segue, create } = await world();
    await create();
    const { stdout } = await segue('plan', 'cms/1', '--custom-id');
    const [, printed = ''] = /run: npx --no-install segue projects (.*)\n$/.exec(stdout) ?? [];
    expect(await segue(...printed.split(' '))).toMatchObject({ code: 0, stdout: expect.stringContaining(': deleted') });
  });

  it('delete nothing without a plan', async () => {
    const { client, segue, create } = await world();
    const { id } = await create();
    expect(await segue('delete', String(id))).toMatchObject({ code: 2, stderr: expect.stringContaining('--plan') });
    expect(await segue('delete', String(id), '--plan', 'x y')).toMatchObject({ code: expect.toBeOneOf([1, 2]) });
    expect((await client.getProject(id)).id).toBe(id);
  });
});
