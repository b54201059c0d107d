import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { json, type Play, playService } from '../../../test/lib/upstream/server.ts';
import { segueIn } from '../../../test/support/segue.ts';
import { KEY, refuse } from '../../client/test/world.ts';

const SEGMENTS = [
  { content: 'One', translation: { content: 'Eins', status: 'proofread', version: 4 } },
  { content: 'Two', translation: { content: 'Zwo\u202e', status: 'translated', version: 2 } },
  { content: 'Three', translation: { content: null, status: 'untranslated', version: 0 } },
  { content: '<b>Four</b><br>', translation: { content: null, status: 'untranslated', version: 0 } },
  { content: 'Five {n}', translation: { content: null, status: 'untranslated', version: 0 } },
];
const project = { id: 7, name: 'P', sourceLanguageCode: 'en', targetLanguages: [{ targetLanguageCode: 'de' }] };
const segments = SEGMENTS.map(({ content, translation }, index) => ({
  source: {
    id: index + 1,
    customId: index === 2 ? 'k3' : null,
    content,
    notes: null,
    taskId: null,
    languageSpecificNotes: [],
  },
  translations: [{ id: index + 11, languageId: 1, languageCode: 'de', ...translation }],
}));
/** Answers a write as Segue does. */
const written: Play = json(200, [
  {
    id: 13,
    segmentId: 3,
    segmentCustomId: 'k3',
    languageId: 1,
    languageCode: 'de',
    content: 'Drei',
    status: 'translated',
    version: 1,
  },
]);

const HEADER = 'project,language,segment,source,target,status\n';
const NEW = '7,de,3,Three,Drei,translated\n';
const CHANGED = '7,de,2,Two,Zwei,translated\n';
const LOWER = '7,de,1,One,Ein,translated\n';

/** Runs `segue import` with a file against a played Segue. */
async function importOf(text: string, args: readonly string[] = [], write: Play = written, name = 'a.csv') {
  const folder = temporaryFolder();
  const { url, received } = await playService((request, response) => {
    const path = request.url.split('?')[0];
    const reads: Record<string, Play> = {
      '/segments/projects/7': json(200, project),
      '/segments/projects/7/segments': json(200, segments),
    };
    const play = request.method === 'PATCH' ? write : (reads[path ?? ''] ?? refuse('project-not-found'));
    play(request, response);
  });
  writeFileSync(join(folder, name), text);
  const env = { SEGUE_URL: url, SEGUE_COMPANY_ID: KEY.companyId, SEGUE_API_KEY: KEY.apiKey };
  const ended = await segueIn(folder, { env }, 'import', join(folder, name), ...args);
  const replaced = (output: string) => output.replaceAll(join(folder, name), name);
  const patches = received.filter(({ method }) => method === 'PATCH');
  return { code: ended.code, stdout: replaced(ended.stdout), stderr: replaced(ended.stderr), patches };
}

