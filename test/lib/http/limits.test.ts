import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/credentials.ts';
import { utc } from '../../../lib/contract/date.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { authorizer } from '../../../lib/http/authorizer.ts';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import { authenticationWith, companyKey, keyTable } from '../credentials/world.ts';
import { hosted } from '../hosted/fixture.ts';
import { NOW_MS, project } from '../support.ts';
import { contextOf, eventOf, keptLog, readAnswer } from './fixture.ts';

/** Limits that need a clock or a company of their own, at their edges. */

describe('the start date may be as far off as the tolerance, to the tick', () => {
  const MOST = LIMITS.startDateToleranceMs;
  const ticks = (offsetMs: number, more: string) => utc(NOW_MS + offsetMs).replace('Z', `${more}Z`);

  it.each([
    ['a millisecond less, past', ticks(-MOST + 1, '0000'), 201],
    ['a tick less, past', ticks(-MOST, '0001'), 201],
    ['as far, past', ticks(-MOST, '0000'), 201],
    ['a tick more, past', ticks(-MOST - 1, '9999'), 400],
    ['a millisecond less, to come', ticks(MOST - 1, '0000'), 201],
    ['a tick less, to come', ticks(MOST - 1, '9999'), 201],
    ['as far, to come', ticks(MOST, '0000'), 201],
    ['a tick more, to come', ticks(MOST, '0001'), 400],
  ])('%s: %s', async (_, startDateUtc, status) => {
    const create = createProject(hosted(), keptLog().options);
    for (const query of [{ validateOnly: ['true'] }, {}]) {
      const event = eventOf('createProject', { body: JSON.stringify(project({ startDateUtc })), query });
      const answer = readAnswer(await create(event, contextOf()));
      expect(answer.status).toBe(status === 201 && 'validateOnly' in query ? 200 : status);
      if (status === 400) expect(answer.text).toMatch(/"start-not-now".*within 300 seconds/);
    }
  });
});

/** The company that the authorizer lets in; `undefined` for nobody. */
async function companyOf(header: string, keys: readonly ReturnType<typeof companyKey>[]): Promise<string | undefined> {
  const directory = storedKeys(keyTable(keys).table);
  const authorize = authorizer(authenticationWith(directory), () => {});
  const event = {
    type: 'REQUEST',
    methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:api/v1/GET/segments/projects',
    headers: { Authorization: header },
    requestContext: { requestId: 'request-1' },
  };
  return authorize(event).then(
    ({ context }) => context.companyId,
    () => undefined,
  );
}

describe('a company id', () => {
  it.each([1, 2, 63, 64])('may have %i characters', async (length) => {
    const key = companyKey('x'.repeat(length));
    expect(await companyOf(basicHeader(key), [key])).toBe(key.companyId);
  });

  it.each([0, 65])('may not have %i', async (length) => {
    const key = companyKey('x'.repeat(length));
    expect(await companyOf(basicHeader(key), [key])).toBeUndefined();
  });
});
