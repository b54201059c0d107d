import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { json, type Play, playService } from '../../../test/lib/upstream/server.ts';
import { segueIn } from '../../../test/support/segue.ts';
import { KEY, project, refuse } from '../../client/test/world.ts';

const [language] = project.targetLanguages;

/** Runs `segue language` against a played Segue. Returns how it ended, and the requests that it sent. */
async function languageOf(args: readonly string[], play: Play = json(200, { ...language, state: 'InPreparation' })) {
  const { url, received } = await playService(play);
  const env = { SEGUE_URL: url, SEGUE_COMPANY_ID: KEY.companyId, SEGUE_API_KEY: KEY.apiKey };
  const ended = await segueIn(temporaryFolder(), { env }, 'language', ...args);
  return { ended, sent: received.map(({ method, url: path, body }) => `${method} ${path} ${body}`) };
}

const STATE = ['--state', 'InPreparation'];

describe('segue language', () => {
  it.each([
    [['7', 'de-DE'], '/segments/projects/7/languages/de-DE'],
    [['a/b', 'de', '--custom-id'], '/segments/projects/custom/a%2Fb/languages/de'],
  ])('changes the state of a target language: %j', async (args, path) => {
    const { ended, sent } = await languageOf([...args, ...STATE]);
    expect(ended).toEqual({ code: 0, stdout: `${args[1]} is InPreparation.\n`, stderr: '' });
    expect(sent).toEqual([`PATCH ${path} {"state":"InPreparation"}`]);
  });

  it('says why Segue refuses it', async () => {
    const { ended } = await languageOf(['7', 'de', ...STATE], refuse('not-supported'));
    expect(ended).toMatchObject({ code: 1, stderr: 'segue: not-supported: D\n' });
  });

  it.each([
    [['7', 'de'], /--state/],
    [['7', 'de', '--state', 'Completed'], /must be one of InProgress, InPreparation\./],
    [['a', 'de', ...STATE], /the project must be an id; to give a custom id, add --custom-id/],
    [['7', ...STATE], /missing required argument 'code'/],
  ])('sends nothing after a usage error: %j', async (args, said) => {
    const { ended, sent } = await languageOf(args);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringMatching(said)]);
    expect(sent).toEqual([]);
  });
});
