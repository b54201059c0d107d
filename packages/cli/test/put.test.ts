import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { json, type Play, playService } from '../../../test/lib/upstream/server.ts';
import { segueIn } from '../../../test/support/segue.ts';
import { KEY, newProject, refuse } from '../../client/test/world.ts';

const counts = {
  segments: { kept: 3, changed: 1, added: 2, removed: 1 },
  targetLanguages: { kept: 1, added: 0, removed: 0 },
  quote: {
    words: 8,
    characters: 60,
    repeats: 0,
    automaticTranslation: { engine: 'deepl', characters: 20, cost: null },
  },
};
const AUTOMATIC = 'Automatic translation by deepl: 20 characters.\n';
const COUNTS = 'segments 3 kept, 1 changed, 2 added, 1 removed; target languages 1 kept, 0 added, 0 removed';
const done = { outcome: 'update', ...counts, projectId: 7, customId: 'cms/9' };
const plan = { valid: true, outcome: 'update', ...counts, plan: 'Wzdd' };
const PAGE = { ...newProject, customId: 'cms/9', endDateUtc: '2099-12-31T12:00:00Z' };

/** Returns a folder with a file, and the command `projects put` for it at a simulated API. */
async function world(plays: readonly Play[], content: unknown = PAGE, name = 'project.json') {
  const { url, received } = await playService(...plays);
  const folder = temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  const env = { SEGUE_URL: url, SEGUE_COMPANY_ID: KEY.companyId, SEGUE_API_KEY: KEY.apiKey };
  const put = (...args: string[]) => segueIn(folder, { env }, 'projects', 'put', path, ...args);
  return { path, put, received, sent: () => received.map(({ method, url }) => `${method} ${url}`) };
}

describe('segue projects put', () => {
  it('puts the project of a file by its custom id, under a new key each time', async () => {
    const { put, received, sent } = await world([json(200, done)]);
    const said = `Project 7 (custom id cms/9): the put updates the project: ${COUNTS}.\n`;
    expect(await put()).toEqual({ code: 0, stdout: said, stderr: '' });
    expect(JSON.parse((await put('--json')).stdout)).toEqual(done);
    expect(sent()).toEqual(Array(2).fill('PUT /segments/projects/custom/cms%2F9'));
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ ...PAGE, startDateUtc: expect.any(String) });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
  });

  it('puts by id, one task, with a revision, a plan and a key', async () => {
    const { put, received, sent } = await world([json(200, done)]);
    expect(await put('--project', '7', '--task', 'a b', '--if-plan', 'Wzdd', '--strict')).toMatchObject({ code: 0 });
    expect(await put('--revision', '12', '--idempotency-key', 'k')).toMatchObject({ code: 0 });
    expect(await put('--revision', '2026-01-31T10:00:00+01:00')).toMatchObject({ code: 0 });
    expect(sent()).toEqual([
      'PUT /segments/projects/7?taskId=a%20b',
      'PUT /segments/projects/custom/cms%2F9?revision=12',
      `PUT /segments/projects/custom/cms%2F9?revision=${Date.UTC(2026, 0, 31, 9)}`,
    ]);
    const [first, second] = received.map(({ headers }) => headers);
    expect(first).toMatchObject({ 'if-match': '"Wzdd"', prefer: 'return=minimal, handling=strict' });
    expect(second?.['idempotency-key']).toBe('k');
  });

  it('succeeds if the put is late', async () => {
    const { put } = await world([json(200, { outcome: 'outdated', revision: 12 })]);
    const said = 'The put changes nothing: revision 12 of the project is known.\n';
    expect(await put('--revision', '3')).toEqual({ code: 0, stdout: said, stderr: '' });
  });

  it('makes a project of a file with texts, as create does', async () => {
    const { put, received, sent } = await world([json(200, done)], '{ "title": "Hello" }', 'en.json');
    const options = ['--custom-id', 'app', '--source-language', 'en', '--target-language', 'de', '--due', '2099-12-31'];
    expect(await put(...options)).toMatchObject({ code: 0 });
    expect(sent()).toEqual(['PUT /segments/projects/custom/app']);
    const segments = [{ customId: 'title', content: 'Hello' }];
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ customId: 'app', name: 'en.json', segments });
  });
});

