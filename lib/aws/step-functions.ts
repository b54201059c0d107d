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

const TOO_LARGE = 'The progress of the project is too large for the output of a state.';

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
  const fail: TaskTokens['fail'] = (taskToken, failure) => send('SendTaskFailure', { taskToken, ...failure });
  return {
    succeed: (taskToken, output) =>
      send('SendTaskSuccess', { taskToken, output: JSON.stringify(output) }).catch((error: unknown) => {
        if (!(error instanceof AwsRefusal) || error.code !== 'InvalidOutput') throw error;
        return fail(taskToken, { error: 'States.DataLimitExceeded', cause: TOO_LARGE });
      }),
    fail,
    heartbeat: (taskToken) => send('SendTaskHeartbeat', { taskToken }),
  };
}
