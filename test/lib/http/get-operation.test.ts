import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { getOperation } from '../../../lib/operations/get-operation.ts';
import { type OperationState, operationIdOf } from '../../../lib/service/port.ts';
import { contextOf, type EventOptions, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const ID = operationIdOf('a key');
const { options } = keptLog();

/** Requests an operation in a state. Returns the answer, and the operation id that the service got. */
async function ask(state: OperationState, event: EventOptions = {}) {
  const asked: unknown[] = [];
  const service = fakeService({
    async operation(operationId, { companyId }) {
      asked.push([companyId, operationId]);
      return state;
    },
  });
  const result = await getOperation(service, options)(eventOf('getOperation', { segment: ID, ...event }), contextOf());
  return { asked, ...readAnswer(result) };
}

describe('an operation', () => {
  it('that is running has a Retry-After', async () => {
    const { status, headers, json, asked } = await ask({ kind: 'running' });
    expect([status, json]).toEqual([200, { operationId: ID, status: 'running' }]);
    expect(headers).toMatchObject({ 'Retry-After': '2', 'Cache-Control': 'no-store' });
    expect(asked).toEqual([['acme', ID]]);
  });

  it('of a put that came too late has the highest revision', async () => {
    const { status, json } = await ask({ kind: 'done', result: { outcome: 'outdated', revision: 9 } });
    expect([status, json]).toEqual([200, { operationId: ID, status: 'done', outcome: 'outdated', revision: 9 }]);
  });

  const gone = new Problem('project-deleted', { detail: 'It is gone.' });
  const refused = new Problem('unavailable', { detail: 'Not now.', retryAfterSeconds: 1 });
  it.each<[OperationState, string, Problem]>([
    [{ kind: 'done', result: gone }, 'done', gone],
    [{ kind: 'failed', problem: refused }, 'failed', refused],
  ])('%j has its complete problem, in an answer with status 200', async (state, said, problem) => {
    const { status, headers, json } = await ask(state, { requestId: 'this-request' });
    expect([status, headers['Content-Type']]).toEqual([200, 'application/json']);
    const body = problem.body('https://api.example.com/v1/problems', 'this-request');
    expect(json).toEqual({ operationId: ID, status: said, problem: body });
    expect(headers).not.toHaveProperty('Retry-After');
  });
});
