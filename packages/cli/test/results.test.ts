import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { inTurn, json, type Play, playService } from '../../../test/lib/upstream/server.ts';
import { rowsIn, segueIn } from '../../../test/support/segue.ts';
import { KEY, refuse } from '../../client/test/world.ts';

const german = { languageId: 53, languageCode: 'de-DE' };
const first = {
  source: { id: 11, customId: 'title', content: 'One' },
  translations: [{ id: 21, ...german, content: 'Eins\u001b[31m\nrot', status: 'translated', version: 1 }],
};
const second = {
  source: { id: 12, content: 'Two' },
  translations: [{ id: null, ...german, content: null, status: 'untranslated', version: 0 }],
};
const progress = {
  total: 50,
  tasks: [{ taskId: 'front page', total: 0, targetLanguages: [{ ...german, progress: 0 }] }],
  languages: [{ ...german, progress: 50 }],
  assignees: [
    { taskId: 'front page', languageCode: 'de-DE', role: 'translator', memberId: 7001 },
    { taskId: null, languageCode: 'de-DE', role: 'proofreader', memberId: 7002 },
  ],
};

/** Runs a command against a played Segue. Returns how it ended, and the requests that it sent. */
async function run(args: readonly string[], ...plays: readonly Play[]) {
  const { url, received } = await playService(inTurn(...plays));
  const env = { SEGUE_URL: url, SEGUE_COMPANY_ID: KEY.companyId, SEGUE_API_KEY: KEY.apiKey };
  const ended = await segueIn(temporaryFolder(), { env }, ...args);
  return { ended, sent: received.map((request) => `${request.method} ${request.url}`) };
}

describe('segue segments', () => {
  const link = '<https://x/segments/projects/7/segments?limit=500&cursor=s1.r-1>; rel="next"';
  const pages = [json(200, [first], { link }), json(200, [second])];

  it('prints one line for each translation of every page, without control characters', async () => {
    const { ended, sent } = await run(['segments', '7'], ...pages);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(rowsIn(ended.stdout)).toBe(
      '11  title  de-DE  translated  One  Eins\\u001b[31m\\u000arot\n12  de-DE  untranslated  Two\n',
    );
    expect(sent).toEqual([
      'GET /segments/projects/7/segments?limit=500',
      'GET /segments/projects/7/segments?limit=500&cursor=s1.r-1',
    ]);
  });

  it('prints JSON, and passes the selection on', async () => {
    const selection = ['--custom-id', '--task', 't 1', '--language', 'de', '--status', 'translated'];
    const { ended, sent } = await run(['segments', 'a/b', '--json', ...selection], json(200, [first, second]));
    expect(
      ended.stdout
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text)),
    ).toEqual([first, second]);
    expect(sent).toEqual([
      'GET /segments/projects/custom/a%2Fb/segments?taskId=t%201&languageCode=de&status=translated&limit=500',
    ]);
  });
});

describe('segue progress', () => {
  it('prints the total, the languages, the tasks and who works on them', async () => {
    const { ended, sent } = await run(['progress', '7'], json(200, progress));
    const lines = [
      'total  50 %',
      'language  de-DE  50 %',
      'task  front page  de-DE  0 %',
      'assignee  front page  de-DE  translator  7001',
      'assignee  -  de-DE  proofreader  7002',
    ];
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(rowsIn(ended.stdout)).toBe(`${lines.join('\n')}\n`);
    expect(sent).toEqual(['GET /segments/projects/7/progress']);
  });

  it('prints JSON of one task by custom id, and "?" for a progress that is no number', async () => {
    const { ended, sent } = await run(['progress', 'a', '--custom-id', '--task', 't', '--json'], json(200, progress));
    expect(JSON.parse(ended.stdout)).toEqual(progress);
    expect(sent).toEqual(['GET /segments/projects/custom/a/progress?taskId=t']);
    expect(rowsIn((await run(['progress', '7'], json(200, { total: '40 %' }))).ended.stdout)).toBe('total  ?\n');
  });
});

it.each([
  ['segments', 'project-not-found'],
  ['progress', 'project-not-found'],
] as const)('segue %s says why Segue refuses it', async (command, type) => {
  const { ended } = await run([command, '7'], refuse(type));
  expect(ended).toMatchObject({
    code: 1,
    stderr: `segue: ${type}: D To see all projects, run: npx --no-install segue projects list\n`,
  });
});

it.each([
  [['segments', 'a'], /the project must be an id; to give a custom id, add --custom-id/],
  [['progress', 'a'], /the project must be an id; to give a custom id, add --custom-id/],
  [['segments', '7', '--status', 'done'], /must be one of untranslated, draft/],
  [['progress'], /missing required argument 'project'/],
])('sends nothing after a usage error: %j', async (args, said) => {
  const { ended, sent } = await run(args, json(200, []));
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringMatching(said)]);
  expect(sent).toEqual([]);
});
