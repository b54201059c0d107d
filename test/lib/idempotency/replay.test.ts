import { describe, expect, it } from 'vitest';
import type { TargetLanguageAnswer } from '../../../lib/contract/project-answer.ts';
import type { WrittenTranslation } from '../../../lib/contract/translations.ts';
import { projectReplays, type RequestResult, runCall } from '../../../lib/idempotency/replay.ts';
import { projectKey } from '../../../lib/records/keys.ts';
import { type CallContext, failures } from '../../../lib/service/port.ts';
import { openSqlite } from '../storage/folder.ts';
import { callContext, expectProblem, NOW_MS, problemOf } from '../support.ts';

const now = () => NOW_MS;
const PROJECT = 5;
const REFS = [{ segmentId: 7, languageId: 53, version: 1 }];
const TRANSLATIONS: WrittenTranslation[] = [
  {
    id: 8,
    segmentId: 7,
    segmentCustomId: null,
    languageId: 53,
    languageCode: 'de-DE',
    content: 'Neu',
    status: 'draft',
    version: 2,
  },
];
const LANGUAGE: TargetLanguageAnswer = {
  id: 6,
  targetLanguageId: 53,
  targetLanguageCode: 'de-DE',
  state: 'InPreparation',
  progress: 0,
  flag: null,
};

const results = {
  translated: { kind: 'translated', projectId: PROJECT, translations: REFS },
  'language-changed': { kind: 'language-changed', projectId: PROJECT, languageId: 53 },
} as const satisfies Partial<Record<RequestResult['kind'], RequestResult>>;

const get = () => Promise.reject(failures.projectNotFound());

/** Returns the replays of a service that has a project, and a way to send a request with a key. */
async function world() {
  const storage = openSqlite(now);
  const key = projectKey('acme', PROJECT);
  await storage.commit({ writes: [{ kind: 'insert', key, data: {} }] });
  const asked: unknown[] = [];
  const replays = projectReplays(
    { storage, now },
    {
      get,
      async getTranslations(...args) {
        asked.push(args);
        if (!(await storage.read(key))) throw failures.projectNotFound();
        return TRANSLATIONS;
      },
      async getLanguage(...args) {
        asked.push(args);
        if (!(await storage.read(key))) throw failures.projectNotFound();
        return LANGUAGE;
      },
    },
  );
  const call: CallContext = { ...callContext(), idempotency: { key: 'k', replayed: () => {} } };
  let runs = 0;
  /** Sends a request that commits a result. A repeated request returns its replay. */
  const send = (operation: 'translate' | 'change-language', fingerprint = 'f') =>
    runCall<unknown>(
      { storage, now },
      call,
      async () => ({ operation, fingerprint }),
      async (settle) => {
        runs++;
        const result = results[operation === 'translate' ? 'translated' : 'language-changed'];
        await storage.commit({ writes: settle ? [settle(result)] : [] });
        return 'ran';
      },
      operation === 'translate' ? replays.translation(call) : replays.languageChange(call),
    );
  const removeProject = () => storage.commit({ writes: [{ kind: 'remove', key, version: 1 }] });
  return { replays, call, asked, send, removeProject, runs: () => runs };
}

describe.each([
  ['translate', TRANSLATIONS, [PROJECT, REFS], { translations: TRANSLATIONS }, /other translations/],
  ['change-language', LANGUAGE, [PROJECT, 53], { language: LANGUAGE }, /another change of a language/],
] as const)('a request to %s', (operation, current, ids, shown, reused) => {
  const result = results[operation === 'translate' ? 'translated' : 'language-changed'];

  it('that is repeated with its key runs once, and returns the current state', async () => {
    const { send, runs, asked, call } = await world();
    expect(await send(operation)).toBe('ran');
    expect(await send(operation)).toEqual(current);
    expect(runs()).toBe(1);
    expect(asked).toEqual([[...ids, call]]);
  });

  it('has its result in its operation', async () => {
    const { replays, call } = await world();
    expect(await replays.readResult(result, call)).toEqual(shown);
  });

  it('that is repeated with other content or for another operation is refused', async () => {
    const { send } = await world();
    await send(operation);
    const { name, message } = await problemOf(() => send(operation, 'g'));
    expect([name, message]).toEqual(['idempotency-key-reused', expect.stringMatching(reused)]);
    const other = operation === 'translate' ? 'change-language' : 'translate';
    const otherKind = await problemOf(() => send(other));
    expect([otherKind.name, otherKind.message]).toEqual([
      'idempotency-key-reused',
      'This idempotency key was used with another kind of request. For a new request, use a new key.',
    ]);
  });

  it('is never repeated after its project was deleted', async () => {
    const { send, removeProject, runs, replays, call } = await world();
    await send(operation);
    await removeProject();
    for (const fingerprint of ['f', 'g']) await expectProblem('project-deleted', () => send(operation, fingerprint));
    await expectProblem('project-deleted', () => replays.readResult(result, call));
    expect(runs()).toBe(1);
  });

  it('has no result in a service that does not support it', async () => {
    const { call } = await world();
    const replays = projectReplays({ storage: openSqlite(now), now }, { get });
    await expect(replays.readResult(result, call)).rejects.toThrow(TypeError);
  });
});
