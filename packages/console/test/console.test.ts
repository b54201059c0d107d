import { describe, expect, it } from 'vitest';
import { OperationStarted } from '../../../lib/contract/answers.ts';
import { press, signIn, type } from '../../../test/browser/keyboard.ts';
import { lighthouse } from '../../../test/browser/lighthouse.ts';
import {
  isTooWide,
  type Page,
  SCREENS,
  type Screen,
  seriousFindings,
  startWorld,
} from '../../../test/browser/world.ts';
import {
  type JsonObject,
  realProject,
  segment,
  smallProject,
  startingNow,
  target,
} from '../../../test/support/projects.ts';
import { SegueClient } from '../../client/index.ts';
import { HOSTILE } from './hostile-texts.ts';

const world = await startWorld();
const { gateway } = world;
const client = new SegueClient({ baseUrl: gateway.url, companyId: gateway.companyId, apiKey: gateway.apiKey });

function post(project: JsonObject, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/segments/projects`, {
    method: 'POST',
    headers: { Authorization: gateway.authorization, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(project),
  });
}

const { create } = world;

const small = await create(
  smallProject({
    customId: 'spring-1',
    name: 'Spring catalogue',
    targetLanguages: [target(), { targetLanguageCode: 'ar' }],
    segments: [segment({ taskId: 'front' }), segment({ taskId: 'back' })],
  }),
);
const [source] = await client.getSegments(small).then(({ segments }) => segments);
await client.writeTranslations(small, [
  { segmentId: Number(source?.source?.id), languageCode: 'ar', content: 'مرحبا', status: 'translated' },
]);

const signedIn = (screen?: Screen) => signIn(world, screen);

/** Chooses a file on the page `Create`. */
async function choose(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.getByLabel('Project file').setInputFiles(file);
}

/** A project without a name, whose segment has a text instead of a content. */
const FAULTY = JSON.stringify({ ...smallProject(), name: undefined, segments: [{ text: 'Hello' }] }, undefined, 2);

it.each(SCREENS)('is usable at $width pixels in $theme', async (screen) => {
  const { page, foreign, errors, picture } = await signedIn(screen);
  const check = async (name: string) => {
    await picture(`console-${name}`);
    expect(await isTooWide(page), name).toBe(false);
    expect(await seriousFindings(page), name).toEqual([]);
  };
  await page.getByRole('link', { name: 'Spring catalogue' }).waitFor();
  await check('projects');
  await press(page, 'link', 'Spring catalogue');
  await page.getByText('2 segments').waitFor();
  await check('project');
  await press(page, 'button', 'Delete the project…');
  await page.getByText('It removes').waitFor();
  await check('delete');
  await press(page, 'link', 'Projects');
  await page.getByRole('link', { name: 'Spring catalogue' }).waitFor();
  await press(page, 'link', 'Create a project');
  await choose(page, 'project.json', FAULTY);
  await page.getByRole('list', { name: 'Faults' }).waitFor();
  await check('create');
  await press(page, 'link', 'Events');
  await page.getByRole('list', { name: 'Events' }).waitFor();
  await check('events');
  await press(page, 'link', 'Operations');
  await page.getByLabel('Operation id').waitFor();
  await check('operations');
  // A browser reports each answer to a faulty file as an error.
  expect({ foreign, errors: errors.filter((text) => !/status of 400/.test(text)) }).toEqual({
    foreign: [],
    errors: [],
  });
});

it('passes the rules of Lighthouse', async () => {
  const { accessibility, bestPractices, failed } = await lighthouse(`${gateway.url}/console`);
  expect(Math.min(accessibility, bestPractices), failed.join()).toBeGreaterThan(95);
});

describe('the session', () => {
  it('rejects a wrong key, and says so', async () => {
    const { page } = await world.open('/console');
    await type(page, 'Company id', gateway.companyId);
    await type(page, 'API key', `${gateway.apiKey}x`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The company id or the key is wrong.').waitFor();
  });

  it('survives a reload in the tab, and nothing but the tab keeps the key', async () => {
    const { page } = await signedIn();
    const stored = await page.evaluate(() => JSON.stringify([localStorage, document.cookie]));
    expect(stored).toBe('[{},""]');
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toContain(gateway.apiKey);
    await page.reload();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    expect(page.url()).not.toContain(gateway.apiKey);
    const other = await page.context().newPage();
    await other.goto(`${gateway.url}/console`);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('ends for good when the user signs out', async () => {
    const { page } = await signedIn();
    await press(page, 'button', 'Account of');
    await press(page, 'button', 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).toBe('[{},{}]');
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it.each([
    ['a key that Segue refuses', (id: string) => JSON.stringify([id, 'no-key'])],
    ['something else', () => '{"companyId":1}'],
    ['no JSON', () => '<script>'],
    ['a company id that is none', () => JSON.stringify(['a:b\n', 'k'])],
  ])('does not begin with %s', async (_, stored) => {
    const { page } = await signedIn();
    await page.evaluate((text) => sessionStorage.setItem('segue-session', text), stored(gateway.companyId));
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('ends, and is forgotten, when Segue refuses the key', async () => {
    const { page } = await signedIn();
    await page.evaluate(
      (id) => sessionStorage.setItem('segue-session', JSON.stringify([id, 'no-key'])),
      gateway.companyId,
    );
    await page.reload();
    await page.getByRole('alert').getByText('Segue no longer accepts this key.').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});

describe('the search for projects', () => {
  it('finds a part of a name or of a custom id at once, in any case', async () => {
    const { page } = await signedIn();
    const list = page.getByRole('list', { name: 'Projects' });
    await type(page, 'Name or custom id', 'CATALOGUE');
    await list.getByText('Spring catalogue').waitFor();
    await page.getByLabel('Name or custom id').fill('spring-1');
    await list.getByText('Spring catalogue').waitFor();
    await page.getByLabel('Name or custom id').fill('nothing-has-this');
    await page.getByText('No project fits').waitFor();
  });

  it('goes on through all pages if the user wants that, and stops when the user says so', async () => {
    const { page } = await signedIn();
    const requests: string[] = [];
    const gates: PromiseWithResolvers<void>[] = [];
    const [example] = (await client.listProjects({ limit: 1 })).projects;
    const head = (id: number, name: string) => ({ ...example, id, name, customId: undefined });
    await page.route('**/segments/projects?*', async (route) => {
      const query = new URL(route.request().url()).searchParams;
      requests.push(query.get('customIdPrefix') ?? query.get('cursor') ?? 'first');
      const cursor = Number(query.get('cursor') ?? 0);
      const isLast = cursor === 2 || query.has('customIdPrefix');
      if (cursor === 1 && gates.length > 0) await gates[0]?.promise;
      const headers = isLast
        ? {}
        : { link: `<${gateway.url}/segments/projects?limit=100&cursor=${cursor + 1}>; rel="next"` };
      const body = query.has('customIdPrefix') ? [] : [head(cursor + 1, `Page ${cursor}`)];
      return route.fulfill({ json: body, headers });
    });
    await press(page, 'link', 'Projects');
    await press(page, 'link', 'Create a project');
    await page.getByRole('heading', { name: 'Create a project' }).waitFor();
    await press(page, 'link', 'Projects');
    await page.getByLabel('Name or custom id').fill('page 2');
    await page.getByText('No project fits').waitFor();
    await press(page, 'button', 'Search all projects');
    await page.getByRole('link', { name: 'Page 2' }).waitFor();
    await page.getByText('Searched in all projects: 3 projects.').waitFor();
    gates.push(Promise.withResolvers());
    await page.getByLabel('Name or custom id').fill('page');
    await press(page, 'button', 'Search all projects');
    await page.getByText('1 project so far').waitFor();
    await press(page, 'button', 'Stop');
    await page.getByText('Searched in the newest 1 project.').waitFor();
    gates[0]?.resolve();
    expect(requests).toContain('page 2');
    expect(requests.at(-1)).toBe('1');
  });
});

it('moves the focus to the heading of each page', async () => {
  const { page } = await signedIn();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  expect(await focused()).toBe('Projects');
  await press(page, 'link', 'Spring catalogue');
  await page.getByRole('heading', { name: 'Spring catalogue' }).waitFor();
  expect(await focused()).toBe('Spring catalogue');
});

it('never takes the focus from a field that the user has chosen', async () => {
  const { page } = await signedIn();
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const field = document.querySelector<HTMLInputElement>('input[name=id]');
      if (field) observer.disconnect();
      field?.focus();
    }).observe(document.body, { childList: true, subtree: true });
    location.hash = '#/operations';
  });
  await page.waitForFunction(() => document.title.startsWith('Operations'));
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('id');
});

it('shows a translation in its direction', async () => {
  const { page } = await signedIn();
  await press(page, 'link', 'Spring catalogue');
  await press(page, 'link', 'Texts');
  await page.getByLabel('Translations into').selectOption('ar');
  const translation = page.getByText('مرحبا');
  await translation.waitFor();
  expect(await translation.getAttribute('dir')).toBe('rtl');
});

it('keeps few rows of a large project in the document', async () => {
  // Without an engine: a project that changes while its pages load has to be loaded again.
  const targetLanguages = [{ targetLanguageCode: 'ar-AE' }];
  await create({ ...startingNow(realProject('cldr-large')), customId: 'cldr-large', targetLanguages });
  const { page } = await signedIn();
  await page.locator('.cards a').first().focus();
  await page.keyboard.press('Enter');
  await press(page, 'link', 'Texts');
  const rows = page.locator('.list li');
  await rows.first().waitFor();
  await page.getByText(/^[\d,]+ segments$/).waitFor();
  const count = Number(await rows.first().getAttribute('aria-setsize'));
  await page.keyboard.press('End');
  await page.locator(`.list li[aria-posinset="${count}"]`).waitFor();
  expect(await rows.count()).toBeLessThan(60);
  await page.keyboard.press('Home');
  await page.locator('.list li[aria-posinset="1"]').waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

describe('creating', () => {
  /** Opens the page `Create`, and chooses a file. */
  async function withFile(text: string) {
    const visit = await signedIn();
    await press(visit.page, 'link', 'Projects');
    await press(visit.page, 'link', 'Create a project');
    await visit.page.getByRole('heading', { name: 'Create a project' }).waitFor();
    const pages = visit.page.getByRole('navigation', { name: 'Pages' });
    expect(await pages.locator('[aria-current="page"]').allTextContents()).toEqual(['Projects']);
    await choose(visit.page, 'project.json', text);
    return visit;
  }

  it('shows each fault at its place, and creates nothing', async () => {
    const { page } = await withFile(FAULTY);
    const faults = page.getByRole('list', { name: 'Faults' });
    await faults.waitFor();
    const lines = FAULTY.split('\n');
    const line = lines.findIndex((text) => text.includes('"text"')) + 1;
    expect(await faults.textContent()).toContain(
      `Line ${line}, column ${(lines[line - 1]?.search('"text"') ?? 0) + 1}`,
    );
    expect(await faults.locator('mark').allTextContents()).toContain('"');
    const pointer = page.locator('code', { hasText: /^\/segments\/0\// }).first();
    expect(await pointer.isVisible()).toBe(false);
    await page.getByText('For operators').click();
    await pointer.waitFor();
    expect(await page.getByRole('button', { name: 'Create the project' }).count()).toBe(0);
  });

  it.each([
    // A line with brackets alone shows nothing.
    ['{\n  "name": "x",\n}', 'Line 3, column 1', []],
    ['[]', 'Line 1, column 1', []],
    ['{ "name": "a", "name": "b", "segments": [] }', 'Line 1, column 16', ['"']],
  ])('shows where %j is no project', async (text, place, marked) => {
    const { page } = await withFile(text);
    await page.getByText(place, { exact: true }).waitFor();
    expect(await page.locator('mark').allTextContents()).toEqual(marked);
  });

  it.each([
    ['{ "create": {} }', 'segue bulk <file>'],
    ['{ "create": {} }\n{ "create": {} }\n', 'segue bulk <file>'],
    ['[{ "name": "a" }]', 'segue bulk <file>'],
  ])('names the command that takes %j', async (text, command) => {
    const { page } = await withFile(text);
    await page.getByText('For operators').click();
    await page.getByText(command).waitFor();
  });

  it('says why it cannot read a file', async () => {
    const { page } = await withFile('{}');
    const file = { name: 'x.json', mimeType: 'application/json', buffer: Buffer.from([0xff]) };
    await page.getByLabel('Project file').setInputFiles(file);
    await page.getByText('The file is not text in UTF-8. Convert it to UTF-8.').waitFor();
  });

  it('creates the project of a file once, with the keyboard alone', async () => {
    const text = JSON.stringify({ ...smallProject({ name: 'From a file' }), startDateUtc: undefined });
    const { page } = await withFile(text);
    const heading = page.getByRole('heading', { name: 'From a file' });
    await page.getByText(/^1 segment,/).waitFor();
    await press(page, 'button', 'Create the project');
    await heading.waitFor();
    const first = page.url();
    await press(page, 'link', 'Projects');
    await press(page, 'link', 'Create a project');
    await choose(page, 'again.json', ` ${text}`);
    await page.getByText(/^The project is valid/).waitFor();
    await press(page, 'button', 'Create the project');
    await heading.waitFor();
    expect(page.url()).toBe(first);
    const { projects } = await client.listProjects();
    expect(projects.filter((project) => project['name'] === 'From a file')).toHaveLength(1);
  });
});

it('shows the progress and the translations of an open project until it is finished', async () => {
  const id = await create(smallProject({ customId: 'in-work', name: 'In work' }));
  const { page } = await signedIn();
  await press(page, 'link', 'In work');
  const languages = page.getByRole('list', { name: 'Target languages' });
  await languages.getByText('0%').waitFor();
  await press(page, 'link', 'Texts');
  await page.getByText('Not translated', { exact: true }).last().waitFor();
  const [source] = await client.getSegments(id).then(({ segments }) => segments);
  await client.writeTranslations(id, [
    { segmentId: Number(source?.source?.id), languageCode: 'de-DE', content: 'Fertig', status: 'translated' },
  ]);
  await page.getByText('Fertig').waitFor();
  await press(page, 'link', 'Overview');
  await languages.getByText('100%').waitFor();
});

it('shows what became of an operation, and the events of its project', async () => {
  const started = await post(smallProject({ customId: 'short-lived', name: 'Short-lived' }), {
    Prefer: 'respond-async',
  });
  const { operationId } = OperationStarted.parse(await started.json());
  const { page } = await signedIn();
  await press(page, 'link', 'Operations');
  await type(page, 'Operation id', operationId);
  await page.keyboard.press('Enter');
  await page.getByText('Done', { exact: true }).waitFor();
  expect(await page.getByText(operationId).isVisible()).toBe(false);
  await page.getByText('Technical details').click();
  await page.getByText(operationId).waitFor();
  await press(page, 'link', 'Open the project');
  await page.getByRole('heading', { name: 'Short-lived' }).waitFor();
  const id = Number(page.url().split('/').at(-1));
  await client.deleteProject(id, 'project');
  await press(page, 'link', 'Events');
  const events = page.getByRole('listitem').filter({ hasText: 'Deleted: Short-lived' });
  await events.first().waitFor();
  expect(await events.locator('.name').allTextContents()).toEqual(['Project deleted', 'Project created']);
  await page.getByLabel('Kind').selectOption('Project deleted');
  await page.reload();
  const kinds = page.locator('.events .name');
  await kinds.first().waitFor();
  expect(new Set(await kinds.allTextContents())).toEqual(new Set(['Project deleted']));
  await page.getByLabel('Kind').selectOption('All events');
  // A deleted project has no page.
  expect(await page.getByRole('link', { name: 'Short-lived' }).count()).toBe(0);
  await press(page, 'link', 'Spring catalogue');
  await page.getByRole('heading', { name: 'Spring catalogue' }).waitFor();
});

describe('updating from a file', () => {
  const segments = { kept: 1, changed: 2, added: 3, removed: 0 };
  const targetLanguages = { kept: 1, added: 0, removed: 0 };
  const quote = { words: 4, characters: 20, repeats: 0, automaticTranslation: null };
  const plan = (token: string, fields: object = {}) => ({
    ...{ valid: true, outcome: 'update', segments, targetLanguages, quote },
    ...{ plan: token, ...fields },
  });
  const summary = { outcome: 'update', segments, targetLanguages, quote, projectId: 1, customId: null };
  const outdated = {
    ...{ type: `${gateway.url}/problems/plan-outdated`, title: 'T', status: 412, detail: 'D', instance: 'r' },
    ...{ retryable: false, outcome: 'not-applied', errors: [] },
  };

  /** Opens a project, and chooses a file to update it. Puts are answered in turn with the given status and JSON. */
  async function withFile(answers: readonly (readonly [status: number, json: object])[], text: string) {
    const customId = `update-${crypto.randomUUID()}`;
    await create(smallProject({ customId, name: customId }));
    const visit = await signedIn();
    const { page } = visit;
    const puts: { readonly url: URL; readonly plan: string | undefined; readonly name: unknown }[] = [];
    await page.route('**/segments/projects/*', async (route) => {
      const request = route.request();
      if (request.method() !== 'PUT') return route.continue();
      const { name } = JSON.parse(request.postData() ?? '{}');
      puts.push({ url: new URL(request.url()), plan: request.headers()['if-match'], name });
      const [status, json] = answers[puts.length - 1] ?? [500, {}];
      const contentType = status === 200 ? 'application/json' : 'application/problem+json';
      return route.fulfill({ status, contentType, body: JSON.stringify(json) });
    });
    await press(page, 'link', customId);
    await press(page, 'button', 'Update from a file…');
    await page.getByRole('heading', { name: /^Update “.+” from a file$/ }).waitFor();
    await choose(page, 'project.json', text);
    return { ...visit, customId, puts };
  }
  const FILE = JSON.stringify(smallProject({ name: 'As the file says' }));

  it('shows what stays, changes, comes and goes, and does exactly that, with the keyboard alone', async () => {
    const { page, customId, puts, errors } = await withFile(
      [
        [200, plan('Wzdd')],
        [200, summary],
      ],
      FILE,
    );
    const shown = page.getByLabel('Plan');
    await shown.waitFor();
    expect(await shown.textContent()).toBe(
      'Segments1 kept, 2 changed, 3 added, 0 removedTarget languages1 kept, 0 added, 0 removed',
    );
    expect(await seriousFindings(page)).toEqual([]);
    await press(page, 'button', 'Update the project');
    await page.getByRole('heading', { name: customId, exact: true }).waitFor();
    expect(puts.map(({ url, plan, name }) => [url.search, plan, name])).toEqual([
      ['?validateOnly=true', undefined, 'As the file says'],
      ['', '"Wzdd"', 'As the file says'],
    ]);
    expect(errors).toEqual([]);
  });

  it('says that what goes loses its translations', async () => {
    const removed = plan('Wzdd', { segments: { ...segments, removed: 4 } });
    const { page, puts } = await withFile([[200, removed]], FILE);
    await page.getByText('4 removed').waitFor();
    await page.getByText('loses its translations for ever').waitFor();
    await press(page, 'button', 'Cancel');
    await page.getByRole('button', { name: 'Update from a file…' }).waitFor();
    expect(puts).toHaveLength(1);
  });

  it('changes nothing by an outdated plan, and shows the new plan', async () => {
    const changed = plan('Wzhd', { segments: { ...segments, kept: 0, removed: 1 } });
    const answers = [
      [200, plan('Wzdd')],
      [412, outdated],
      [200, changed],
      [200, summary],
    ] as const;
    const { page, customId, puts } = await withFile(answers, FILE);
    await press(page, 'button', 'Update the project');
    await page.getByText('Nothing was changed by this update.').waitFor();
    await page.getByText('(was 1)').waitFor();
    await press(page, 'button', 'Update the project');
    await page.getByRole('heading', { name: customId, exact: true }).waitFor();
    expect(puts.map(({ plan }) => plan)).toEqual([undefined, '"Wzdd"', undefined, '"Wzhd"']);
  });

  it('says that an equal file changes nothing', async () => {
    const { page } = await withFile([[200, plan('Wzdd', { outcome: 'unchanged' })]], FILE);
    await page.getByText('There is nothing to update.').waitFor();
    expect(await page.getByRole('button', { name: 'Update the project' }).count()).toBe(0);
  });

  it('shows a fault at its place, and changes nothing', async () => {
    const errors = [{ pointer: '/name', code: 'wrong-type', detail: 'This field must be a string.' }];
    const problem = { ...outdated, type: `${gateway.url}/problems/invalid-project`, status: 400, errors };
    const { page, puts } = await withFile([[400, problem]], '{\n  "name": 5,\n  "segments": []\n}');
    await page.getByText('Line 2, column 11', { exact: true }).waitFor();
    await page.getByText('Nothing was changed.').waitFor();
    expect(puts).toHaveLength(1);
  });
});

describe('deleting', () => {
  it('shows the plan, asks for the name, and says what was deleted', async () => {
    const id = await create(smallProject({ customId: 'to-delete', name: 'To delete' }));
    const { page, errors, picture } = await signedIn();
    await press(page, 'link', 'To delete');
    await press(page, 'button', 'Delete the project…');
    const confirm = page.getByRole('button', { name: 'Delete for ever' });
    await confirm.waitFor();
    await type(page, 'To confirm, type the name of the project', 'To delet');
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.type('e');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '“To delete” was deleted' }).waitFor();
    await page.getByText('1 target language, 1 segment').waitFor();
    await picture('console-deleted');
    expect(await seriousFindings(page)).toEqual([]);
    await expect(client.getProject(id)).rejects.toMatchObject({ type: 'project-not-found' });
    await press(page, 'link', 'All projects');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('asks for the id of a project whose name nobody can type', async () => {
    await create(smallProject({ customId: 'hard-to-type', name: 'Two  spaces' }));
    const { page } = await signedIn();
    await press(page, 'link', 'Two  spaces');
    await press(page, 'button', 'Delete the project…');
    await type(page, 'To confirm, type the custom id of the project', 'hard-to-type');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^“Two\s+spaces” was deleted$/ }).waitFor();
  });

  it('says which task of which project was deleted, and returns to the project', async () => {
    const segments = [segment({ taskId: 'front' }), segment({ taskId: 'back' }), segment({ taskId: 'back' })];
    await create(smallProject({ customId: 'with-tasks', name: 'With tasks', segments }));
    const { page } = await signedIn();
    await press(page, 'link', 'With tasks');
    await page.getByRole('combobox', { name: 'Task' }).selectOption('back');
    await press(page, 'button', 'Delete this task…');
    await type(page, 'To confirm, type the id of the task', 'back');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The task “back” of “With tasks” was deleted' }).waitFor();
    await press(page, 'link', 'Open the project');
    await page.getByText('1 segment', { exact: true }).waitFor();
    expect(await page.getByRole('list', { name: 'Tasks' }).locator('.name').allTextContents()).toEqual(['front']);
  });

  it('deletes nothing by an outdated plan, and shows the new plan', async () => {
    const id = await create(
      smallProject({ customId: 'changing', name: 'Changing', segments: [segment(), segment({ taskId: 'gone' })] }),
    );
    const { page } = await signedIn();
    await press(page, 'link', 'Changing');
    await press(page, 'button', 'Delete the project…');
    await page.getByText('It removes').waitFor();
    await client.deleteProject(id, { taskId: 'gone' });
    await type(page, 'To confirm, type', 'Changing');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing was deleted.').waitFor();
    await page.getByText('(was 2)').waitFor();
    expect(await client.getProject(id)).toMatchObject({ id });
  });
});

it('shows 200 hostile texts in every field as text', async () => {
  await create(
    smallProject({
      customId: HOSTILE[0] ?? '',
      name: HOSTILE[1] ?? '',
      description: HOSTILE.join('\n'),
      targetLanguages: [target({ team: null, additionalInfo: HOSTILE[2] ?? '' })],
      segments: HOSTILE.map((text) => segment({ content: text, notes: text, customId: text, taskId: text })),
    }),
  );
  const { page, foreign, errors } = await signedIn();
  await press(page, 'link', HOSTILE[1] ?? '');
  await page.getByText('200 segments').waitFor();
  const tasks = await page.getByRole('list', { name: 'Tasks' }).locator('.name').allTextContents();
  expect(new Set(tasks)).toEqual(new Set(HOSTILE));
  expect(await page.locator('.facts').first().textContent()).toContain(HOSTILE.join('\n'));
  await press(page, 'link', 'Texts');
  await page.locator('.segment .source').first().waitFor();
  const seen = new Set<string>();
  while (seen.size < HOSTILE.length) {
    const before = seen.size;
    for (const text of await page.locator('.segment .source').allTextContents()) seen.add(text);
    expect(seen.size).toBeGreaterThan(before);
    const last = page.locator('.list li').last();
    const next = Number(await last.getAttribute('aria-posinset'));
    await last.evaluate((element) => element.scrollIntoView());
    if (next < HOSTILE.length) await page.locator(`.list li[aria-posinset="${next + 1}"]`).waitFor();
  }
  expect(seen).toEqual(new Set(HOSTILE));
  await press(page, 'button', 'Edit segment');
  await page.getByRole('dialog', { name: 'Segment' }).waitFor();
  expect(await page.locator('main :is(script, img, svg, iframe, style)').count()).toBe(0);
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});
