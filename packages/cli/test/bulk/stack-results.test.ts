import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../lib/contract/problem.ts';
import { TaskFailure } from '../../../../lib/workflow/task-handler.ts';
import { resultsInFile } from '../../bulk/stack-results.ts';

/** Reads a file of results as Step Functions writes it, in chunks that may end anywhere. */
async function read(children: readonly object[], chunkBytes = 11) {
  const bytes = Buffer.from(JSON.stringify(children));
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  return Array.fromAsync(resultsInFile(chunks()));
}

const child = (line: number, fields: object) => ({
  ExecutionArn: 'arn:execution',
  Input: JSON.stringify({
    companyId: 'acme',
    entry: { entry: String(line), line: String(line), offset: '20', bytes: '9', occurrence: '1' },
  }),
  InputDetails: { Included: true },
  Name: 'name',
  Status: 'any',
  ...fields,
});
const range = { offset: 20, bytes: 9 };
const created = { outcome: 'created', replayed: false, projectId: 5, segments: 1, targetLanguages: 1 };

describe('results as Step Functions writes them', () => {
  it.each([1, 11, 1 << 20])('are read in order, in chunks of %i bytes', async (size) => {
    const children = [1, 2, 3].map((line) =>
      child(line, { Output: JSON.stringify({ entry: line, line, ...created }) }),
    );
    expect(await read(children, size)).toMatchObject(
      [1, 2, 3].map((line) => ({ line, outcome: 'created', replayed: false })),
    );
  });

  it('have the cause of a line that the state machine failed', async () => {
    const cause = JSON.stringify({ detail: 'The "project" breaks rules.', errors: [] });
    expect(await read([child(7, { Error: 'Segue.Terminal.invalid-project', Cause: cause })])).toEqual([
      { entry: 7, line: 7, outcome: 'failed', failure: 'Segue.Terminal.invalid-project', cause, range },
    ]);
  });

  it('have the problem of a failure that a function threw', async () => {
    const { name, message } = new TaskFailure(new Problem('unavailable', { detail: 'Why.' }), 'request');
    const Cause = JSON.stringify({ errorType: name, errorMessage: message, trace: [] });
    expect(await read([child(7, { Error: name, Cause })])).toMatchObject([{ failure: name, cause: message }]);
  });

  it('have the message of Lambda if a function died', async () => {
    expect(await read([child(7, { Error: 'Sandbox.Timedout', Cause: 'RequestId: …' })])).toMatchObject([
      { line: 7, outcome: 'failed', failure: 'Sandbox.Timedout', cause: 'RequestId: …' },
    ]);
  });
});