describe('segue import', () => {
  it('writes translations, and says how many', async () => {
    const { patches, ...ended } = await importOf(`${HEADER}${NEW}7,de,1,One,Eins,proofread\n7,de,2,Two,,\n`);
    const stdout = '1 written, 1 unchanged, 1 without a translation, 0 held back\n';
    expect(ended).toEqual({ code: 0, stdout, stderr: '' });
    expect(patches).toHaveLength(1);
    expect(JSON.parse(patches[0]?.body ?? '')).toEqual([
      { segmentId: 3, languageCode: 'de', content: 'Drei', status: 'translated', ifVersion: 0 },
    ]);
    expect(patches[0]?.headers['idempotency-key']).toMatch(/^import-[\da-f]{64}$/);
  });

  it('reads what Excel has saved, by custom ids and texts if it has rounded the ids', async () => {
    const saved = (...rows: string[]) =>
      ['\ufeffproject;language;segment;customId;source;target', ...rows, ''].join('\r\n');
    const file = saved('2.33228E+14;de;2.33228E+14;k3;Three;Drei', '2,33228E+14;de;2,33228E+14;;Two;Zwei');
    const { code, stdout, patches } = await importOf(file, ['--project', '7', '--overwrite']);
    expect([code, stdout]).toEqual([0, '2 written, 0 unchanged, 0 without a translation, 0 held back\n']);
    const entries: { segmentId: number; content: string }[] = JSON.parse(patches[0]?.body ?? '');
    expect(entries.map(({ segmentId, content }) => [segmentId, content])).toEqual([
      [3, 'Drei'],
      [2, 'Zwei'],
    ]);
    const unnamed = await importOf(file);
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringMatching(/a\.csv:1: missing-project .*--project/) });
    const lost = await importOf(saved('7;de;1E+14;k9;Nine;Neun', '7;de;1E+14;k3;Nine;Neun'));
    expect([lost.code, lost.stdout, lost.patches]).toEqual([2, '', []]);
    expect(lost.stderr).toMatch(/a\.csv:2: missing-segment .* rounded .*\n.*\na\.csv:3: source-differs /);
  });

  it('reads the columns of a CSV file that projects are created from', async () => {
    const given = ['--project', '7', '--language', 'de'];
    for (const file of [
      'key,en,de\nk3,Three,Drei\n',
      'Key;Source;Translation\nk3;Three;Drei\n',
      'id,de-DE\nk3,Drei\n',
    ]) {
      const { code, patches } = await importOf(file, given);
      expect([code, JSON.parse(patches[0]?.body ?? '')]).toMatchObject([0, [{ segmentId: 3, content: 'Drei' }]]);
    }
    expect((await importOf('key,text,target\nk3,Tree,Drei\n', given)).stderr).toMatch(/source-differs/);
    const unnamed = await importOf('word,en,de\nk3,Three,Drei\n', given.slice(0, 2));
    expect(unnamed.stderr).toMatch(/missing-column .* customId.* key, .*\n.*missing-column .* target.*--language/);
  });

  it('warns of translations that lack markup or placeholders, and writes them', async () => {
    const file = `${HEADER}7,de,4,<b>Four</b><br>,<i>Vier</i><br>,translated\n7,de,5,Five {n},"Fünf\u202e",translated\n`;
    const { code, stderr, patches } = await importOf(file);
    expect([code, stderr]).toEqual([
      0,
      `a.csv:2: warning: markup-lost  In de, segment 4 has markup that the translation lacks: "<b> </b>"
a.csv:3: warning: placeholder-lost  In de, segment 5 has a placeholder that the translation lacks: "{n}"
In a Markdown file, the text of a segment stays in the source language if its translation lacks markup.
`,
    ]);
    expect(JSON.parse(patches[0]?.body ?? '')).toHaveLength(2);
  });

  it('shows what it would change, and writes nothing, in a dry run', async () => {
    const { patches, ...ended } = await importOf(HEADER + NEW, ['--dry-run']);
    expect(ended).toEqual({
      code: 0,
      stdout:
        'a.csv:2: segment 3 de\n  project: untranslated\n  file:    translated "Drei"\n1 to write, 0 unchanged, 0 without a translation, 0 held back\n',
      stderr: '',
    });
    expect(patches).toEqual([]);
  });

  it('holds back what would undo the work of others, shows the difference, and exits with 1', async () => {
    const { patches, ...ended } = await importOf(
      `${HEADER.trim()},base\n${NEW}${CHANGED.trim()},v1.translated.00000000\n${LOWER}`,
    );
    expect(ended).toEqual({
      code: 1,
      stdout: '1 written, 0 unchanged, 0 without a translation, 2 held back\n',
      stderr: `a.csv:3: segment 2 de
  project: translated "Zwo\\u202e"
  file:    translated "Zwei"
  held back: somebody has changed the translation since the export
a.csv:4: segment 1 de
  project: proofread "Eins"
  file:    translated "Ein"
  held back: the file does not say what it was exported from
segue: 2 translations were held back; to write them all the same, add --overwrite
`,
    });
    expect(patches).toHaveLength(1);
    const overwriting = await importOf(HEADER + CHANGED + LOWER, ['--overwrite']);
    expect(overwriting.stderr).toMatch(/segment 1 de.*the status would be lower.*add --reopen\n$/s);
    const all = await importOf(HEADER + CHANGED + LOWER, ['--overwrite', '--reopen']);
    expect(JSON.parse(all.patches[0]?.body ?? '')).toMatchObject([
      { segmentId: 2, ifVersion: 2 },
      { segmentId: 1, ifVersion: 4, reopen: true },
    ]);
  });

  it('holds back a translation that changes while it is written', async () => {
    const errors = [{ pointer: '/0/ifVersion', code: 'version-differs', detail: 'D' }];
    const { patches, ...ended } = await importOf(HEADER + NEW, [], refuse('translation-changed', { errors }));
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringMatching(/^0 written,.* 1 held back\n$/) });
    expect(patches).toHaveLength(1);
  });

  it('prints every fault of a file with its place, writes nothing, and exits with 2', async () => {
    const { patches, ...ended } = await importOf(`${HEADER}7,de,9,Nine,Neun,translated\n7,de,3,Tree,Drei,done\n`);
    expect(ended).toEqual({
      code: 2,
      stdout: '',
      stderr: `a.csv:2: unknown-segment  The project has no such segment, or several with this source text. To leave it out, add --skip-unknown.
  7,de,9,Nine,Neun,translated
a.csv:3: unknown-status  The status must be one of untranslated, draft, automatic, pretranslated, translated, proofread.
a.csv:3: source-differs  The source text is not the text of the segment. Export the file again. To leave it out, add --skip-unknown.
  7,de,3,Tree,Drei,done
segue: the file has 3 faults: nothing was written
`,
    });
    expect(patches).toEqual([]);
    const skipping = await importOf(`${HEADER}7,de,9,Nine,Neun,translated\n`, ['--skip-unknown', '--status', 'draft']);
    expect(skipping).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/, 1 of unknown segments or other texts\n$/),
    });
  });

  it('writes an XLIFF file with an unknown state with a warning, and refuses a code that the source lacks', async () => {
    const xliff = (target: string) => `<xliff version="1.2">
<file original="segue:project/7" source-language="en" target-language="de"><body>
<trans-unit id="3"><source>Three</source><target state="done">${target}</target></trans-unit>
</body></file></xliff>`;
    expect(await importOf(xliff('Drei'), [], written, 'a.xlf')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 written/),
      stderr: 'a.xlf:3:1: warning: unknown-status  XLIFF has no such state. The translation counts as a draft.\n',
    });
    const { patches, ...refused } = await importOf(xliff('D<x id="99"/>'), [], written, 'a.xlf');
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^a\.xlf:3:64: unknown-code {2}The source of the unit has no code <x id="99"\/>\.\n/,
      ),
    });
    expect(patches).toEqual([]);
  });

  it('says what a field of JSON must be', async () => {
    const segments = [
      { id: 3, target: 'Drei', status: 'done' },
      { id: '3', target: 5, status: 1 },
    ];
    const { code, stderr } = await importOf(
      JSON.stringify({ language: 'de', segments }, null, 1),
      [],
      written,
      'a.json',
    );
    expect([code, stderr.split('\n').filter((line) => line.startsWith('a.json'))]).toEqual([
      2,
      [
        expect.stringMatching(/^a\.json:7:14: unknown-status {2}The status must be one of untranslated, draft, /),
        expect.stringMatching(/: syntax {2}The JSON must have a whole number above 0 here\.$/),
        expect.stringMatching(/: syntax {2}The JSON must have a text here\.$/),
        expect.stringMatching(/: unknown-status {2}The status must be one of/),
      ],
    ]);
  });

  it('says once that a language is wrong, and which ones the project has', async () => {
    const unnamed = 'customId,target\nk3,Drei\nk4,Vier\n';
    const none = await importOf(unnamed, ['--project', '7', '--language', 'fr']);
    expect([none.code, none.stderr]).toEqual([
      2,
      `a.csv:1: wrong-language  The project has no target language fr. Its target languages are: de.
  customId,target
segue: the file has 1 fault: nothing was written
`,
    ]);
    const polish = (id: number) => `<trans-unit id="${id}"><source>S</source><target>T</target></trans-unit>\n`;
    const file = `<xliff version="1.2">
<file original="segue:project/7" source-language="en" target-language="pl"><body>
${polish(2)}${polish(3)}</body></file></xliff>`;
    const other = await importOf(file, ['--language', 'de'], written, 'a.xlf');
    expect(other.stderr).toMatch(
      /^a\.xlf:3:1: wrong-language {2}The file has translations into pl, not into de\. Leave out the language: the file names its own\.\n.*\n.*\nsegue: the file has 1 fault/,
    );
    const own = await importOf(file, [], written, 'a.xlf');
    expect(own.stderr).toMatch(
      /^a\.xlf:3:1: wrong-language {2}The project has no target language pl\. Its target languages are: de\.\n.*\n.*\nsegue: the file has 1 fault/,
    );
    const missing = await importOf(unnamed, ['--project', '7']);
    expect(missing.stderr).toMatch(/^a\.csv:2: missing-language .*--language.*\n.*\nsegue: the file has 1 fault/);
  });

  it.each<[what: string, args: string[], name: string, line: RegExp]>([
    ['another project', ['--project', '8'], 'a.csv', /belongs to project 7, not to project 8/],
    ['a wrong project id', ['--project', 'x'], 'a.csv', /must be an id; to give a custom id, add --custom-id/],
    ['an unknown status', ['--status', 'done'], 'a.csv', /must be one of draft, translated, proofread/],
    ['a name without a format', [], 'a.txt', /give --format/],
    ['a stack', ['--stack', 'Segue'], 'a.csv', /give --url instead of --stack/],
    ['a bad URL', ['--url', 'ftp://x'], 'a.csv', /--url must be an https URL/],
  ])('refuses %s', async (_, args, name, line) => {
    const ended = await importOf(HEADER + NEW, args, written, name);
    expect(ended.stderr).toMatch(line);
    expect(ended).toMatchObject({ code: 2, stdout: '', patches: [] });
  });

  it('needs credentials, and shows the refusals of the API', async () => {
    const folder = temporaryFolder();
    const stderr =
      'segue: run npx --no-install segue login, or set SEGUE_COMPANY_ID and SEGUE_API_KEY to the credentials of the company\n';
    expect(await segueIn(folder, {}, 'import', 'a.csv')).toEqual({ code: 2, stdout: '', stderr });
    expect(await importOf(HEADER + NEW, [], refuse('scope-missing'))).toMatchObject({
      code: 1,
      stderr: 'segue: scope-missing: D\n',
    });
  });
});
