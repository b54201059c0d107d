import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { getOperation } from '../../../lib/http/operations/get-operation.ts';
import { type OperationState, operationIdOf } from '../../../lib/service/port.ts';
import { contextOf, type EventOptions, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const ID = operationIdOf('a key');
const { options } = keptLog();

/** Asks for an operation in some state, and tells what the service was asked for. */
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
  it('that is running is asked for again in a while', async () => {
    const { status, headers, json, asked } = await ask({ kind: 'running' });
    expect([status, json]).toEqual([200, { operationId: ID, status: 'running' }]);
    expect(headers).toMatchObject({ 'Retry-After': '2', 'Cache-Control': 'no-store' });
    expect(asked).toEqual([['acme', ID]]);
  });

  const gone = new Problem('project-deleted', { detail: 'It is gone.' });
  const refused = new Problem('unavailable', { detail: 'Not now.', retryAfterSeconds: 1 });
  it.each<[OperationState, string, Problem]>([
    [{ kind: 'done', result: gone }, 'done', gone],
    [{ kind: 'failed', problem: refused }, 'failed', refused],
  ])('%j has its problem whole, in an answer that is no failure', async (state, said, problem) => {
    const { status, headers, json } = await ask(state, { requestId: 'this-request' });
    expect([status, headers['Content-Type']]).toEqual([200, 'application/json']);
    const body = problem.body('https://api.example.com/v1/problems', 'this-request');
    expect(json).toEqual({ operationId: ID, status: said, problem: body });
    expect(headers).not.toHaveProperty('Retry-After');
  });
});
