import type { Reported, TaskTokens } from '../service/task-tokens.ts';
import { AwsRefusal, type JsonClientOptions, type JsonService, jsonClient } from './json-client.ts';

/** Step Functions, as a service of AWS. */
const STEP_FUNCTIONS: JsonService = {
  host: 'states',
  setting: 'AWS_ENDPOINT_URL_SFN',
  isDualStack: true,
  protocol: '1.0',
  target: 'AWSStepFunctions',
  answerMs: 5_000,
};

/** The errors that say that no execution waits for a token: it was stopped, has timed out or has ended. */
const GONE: readonly string[] = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];

/** Reports task tokens to Step Functions. Create one per process and share it. */
export function stepFunctionsTokens(options: JsonClientOptions): TaskTokens {
  const client = jsonClient(STEP_FUNCTIONS, options);
  const send = (operation: string, request: object): Promise<Reported> =>
    client(operation, request).then(
      () => 'taken',
      (error: unknown) => {
        if (error instanceof AwsRefusal && GONE.includes(error.code)) return 'gone';
        throw error;
      },
    );
  return {
    succeed: (taskToken, output) => send('SendTaskSuccess', { taskToken, output: JSON.stringify(output) }),
    fail: (taskToken, failure) => send('SendTaskFailure', { taskToken, ...failure }),
    heartbeat: (taskToken) => send('SendTaskHeartbeat', { taskToken }),
  };
}