describe('segue projects put with the JSON of a project', () => {
  const { customId: _, ...unnamed } = PAGE;

  it('takes --custom-id as the custom id of the project', async () => {
    const { put, received, sent } = await world([json(200, done)], unnamed);
    expect(await put('--custom-id', 'cms/9')).toMatchObject({ code: 0, stderr: '' });
    expect(sent()).toEqual(['PUT /segments/projects/custom/cms%2F9']);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject(PAGE);
  });

  it('takes --custom-id also if the project has the same', async () => {
    const { put, sent } = await world([json(200, done)]);
    expect(await put('--custom-id', 'cms/9')).toMatchObject({ code: 0, stderr: '' });
    expect(sent()).toEqual(['PUT /segments/projects/custom/cms%2F9']);
  });

  it.each([
    [['--custom-id', 'other'], /^segue: project\.json.* has another customId: leave out --custom-id/],
    [['--custom-id', 'cms/9', '--due', '2099-12-31'], /is a project, so leave out --due: .*in the file/],
    [['--target-language', 'de', '--automatic'], /is a project, so leave out --automatic and --target-language: /],
  ])('refuses %j, and says what would be right', async (options, said) => {
    const { put, sent, path } = await world([json(200, done)]);
    const { code, stderr } = await put(...options);
    expect({ code, stderr: stderr.replace(path, 'project.json') }).toEqual({
      code: 2,
      stderr: expect.stringMatching(said),
    });
    expect(sent()).toEqual([]);
  });

  it('shows the faults of the project at their places', async () => {
    const { put } = await world([json(200, done)], JSON.stringify({ ...unnamed, name: 7 }, undefined, 2));
    const { code, stderr } = await put('--custom-id', 'cms/9');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/project\.json:2:\d+: .*/) });
  });

  it('takes the file for one of texts with --format json', async () => {
    const texts = { segments: ['Hello'], targetLanguages: ['German'] };
    const { put, received } = await world([json(200, done)], texts, 'en.json');
    const options = ['--custom-id', 'app', '--source-language', 'en', '--target-language', 'de', '--due', '2099-12-31'];
    expect(await put(...options)).toMatchObject({ code: 2 });
    expect(await put(...options, '--format', 'json')).toMatchObject({ code: 0 });
    expect(JSON.parse(received[0]?.body ?? '').segments).toMatchObject([{ content: 'Hello' }, { content: 'German' }]);
  });
});

describe('segue projects put --plan', () => {
  it('shows what the put would do, and the command that does exactly that', async () => {
    const { path, put, sent, received } = await world([json(200, plan), json(200, done)]);
    const { code, stdout } = await put('--plan', '--revision', '12', '--task', "it's");
    const given = `--task 'it'\\''s' --revision 12`;
    const next = `npx --no-install segue projects put ${path} ${given} --if-plan WzdD`.replace('WzdD', plan.plan);
    expect([code, stdout]).toEqual([
      0,
      `The put updates the project: ${COUNTS}.\n${AUTOMATIC}To do exactly that, run: ${next}\n`,
    ]);
    expect(sent()).toEqual([
      "PUT /segments/projects/custom/cms%2F9?taskId=it's&revision=12&validateOnly=true".replace("'", '%27'),
    ]);
    expect(received[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('names no command if the put would be late, and prints JSON', async () => {
    const outdated = { valid: true, outcome: 'outdated', revision: 12 };
    const { put } = await world([json(200, outdated), json(200, plan)]);
    const said = 'The put changes nothing: revision 12 of the project is known.\n';
    expect((await put('--plan', '--revision', '3')).stdout).toBe(said);
    expect(JSON.parse((await put('--plan', '--json')).stdout)).toEqual(plan);
  });
});

describe('segue projects put refuses', () => {
  it('a plan that has become outdated, and says how to get a new one', async () => {
    const { path, put } = await world([refuse('plan-outdated')]);
    const { code, stderr } = await put('--if-plan', 'WzdD', '--project', '7');
    const again = `npx --no-install segue projects put ${path} --project 7 --plan`;
    expect([code, stderr]).toEqual([1, expect.stringContaining(`plan-outdated: D For a new plan, run ${again}`)]);
  });

  it.each<[string, string[], RegExp]>([
    ['a project without a name', [], /a put needs a project: give --project, or a customId/],
    ['an id that is none', ['--project', 'cms/9'], /must be an id/],
    ['a revision that is none', ['--revision', 'v3', '--project', '7'], /A revision is a whole number/],
    ['two plans', ['--plan', '--if-plan', 'x', '--project', '7'], /--plan or --if-plan, but not both/],
  ])('%s, and sends nothing', async (_, args, said) => {
    const { put, received } = await world([json(200, done)], { ...PAGE, customId: undefined });
    expect(await put(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(said) });
    expect(received).toEqual([]);
  });

  it('faults at their places, also those that only Segue finds', async () => {
    const found = { pointer: '/customId', code: 'not-the-same', detail: 'Another.' };
    const { put, received } = await world([refuse('invalid-project', { errors: [found] })]);
    expect(await put('--project', '7')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/project\.json:1:\d+: \/customId not-the-same: .*\n.*\n.*\n.*nothing was changed/),
    });
    const faulty = await world([json(200, done)], { ...PAGE, segments: [] });
    expect(await faulty.put()).toMatchObject({ code: 2, stderr: expect.stringContaining('/segments too-few') });
    expect([received.length, faulty.received.length]).toEqual([1, 0]);
  });
});
