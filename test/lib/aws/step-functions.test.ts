import { describe, expect, it } from 'vitest';
import { stepFunctionsTokens } from '../../../lib/aws/step-functions.ts';
import { heldNow } from '../support.ts';

/** Returns reports to a Step Functions that gives one answer, and what it received. */
function tokensWith(status: number, body: object) {
  const received: [target: string | undefined, body: unknown][] = [];
  const credentials = async () => ({ accessKeyId: 'id', secretAccessKey: 'secret' });
  const tokens = stepFunctionsTokens({
    now: heldNow,
    endpointOf: async () => ({ region: 'eu-central-1', url: new URL('https://states.invalid'), credentials }),
    post: async (request) => {
      received.push([request.headers['x-amz-target'], JSON.parse(request.body)]);
      return { status, body: JSON.stringify(body) };
    },
  });
  return { tokens, received };
}

describe('a report of a task token', () => {
  it('is sent to Step Functions', async () => {
    const { tokens, received } = tokensWith(200, {});
    expect(await tokens.succeed('t', { total: 100 })).toBe('taken');
    expect(await tokens.fail('t', { error: 'E', cause: 'C' })).toBe('taken');
    expect(await tokens.heartbeat('t')).toBe('taken');
    expect(received).toEqual([
      ['AWSStepFunctions.SendTaskSuccess', { taskToken: 't', output: '{"total":100}' }],
      ['AWSStepFunctions.SendTaskFailure', { taskToken: 't', error: 'E', cause: 'C' }],
      ['AWSStepFunctions.SendTaskHeartbeat', { taskToken: 't' }],
    ]);
  });

  it.each(['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'])('finds nobody after %s', async (code) => {
    const { tokens } = tokensWith(400, { __type: `com.amazonaws.states#${code}` });
    expect(await tokens.heartbeat('t')).toBe('gone');
  });

  it.each(['ThrottlingException', 'AccessDeniedException', 'KmsThrottlingException'])(
    'fails after %s, without the token',
    async (code) => {
      const { tokens } = tokensWith(400, { __type: code });
      await expect(tokens.heartbeat('secret-token')).rejects.toThrow(code);
      await expect(tokens.heartbeat('secret-token')).rejects.not.toThrow('secret-token');
    },
  );
});
