import { describe, expect, it } from 'vitest';
import * as failures from '../../../lib/contract/failures.ts';
import type { TargetLanguageAnswer } from '../../../lib/contract/project-answer.ts';
import type { WrittenTranslation } from '../../../lib/contract/translations.ts';
import { operationState } from '../../../lib/idempotency/operation-state.ts';
import { runWithKey } from '../../../lib/idempotency/replay.ts';
import { languageChange } from '../../../lib/idempotency/requests/change-language.ts';
import { creation } from '../../../lib/idempotency/requests/create-project.ts';
import { translation } from '../../../lib/idempotency/requests/write-translations.ts';
import { projectKey } from '../../../lib/records/keys.ts';
import { type CallContext, operationIdOf } from '../../../lib/service/port.ts';
import type { Write } from '../../../lib/storage/port.ts';
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

const ID = operationIdOf('k');
const get = () => Promise.reject(failures.projectNotFound());

/** Returns the operations of a service that has a project, and a way to send a request with a key. */
async function world() {
  const storage = openSqlite(now);
  const key = projectKey('acme', PROJECT);
  await storage.commit({ writes: [{ kind: 'insert', key, data: {} }] });
  const asked: unknown[] = [];
  const reading =
    <T>(answer: T) =>
    async (...args: unknown[]) => {
      asked.push(args);
      if (!(await storage.read(key))) throw failures.projectNotFound();
      return answer;
    };
  const translate = translation(reading(TRANSLATIONS));
  const changeLanguage = languageChange(reading(LANGUAGE));
  const deps = { storage, now, operations: [creation(get), translate, changeLanguage] };
  const call: CallContext = { ...callContext(), idempotency: { key: 'k', replayed: () => {} } };
  let runs = 0;
  const commit = async (write: Write | undefined) => {
    runs++;
    await storage.commit({ writes: write ? [write] : [] });
  };
  /** Sends a request that commits a result. A repeated request returns its replay. */
  const send = (operation: 'translate' | 'change-language', content = 'f') =>
    operation === 'translate'
      ? runWithKey(
          deps,
          { operation: translate, input: { ref: { customId: content }, entries: [] }, call },
          async (settle) => {
            await commit(settle?.({ projectId: PROJECT, translations: REFS }));
            return [];
          },
        )
      : runWithKey(
          deps,
          {
            operation: changeLanguage,
            input: { ref: { customId: content }, languageCode: 'de', to: { state: 'InProgress' } },
            call,
          },
          async (settle) => {
            await commit(settle?.({ projectId: PROJECT, languageId: 53 }));
            return { ...LANGUAGE, progress: 100 };
          },
        );
  const removeProject = () => storage.commit({ writes: [{ kind: 'remove', key, version: 1 }] });
  return { deps, call, asked, send, removeProject, state: () => operationState(deps, ID, call), runs: () => runs };
}

describe.each([
  [
    'translate',
    [],
    TRANSLATIONS,
    { projectId: PROJECT, translations: REFS },
    { translations: TRANSLATIONS },
    /other translations/,
  ],
  [
    'change-language',
    { ...LANGUAGE, progress: 100 },
    LANGUAGE,
    { projectId: PROJECT, languageId: 53 },
    { language: LANGUAGE },
    /another change of a language/,
  ],
] as const)('a request to %s', (operation, done, current, recorded, shown, reused) => {
  it('that is repeated with its key runs once, and returns the current state', async () => {
    const { send, runs, asked, call } = await world();
    expect(await send(operation)).toEqual(done);
    expect(await send(operation)).toEqual(current);
    expect(runs()).toBe(1);
    expect(asked).toEqual([[recorded, call]]);
  });

  it('has its result in its operation', async () => {
    const { send, state } = await world();
    await send(operation);
    expect(await state()).toEqual({ kind: 'done', result: shown });
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
    const { send, removeProject, runs, state } = await world();
    await send(operation);
    await removeProject();
    for (const content of ['f', 'g']) await expectProblem('project-deleted', () => send(operation, content));
    expect(await state()).toMatchObject({ kind: 'done', result: { name: 'project-deleted' } });
    expect(runs()).toBe(1);
  });

  it('has no result in a service that does not support it', async () => {
    const { deps, send, call } = await world();
    await send(operation);
    const others = { ...deps, operations: [creation(get)] };
    await expect(operationState(others, ID, call)).rejects.toThrow(TypeError);
  });
});
