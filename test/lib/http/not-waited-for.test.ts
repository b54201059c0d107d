import { describe, expect, it } from 'vitest';
import { type Occurrence, Problem } from '../../../lib/contract/problem.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { createProject } from '../../../lib/operations/create-project.ts';
import { deleteProject } from '../../../lib/operations/delete-project.ts';
import { writeTranslations } from '../../../lib/operations/write-translations.ts';
import { type CallContext, operationIdOf, type ProjectService } from '../../../lib/service/port.ts';
import { project } from '../support.ts';
import { contextOf, type EventOptions, eventOf, fakeService, keptLog, readAnswer, receiptWith } from './fixture.ts';

const BASE = 'https://api.example.com/v1';
const ASYNC = { Prefer: 'respond-async' };
const KEY = 'order-4711';
const WITH_KEY = { 'Idempotency-Key': KEY };
const ID = operationIdOf(KEY);
const OTHER_ID = operationIdOf('another');
const unknown = (more: Partial<Occurrence> = {}) => new Problem('outcome-unknown', { detail: 'Lost.', ...more });

/** Creates a project. Returns the answer, and the key that the service got. */
async function create(work: () => ReturnType<ProjectService['create']>, event: EventOptions) {
  const keys: (string | undefined)[] = [];
  const service = fakeService({
    create(_project, { idempotency }: CallContext) {
      keys.push(idempotency?.key);
      return work();
    },
    validate: async () => {},
  });
  const handler = createProject(service, { ...keptLog().options, newId: () => 'random' });
  const body = JSON.stringify(project());
  return { keys, ...readAnswer(await handler(eventOf('createProject', { body, ...event }), contextOf())) };
}

async function write(work: () => Promise<never>, headers: Record<string, string> = {}) {
  const service = fakeService({ writeTranslations: work });
  const [handler] = writeTranslations(service, keptLog().options);
  const body = JSON.stringify([{ segmentId: 7, languageCode: 'de', content: 'x', status: 'draft' }]);
  return readAnswer(await handler(eventOf('writeTranslations', { body, headers }), contextOf()));
}

async function remove(work: () => Promise<Receipt>, headers: Record<string, string> = {}) {
  const [handler] = deleteProject(fakeService({ delete: work }), keptLog().options);
  return readAnswer(await handler(eventOf('deleteProject', { headers }), contextOf()));
}

describe('a creation that takes too long', () => {
  const running = () => Promise.reject(unknown({ isRunning: true, operationId: OTHER_ID }));

  it('is answered with its operation, which is running', async () => {
    const { status, headers, json } = await create(running, {});
    expect([status, json]).toEqual([202, { operationId: OTHER_ID, status: 'running' }]);
    expect(headers).toMatchObject({ Location: `${BASE}/operations/${OTHER_ID}`, 'Retry-After': '2' });
    expect(headers).not.toHaveProperty('Preference-Applied');
  });

  it('says Preference-Applied if the client preferred it', async () => {
    const { headers } = await create(running, { headers: ASYNC });
    expect(headers['Preference-Applied']).toBe('respond-async');
  });
});

describe('an unknown outcome', () => {
  const works: readonly [string, (problem: Problem, headers?: Record<string, string>) => ReturnType<typeof remove>][] =
    [
      ['a creation', (problem, headers = {}) => create(() => Promise.reject(problem), { headers })],
      ['a deletion', (problem, headers) => remove(() => Promise.reject(problem), headers)],
      ['a change of translations', (problem, headers) => write(() => Promise.reject(problem), headers)],
    ];

  it.each(works)('is 504 with the operation that the service names: %s', async (_, work) => {
    for (const headers of [{}, WITH_KEY]) {
      const { status, headers: told, json } = await work(unknown({ operationId: OTHER_ID }), headers);
      expect([status, told['Location']]).toEqual([504, `${BASE}/operations/${OTHER_ID}`]);
      expect(json).toMatchObject({ operationId: OTHER_ID, outcome: 'unknown' });
    }
  });

  it.each(works)('is 504 with the operation of the key if the service names none: %s', async (_, work) => {
    const { status, headers, json } = await work(unknown(), WITH_KEY);
    expect([status, headers['Location']]).toEqual([504, `${BASE}/operations/${ID}`]);
    expect(json).toMatchObject({ operationId: ID });
  });

  it.each(works)('names no operation without a key; no other problem names one: %s', async (_, work) => {
    const answers = [
      await work(unknown()),
      await work(new Problem('unavailable', { detail: 'Not now.', retryAfterSeconds: 5 }), WITH_KEY),
    ];
    for (const { headers, json } of answers) {
      expect(headers).not.toHaveProperty('Location');
      expect(json).not.toHaveProperty('operationId');
    }
  });
});

describe('a deletion', () => {
  it.each([
    ['pending', { operationId: OTHER_ID }, 202, { Location: `${BASE}/operations/${OTHER_ID}`, 'Retry-After': '2' }],
    ['archived', {}, 200, {}],
  ] as const)('that is %s returns its receipt', async (outcome, fields, status, headers) => {
    const receipt = receiptWith({ outcome, ...fields });
    for (const prefer of [undefined, 'return=representation']) {
      const answer = await remove(async () => receipt, prefer === undefined ? {} : { Prefer: prefer });
      expect(answer).toMatchObject({ status, json: receipt, headers });
      expect(answer.headers['Preference-Applied']).toBe(prefer);
      if (outcome === 'archived') expect(answer.headers).not.toHaveProperty('Location');
    }
  });
});
