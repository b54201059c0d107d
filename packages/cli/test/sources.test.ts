import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { addCompany, segueIn } from '../../../test/support/segue.ts';
import { SegueClient } from '../../client/segue-client.ts';
import { openGateway } from './world.ts';

/** Returns a gateway with a company, its client and its commands, and a folder for files. */
async function world(files: Readonly<Record<string, unknown>>) {
  const folder = temporaryFolder();
  const { companyId, apiKey } = await addCompany(folder, 'acme', '--scopes', 'create,read,translate');
  const { url: baseUrl } = await openGateway(folder);
  const env = { SEGUE_URL: baseUrl, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey };
  const path = (name: string) => join(folder, name);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
  }
  return {
    client: new SegueClient({ baseUrl, companyId, apiKey }),
    path,
    text: (name: string) => readFileSync(path(name), 'utf8'),
    segue: (...args: string[]) => segueIn(folder, { env }, ...args),
    create: (name: string, ...args: string[]) => segueIn(folder, { env }, 'projects', 'create', path(name), ...args),
  };
}

const OPTIONS = ['--source-language', 'en', '--target-language', 'de', 'fr', '--due', '2099-12-31'];

describe('a file of texts', () => {
  it('becomes a project once, and comes back translated', async () => {
    const { client, create, path, segue, text } = await world({ 'en.json': { home: { title: 'Hello' }, bye: 'Bye' } });
    const created = JSON.parse((await create('en.json', ...OPTIONS, '--json')).stdout);
    expect(created).toMatchObject({
      name: 'en.json',
      endDateUtc: '2099-12-31T23:59:59Z',
      sourceLanguageCode: 'en',
      targetLanguages: [{ targetLanguageCode: 'de' }, { targetLanguageCode: 'fr' }],
      segments: [
        { customId: 'home.title', content: 'Hello' },
        { customId: 'bye', content: 'Bye' },
      ],
    });
    expect(JSON.parse((await create('en.json', ...OPTIONS, '--json')).stdout)).toMatchObject({ id: created.id });
    await client.writeTranslations(created.id, [
      { segmentCustomId: 'home.title', languageCode: 'de', content: 'Hallo', status: 'translated' },
    ]);
    const filling = ['export', String(created.id), '--language', 'de', '--into', path('en.json')];
    expect(await segue(...filling)).toMatchObject({ code: 2, stderr: expect.stringContaining('add --out <file>') });
    expect((await segue(...filling, '--out', path('de.json'))).stdout).toBe(
      `Filled in 1 translation, left out 0, 1 untranslated: ${path('de.json')}\n`,
    );
    expect(text('de.json')).toBe(text('en.json').replace('Hello', 'Hallo'));
  });

  it('in a new version gets the finished translations of the old project, as the page on files says', async () => {
    const { client, create, path, segue } = await world({
      'en.json': { kept: 'Stays', changed: 'Old', gone: 'Gone', open: 'Open' },
      'new.json': { kept: 'Stays', changed: 'New', added: 'Added', open: 'Open' },
    });
    const { id } = JSON.parse((await create('en.json', ...OPTIONS, '--custom-id', 'app-1', '--json')).stdout);
    await client.writeTranslations(
      id,
      ['kept', 'changed', 'gone'].map((segmentCustomId) => {
        return { segmentCustomId, languageCode: 'de', content: `de ${segmentCustomId}`, status: 'proofread' };
      }),
    );
    const next = JSON.parse((await create('new.json', ...OPTIONS, '--custom-id', 'app-2', '--json')).stdout);
    await segue('export', 'app-1', '--custom-id', '--language', 'de', '--out', path('old.json'));
    const [, script = ''] =
      /```js\n(import [^\n]*\n\nconst old = [\s\S]*?)```/.exec(readFileSync('docs/files.md', 'utf8')) ?? [];
    writeFileSync(path('finished.mjs'), script);
    execFileSync(process.execPath, ['finished.mjs'], { cwd: path('.') });
    const importing = ['import', path('finished.json'), '--project', 'app-2', '--custom-id'];
    const refused = await segue(...importing);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/source-differs .*unknown-segment /s)]);
    expect(await segue(...importing, '--skip-unknown')).toMatchObject({
      code: 0,
      stdout: '1 written, 0 unchanged, 0 without a translation, 0 held back, 2 of unknown segments or other texts\n',
    });
    const translations = [];
    for await (const segment of client.eachSegment(next.id, { languageCode: 'de' })) {
      translations.push(segment.translations?.map(({ content, status }) => content && `${status} ${content}`));
    }
    expect(translations).toEqual([['proofread de kept'], [null], [null], [null]]);
  });

  it('gets translations that lack a tag or a placeholder with warnings, and so do files for translators', async () => {
    const { client, create, path, segue, text } = await world({
      'en.json': '{"a": "Hello <b>{name}</b>", "c": "Bye"}',
    });
    const { id, segments } = JSON.parse((await create('en.json', ...OPTIONS, '--json')).stdout);
    await client.writeTranslations(id, [
      { segmentCustomId: 'a', languageCode: 'de', content: 'Hallo', status: 'translated' },
    ]);
    const warnings = (place: string) =>
      `${place}warning: markup-lost  In de, segment ${segments[0].id} "a" has markup that the translation lacks: "<b> </b>"
${place}warning: placeholder-lost  In de, segment ${segments[0].id} "a" has a placeholder that the translation lacks: "{name}"
`;
    const args = ['export', String(id), '--language', 'de', '--out'];
    const filled = await segue(...args, path('de.json'), '--into', path('en.json'));
    expect(filled).toMatchObject({ code: 0, stderr: warnings(`${path('en.json')}:1:7: `) });
    expect(text('de.json')).toBe('{"a": "Hallo", "c": "Bye"}');
    for (const name of ['a.xlf', 'a.po', 'a.csv', 'a.json']) {
      expect(await segue(...args, path(name))).toMatchObject({ code: 0, stderr: warnings(`${path(name)}: `) });
      expect(text(name)).toContain('Hallo');
    }
  });

  it('lists what it lacks in the order of the file, with the segment and what its translation lacks', async () => {
    const { client, create, path, segue } = await world({
      'guide.md': 'Hello %s\n\nUse `npm ci`\n\nBye %s\n',
    });
    const { id, segments } = JSON.parse((await create('guide.md', ...OPTIONS, '--json')).stdout);
    const ids: number[] = segments.map((segment: { id: number }) => segment.id);
    const translations = ['Hallo', 'Nutze es', 'Bis bald'].map((content, index) => {
      return { segmentId: ids[index] ?? 0, languageCode: 'de', content, status: 'translated' as const };
    });
    await client.writeTranslations(id, translations);
    const args = ['--language', 'de', '--into', path('guide.md'), '--out', path('de.md')];
    const lost = (index: number) =>
      `warning: placeholder-lost  In de, segment ${ids[index]} has a placeholder that the translation lacks: "%s"`;
    expect((await segue('export', String(id), ...args)).stderr).toBe(
      `${path('guide.md')}:1:1: ${lost(0)}
${path('guide.md')}:3:1: markup-lost  Its translation lacks code, a link or a tag of the text, or has changed it. In de, segment ${ids[1]} has markup that the translation lacks: "<code>npm ci</code>"
${path('guide.md')}:5:1: ${lost(2)}
`,
    );
  });

  it('gets the plural forms of the target languages', async () => {
    const { client, create, path, segue, text } = await world({ 'en.json': { n_one: 'a file', n_other: 'files' } });
    const args = ['--source-language', 'en', '--target-language', 'de,pl', '--due', '2099-12-31', '--json'];
    const { id, segments } = JSON.parse((await create('en.json', ...args)).stdout);
    const ids = segments.map(({ customId }: { customId: string }) => customId);
    expect(ids).toEqual(['n_one', 'n_other', 'n_few', 'n_many']);
    await client.writeTranslations(
      id,
      ids.slice(0, 3).map((segmentCustomId: string) => {
        return { segmentCustomId, languageCode: 'pl', content: segmentCustomId, status: 'translated' as const };
      }),
    );
    const filling = ['export', String(id), '--into', path('en.json')];
    expect((await segue(...filling, '--language', 'pl', '--out', path('pl.json'))).stdout).toBe(
      `Filled in 3 translations, left out 0, 1 untranslated: ${path('pl.json')}\n`,
    );
    expect(Object.keys(JSON.parse(text('pl.json')))).toEqual(['n_one', 'n_other', 'n_few']);
    expect((await segue(...filling, '--language', 'de', '--out', path('de.json'))).stdout).toContain('2 untranslated');
    expect(text('de.json')).toBe(text('en.json'));
  });

  it('keeps the finished translations that it has, and gives them to the project by its custom id', async () => {
    const po = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "Open"\nmsgstr "Öffnen"\n\nmsgid "Close"\nmsgstr ""\n';
    const { client, create, path, segue, text } = await world({ 'de.po': po });
    const args = ['--source-language', 'en', '--due', '2099-12-31', '--custom-id', 'menu', '--json'];
    const { id } = JSON.parse((await create('de.po', ...args)).stdout);
    const project = await client.getProject(id);
    const segments = Array.isArray(project.segments) ? project.segments : [];
    await client.writeTranslations(
      id,
      segments.map((segment) => ({ segmentId: segment.id, languageCode: 'de', content: 'Auf!', status: 'draft' })),
    );
    const fill = ['export', 'menu', '--custom-id', '--language', 'de', '--into', path('de.po')];
    const { stdout, stderr } = await segue(...fill);
    expect(stdout).toBe(`Filled in 1 translation, left out 1, 0 untranslated: ${path('de.po')}\n`);
    expect(stderr).toMatch(/de\.po:4: lower-status .*\nTo replace finished translations, add --reopen\.\n$/);
    expect(text('de.po')).toContain('msgstr "Öffnen"');
    const imported = await segue('import', path('de.po'), '--project', 'menu', '--custom-id', '--overwrite');
    expect(imported.stdout).toMatch(/^1 written, 1 unchanged/);
    expect((await segue(...fill, '--reopen')).stderr).toBe('');
  });

  it('comes back in its encoding, and creates no project if it does not declare one', async () => {
    const { client, create, path, segue } = await world({});
    const page = '<meta charset=windows-1252><p>Caf\xe9</p>\n';
    writeFileSync(path('a.html'), page.replace(/ charset=[^>]+/, ''), 'latin1');
    expect(await create('a.html', ...OPTIONS)).toMatchObject({
      code: 2,
      stderr: `${path('a.html')}:1:13: encoding  The file cannot be read, because it is not UTF-8, and names no other encoding. Convert it to UTF-8.
segue: the file has 1 fault: nothing was created
`,
    });
    expect((await client.listProjects()).projects).toEqual([]);
    writeFileSync(path('a.html'), page, 'latin1');
    const { id } = JSON.parse((await create('a.html', ...OPTIONS, '--json')).stdout);
    const { segments } = await client.getProject(id);
    const [segment] = Array.isArray(segments) ? segments : [];
    expect(segment).toMatchObject({ content: 'Café' });
    await client.writeTranslations(id, [
      { segmentId: segment.id, languageCode: 'de', content: '„Café“ →', status: 'translated' },
    ]);
    await segue('export', String(id), '--language', 'de', '--into', path('a.html'), '--out', path('de.html'));
    expect(readFileSync(path('de.html'), 'latin1')).toBe(page.replace('Caf\xe9', '\x84Caf\xe9\x93 &#8594;'));
  });

  it('takes languages from the file, and other fields from --fields, but options come first', async () => {
    const { create, path } = await world({
      'de.po': 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "Hello"\nmsgstr ""\n',
      'fields.json': { name: 'x', sourceLanguageCode: 'en', description: 'All', endDateUtc: '2099-12-31T12:00:00Z' },
    });
    const args = [
      '--fields',
      path('fields.json'),
      '--name',
      'Shop',
      '--target-language',
      'de,fr',
      '--custom-id',
      'shop/1',
      '--automatic',
      '--json',
    ];
    expect(JSON.parse((await create('de.po', ...args)).stdout)).toMatchObject({
      customId: 'shop/1',
      name: 'Shop',
      description: 'All',
      targetLanguages: ['de', 'fr'].map((code) => ({ targetLanguageCode: code, serviceAutomaticTranslation: true })),
      segments: [{ content: 'Hello' }],
    });
    const { code, stdout } = await create('de.po', '--source-language', 'en', '--due', '2099-12-31', '--validate-only');
    expect([code, stdout]).toEqual([0, 'The project is valid: 1 segment, 1 word, 5 characters.\n']);
  });

  it('shows each fault at its place: in the file, in --fields, or with its option', async () => {
    const { client, create, path } = await world({
      'a.csv': `key,en,notes\na,Hello,${'x'.repeat(10_001)}\n`,
      'fields.json': { sourceLanguageCode: 'en', nme: 'x' },
      'empty.json': { a: 1 },
      'broken.strings': '"a" = "b";\nx',
    });
    const { code, stderr } = await create(
      'a.csv',
      '--fields',
      path('fields.json'),
      '--target-language',
      'de xx,fr',
      '--due',
      'x',
    );
    expect([code, stderr.split('\n').filter((line) => /^\S/.test(line))]).toEqual([
      2,
      [
        expect.stringMatching(/a\.csv:2:3: notes too-long: /),
        expect.stringMatching(/fields\.json:3:3: \/nme unknown-field: /),
        expect.stringMatching(/^--due invalid-date: /),
        expect.stringMatching(/^--target-language xx unknown-language: /),
        'segue: the project has 4 faults: nothing was created',
      ],
    ]);
    expect(await create('empty.json', ...OPTIONS)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no texts to translate'),
    });
    expect(await create('broken.strings', ...OPTIONS)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/broken\.strings:2:1: syntax .*\n {2}x\n {2}\^\n/),
    });
    expect((await create('empty.json')).stderr).toContain(
      'To translate the texts of the file, add --source-language, --target-language and --due.',
    );
    expect((await client.listProjects()).projects).toEqual([]);
  });
});
