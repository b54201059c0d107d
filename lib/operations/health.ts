import { HealthAnswer } from '../contract/answers.ts';
import { PUBLIC_READ, type Route } from '../contract/routes.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { OperationDocs } from './docs/operation-docs.ts';

const UP: HealthAnswer = { status: 'ok' };

export const healthRoute = {
  ...PUBLIC_READ,
  function: 'pages',
  id: 'health',
  path: '/health',
  summary: 'Check that the API answers',
} as const satisfies Route;

/** Makes the handler of `GET /health`. */
export function health(options: OperationOptions): OperationHandler {
  return operation(healthRoute, options, async () => ({ status: 200, json: await encodeText(JSON.stringify(UP)) }));
}

export const healthDocs = (): OperationDocs => ({
  tag: 'About the API',
  description: 'Answers as long as the API can be reached. It does not check the services behind the API.',
  answers: [{ status: 200, description: 'The API answers.', schema: HealthAnswer, example: UP }],
  schemas: { HealthAnswer },
  clientTypes: { HealthAnswer: 'Health' },
});
