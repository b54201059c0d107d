import { expect, it } from 'vitest';
import { httpFunction } from '../../../lib/http/http-function.ts';
import { changeLanguage } from '../../../lib/operations/change-language.ts';
import { writeTranslations } from '../../../lib/operations/write-translations.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { contextOf, type EventOptions, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const ENTRY = { segmentId: 7, languageCode: 'de-DE', content: 'CANARY content', status: 'draft' } as const;
const BODIES = { writeTranslations: [ENTRY], changeLanguage: { state: 'InProgress' } };

/** Sends a valid request to an operation. */
async function ask(id: keyof typeof BODIES, methods: Partial<ProjectService>, event: EventOptions = {}) {
  const { lines, options } = keptLog();
  const service = fakeService(methods);
  const handler = httpFunction([...writeTranslations(service, options), ...changeLanguage(service, options)]);
  const result = await handler(eventOf(id, { body: JSON.stringify(BODIES[id]), ...event }), contextOf());
  return { lines, ...readAnswer(result) };
}

it('a request that writes translations logs sizes and codes, and no content', async () => {
  const translation = { ...ENTRY, id: 8, segmentCustomId: 'CANARY custom id', languageId: 53, version: 1 };
  const written = await ask('writeTranslations', { writeTranslations: async () => [translation] });
  const refused = await ask('writeTranslations', {}, { body: JSON.stringify([{ ...ENTRY, status: 'CANARY' }]) });
  expect(written.lines).toMatchObject([
    { operation: 'writeTranslations', status: 200, requestBytes: JSON.stringify([ENTRY]).length },
  ]);
  expect(refused.lines).toMatchObject([{ problem: 'invalid-translations', faults: ['not-allowed'] }]);
  expect(JSON.stringify([written.lines, refused.lines])).not.toContain('CANARY');
  expect(refused.text).not.toContain('CANARY');
});

it('a key without the scope translate gets 403, before its body is read', async () => {
  const authorizer = { companyId: 'acme', keyId: 'key-1', scopes: 'create read delete manage' };
  for (const id of ['writeTranslations', 'changeLanguage'] as const) {
    const { status, json } = await ask(id, {}, { authorizer, body: '[' });
    expect([status, json]).toMatchObject([403, { detail: expect.stringContaining(' translate.') }]);
  }
});
