import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { addCompany, segueIn } from '../../../test/support/segue.ts';
import { SegueClient } from '../../client/segue-client.ts';
import { newProject } from '../../client/test/world.ts';
import { openGateway } from './world.ts';

/** Returns a company with a project, and its commands. */
async function world() {
  const folder = temporaryFolder();
  const { companyId, apiKey } = await addCompany(folder, 'acme', '--scopes', 'create,read,delete,translate');
  const { url } = await openGateway(folder);
  const client = new SegueClient({ baseUrl: url, companyId, apiKey });
  const { id } = await client.createProject({ ...newProject, endDateUtc: '2099-12-31T12:00:00Z' });
  const account = { SEGUE_URL: url, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey };
  const segue = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    segueIn(folder, { env: { ...account, ...env } }, ...args);
  return { folder, url, client, id, segue };
}

describe('a command that the API refuses', () => {
  it.each<[what: string, env: Readonly<Record<string, string>>, args: readonly string[], code: number, line: RegExp]>([
    [
      'wrong credentials',
      { SEGUE_API_KEY: 'seg_wrong' },
      ['projects', 'list'],
      2,
      /Check SEGUE_COMPANY_ID and SEGUE_API_KEY/,
    ],
    [
      'a URL without a scheme',
      { SEGUE_URL: '127.0.0.1:8811' },
      ['languages'],
      2,
      /SEGUE_URL .* not 127\.0\.0\.1:8811\. Did you mean http:\/\/127\.0\.0\.1:8811\?/,
    ],
    ['credentials in a URL', { SEGUE_URL: 'https://a:CANARY@b' }, ['languages'], 2, /SEGUE_URL must be an https URL/],
    ['an invalid --url', {}, ['languages', '--url', 'x'], 2, /--url must be an https URL/],
    ['a date', {}, ['projects', 'list', '--created-after', 'tomorrow'], 2, /--created-after must be an RFC 3339 date/],
    ['no plan', {}, ['projects', 'delete', '7'], 2, /--plan is missing: run npx --no-install segue projects plan 7, /],
    [
      'a plan that is none',
      {},
      ['projects', 'delete', 'a', '--custom-id', '--plan', 'x'],
      2,
      /This is not a plan: run npx --no-install segue projects plan a --custom-id, /,
    ],
  ])('says what to do about %s', async (_, env, args, code, line) => {
    const { segue } = await world();
    const ended = await segue(env, ...args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(/^segue: [^\n]+\n$/);
    expect(ended.stderr).toMatch(line);
    expect(ended.stderr).not.toContain('CANARY');
  });

  it('names the languages of the project', async () => {
    const { segue, id } = await world();
    const { code, stderr } = await segue({}, 'segments', String(id), '--language', 'xx');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--language must be .* Allowed: de-DE\.\n$/)]);
  });

  it('says when a project was deleted', async () => {
    const { segue, id, client } = await world();
    await client.deleteProject(id, 'project');
    const { stderr } = await segue({}, 'progress', String(id));
    expect(stderr).toMatch(
      /^segue: project-not-found: .* It was deleted at \d{4}-\S+Z\. To see all projects, run: npx --no-install segue projects list\n$/,
    );
  });

  it('says where project ids are', async () => {
    const { segue } = await world();
    const { stderr } = await segue({}, 'projects', 'get', '999');
    expect(stderr).toMatch(
      /^segue: project-not-found: .* To see all projects, run: npx --no-install segue projects list\n$/,
    );
  });

  it('names a base URL that is no Segue', async () => {
    const { segue, url } = await world();
    const { code, stderr } = await segue({}, 'languages', '--url', `${url}/api`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`The API is not at ${url}/api.`)]);
  });
});

describe('segue projects create', () => {
  const TEXTS = ['--source-language', 'en', '--target-language', 'de', '--due', '2099-12-31'];

  it('says that the project exists already, or how to create a deleted one again', async () => {
    const { segue, folder, client } = await world();
    const path = join(folder, 'en.json');
    writeFileSync(path, '{"title": "Hello"}');
    const create = (...more: string[]) => segue({}, 'projects', 'create', path, ...TEXTS, ...more);
    expect((await create()).stdout).toMatch(/^Project \d+: 1 segment into de\.\n$/);
    const { stdout } = await create();
    expect(stdout).toMatch(/^Project \d+: 1 segment into de, already created\.\n$/);
    await client.deleteProject(Number(/\d+/.exec(stdout)?.[0]), 'project');
    expect((await create()).stderr).toMatch(/^segue: project-deleted: .* add --idempotency-key <any new text>\.\n$/);
    expect(await create('--idempotency-key', 'again')).toMatchObject({ code: 0 });
  });

  it('names the options that are missing or wrong', async () => {
    const { segue, folder } = await world();
    const path = join(folder, 'en.json');
    writeFileSync(path, '{"title": "Hello"}');
    const create = async (...more: string[]) => (await segue({}, 'projects', 'create', path, ...more)).stderr;
    expect(await create()).toMatch(
      /^To translate the texts of the file, add --source-language, --target-language and --due\./,
    );
    const missing = await create('--automatic');
    for (const option of ['--source-language <code>', '--target-language <codes>', '--due 2099-12-31']) {
      expect(missing).toContain(`required: Add ${option}`);
    }
    const wrong = await create('--due', 'tomorrow', '--target-language', 'de', '--source-language', 'klingon');
    expect(wrong).toContain('--due invalid-date: Write --due 2099-12-31');
    expect(wrong).toContain('run: npx --no-install segue languages');
  });
});

it('segue languages lists the catalogue', async () => {
  const { segue } = await world();
  expect((await segue({}, 'languages')).stdout).toMatch(/^CODE +NAME +ID\n(?:.*\n)*de-DE +German \(Germany\) +\d+$/m);
});

it.each([
  [['projects', 'list', '--jsn'], '--json'],
  [['projects', 'create', 'a', '--target-lang', 'de'], '--target-language'],
  [['projects', 'creat'], 'create'],
])('%j is a usage error with a suggestion', async (args, suggested) => {
  const { code, stderr } = await segueIn(temporaryFolder(), {}, ...args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^segue: unknown [^\n]+\n\(Did you mean [^\n]+\?\)\n$/)]);
  expect(stderr).toContain(suggested);
});

it.each<[args: readonly string[], stderr: string]>([
  [
    ['projects', 'remove', '1'],
    "unknown command 'remove'\nThe commands of segue projects: list, get, create, put, plan, delete",
  ],
  [
    ['--stack', 'events', 'projects', 'list', '--limit', 'x'],
    "unknown option '--limit'\nTo see the options, run: npx --no-install segue projects list --help",
  ],
  [
    ['projects', 'get'],
    "missing required argument 'project': the project’s id, as `segue projects list` shows it, or with --custom-id its custom id",
  ],
  [
    ['source', 'delivery'],
    "missing required argument 'name'\nTo see what it is, run: npx --no-install segue source delivery --help",
  ],
  [
    ['import', '231', 'README.md', 'x'],
    "too many arguments, from 'README.md x' on. Usage: segue import [options] <file>",
  ],
  [
    ['language', '231', 'de', 'stop'],
    "required option '--state <state>' not specified: one of InProgress, InPreparation; InProgress also retries what failed",
  ],
  [
    ['projects', 'list', '--state'],
    "option '--state <state>' argument missing: only with a target language in this state: InProgress, InPreparation",
  ],
])('%j is a usage error that says what to do', async (args, stderr) => {
  expect(await segueIn(temporaryFolder(), {}, ...args)).toEqual({ code: 2, stdout: '', stderr: `segue: ${stderr}\n` });
});
