import { describe, expect, it } from 'vitest';
import { translationChanged } from '../../../lib/contract/failures.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { TargetLanguageAnswer } from '../../../lib/contract/project-answer.ts';
import { translationFaults } from '../../../lib/contract/translation-faults.ts';
import type { WrittenTranslation } from '../../../lib/contract/translations.ts';
import { httpFunction } from '../../../lib/http/http-function.ts';
import { changeLanguage } from '../../../lib/operations/change-language.ts';
import { getOperation } from '../../../lib/operations/get-operation.ts';
import type { OperationId } from '../../../lib/operations/routes.ts';
import { writeTranslations } from '../../../lib/operations/write-translations.ts';
import { type OperationResult, operationIdOf, type ProjectService } from '../../../lib/service/port.ts';
import { contextOf, type EventOptions, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const ENTRY = { segmentId: 7, languageCode: 'de-DE', content: 'CANARY content', status: 'draft' } as const;
const TRANSLATION: WrittenTranslation = {
  ...ENTRY,
  id: 8,
  segmentCustomId: 'CANARY custom id',
  languageId: 53,
  version: 1,
};
const LANGUAGE: TargetLanguageAnswer = { id: 6, targetLanguageId: 53, state: 'InProgress', progress: 0, flag: null };

const BODIES = {
  writeTranslations: [ENTRY],
  writeTranslationsByCustomId: [ENTRY],
  changeLanguage: { state: 'InProgress' },
  changeLanguageByCustomId: { state: 'InProgress' },
};

/** Sends a valid request to an operation. The segment is the value of both parameters in the path. */
async function ask(id: keyof typeof BODIES, methods: Partial<ProjectService>, event: EventOptions = {}) {
  const { lines, options } = keptLog();
  const body = JSON.stringify(BODIES[id]);
  const service = fakeService(methods);
  const handler = httpFunction([...writeTranslations(service, options), ...changeLanguage(service, options)]);
  const result = await handler(eventOf(id, { body, ...event }), contextOf());
  return { lines, ...readAnswer(result) };
}

describe('a request that writes translations', () => {
  const KEY = { 'Idempotency-Key': '"k"' };

  it.each<[keyof typeof BODIES, segment: string, ref: unknown]>([
    ['writeTranslations', '5', { id: 5 }],
    ['writeTranslationsByCustomId', 'a%2Fb', { customId: 'a/b' }],
  ])('%s passes the checked entries to the service, and returns its answer', async (id, segment, ref) => {
    const calls: unknown[] = [];
    const { status, json, headers } = await ask(
      id,
      {
        async writeTranslations(...args) {
          calls.push(args);
          return [TRANSLATION];
        },
      },
      { segment, headers: KEY },
    );
    expect([status, json]).toEqual([200, [TRANSLATION]]);
    expect(headers).not.toHaveProperty('Idempotent-Replayed');
    const call = { companyId: 'acme', requestedBy: { kind: 'key', id: 'key-1' }, idempotency: { key: 'k' } };
    expect(calls).toMatchObject([[ref, [{ ...ENTRY, languageId: 53 }], call]]);
  });

  it('says that its answer is a replay', async () => {
    const replaying: ProjectService['writeTranslations'] = async (_, __, { idempotency }) => {
      idempotency?.replayed();
      return [TRANSLATION];
    };
    const { headers } = await ask('writeTranslations', { writeTranslations: replaying }, { headers: KEY });
    expect(headers).toMatchObject({ 'Idempotent-Replayed': 'true' });
  });

  it('names the operation if its outcome is unknown', async () => {
    const lost = new Problem('outcome-unknown', { detail: 'Lost.' });
    const failing = { writeTranslations: () => Promise.reject(lost) };
    const { status, json, headers } = await ask('writeTranslations', failing, { headers: KEY });
    expect([status, json]).toMatchObject([504, { operationId: operationIdOf('k') }]);
    expect(headers['Location']).toBe(`https://api.example.com/v1/operations/${operationIdOf('k')}`);
  });

  it('tells which version each changed translation has', async () => {
    const changed = translationChanged([translationFaults.otherVersion(0, 3), translationFaults.otherVersion(4, 0)]);
    const { status, json } = await ask('writeTranslations', { writeTranslations: () => Promise.reject(changed) });
    expect([status, json]).toMatchObject([
      409,
      {
        errors: [
          { pointer: '/0/ifVersion', code: 'version-differs', currentVersion: 3 },
          { pointer: '/4/ifVersion', code: 'version-differs', currentVersion: 0 },
        ],
      },
    ]);
  });

  it('logs sizes and codes, and no content', async () => {
    const written = await ask('writeTranslations', { writeTranslations: async () => [TRANSLATION] });
    const refused = await ask('writeTranslations', {}, { body: JSON.stringify([{ ...ENTRY, status: 'CANARY' }]) });
    expect(written.lines).toMatchObject([
      { operation: 'writeTranslations', status: 200, requestBytes: JSON.stringify([ENTRY]).length },
    ]);
    expect(refused.lines).toMatchObject([{ problem: 'invalid-translations', faults: ['not-allowed'] }]);
    expect(JSON.stringify([written.lines, refused.lines])).not.toContain('CANARY');
    expect(refused.text).not.toContain('CANARY');
  });
});

describe('a request that changes a language', () => {
  it.each<[keyof typeof BODIES, segment: string, ref: unknown, code: string]>([
    ['changeLanguage', '5', { id: 5 }, '5'],
    ['changeLanguageByCustomId', 'a%2Fb', { customId: 'a/b' }, 'a/b'],
    ['changeLanguageByCustomId', 'zh-Hans', { customId: 'zh-Hans' }, 'zh-Hans'],
  ])('%s passes the decoded code to the service: %s', async (id, segment, ref, code) => {
    const calls: unknown[] = [];
    const { status, json } = await ask(
      id,
      {
        async changeLanguage(...args) {
          calls.push(args.slice(0, 3));
          return LANGUAGE;
        },
      },
      { segment },
    );
    expect([status, json]).toEqual([200, LANGUAGE]);
    expect(calls).toEqual([[ref, code, { state: 'InProgress' }]]);
  });

  it.each<[keyof typeof BODIES, number, string]>([
    ['changeLanguage', 404, 'project-not-found'],
    ['changeLanguageByCustomId', 404, 'project-not-found'],
  ])('%s is refused if the path is not UTF-8', async (id, status, type) => {
    const answer = await ask(id, {}, { segment: '%ff' });
    expect([answer.status, answer.json]).toMatchObject([status, { type: expect.stringMatching(`/${type}$`) }]);
  });
});

it.each<[operation: OperationId, result: OperationResult]>([
  ['writeTranslations', { translations: [TRANSLATION] }],
  ['changeLanguage', { language: LANGUAGE }],
])('an operation shows the result of %s', async (_, result) => {
  const service = fakeService({ operation: async () => ({ kind: 'done', result }) });
  const operationId = operationIdOf('k');
  const event = eventOf('getOperation', { segment: operationId });
  const { json } = readAnswer(await getOperation(service, keptLog().options)(event, contextOf()));
  expect(json).toEqual({ operationId, status: 'done', ...result });
});

it('a key without the scope translate gets 403, before its body is read', async () => {
  const authorizer = { companyId: 'acme', keyId: 'key-1', scopes: 'create read delete manage' };
  for (const id of ['writeTranslations', 'changeLanguage'] as const) {
    const { status, json } = await ask(id, {}, { authorizer, body: '[' });
    expect([status, json]).toMatchObject([403, { detail: expect.stringContaining(' translate.') }]);
  }
});
