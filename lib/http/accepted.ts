import type { OperationStarted } from '../contract/operation.ts';
import { encodeText } from '../service/encoded-text.ts';
import { type Answer, operationHeaders } from './answer.ts';
import type { HttpRequest } from './request.ts';

/** What is being worked on mostly ends soon. */
export const RETRY_WHILE_RUNNING = { 'Retry-After': '2' } as const;

/** 202: the operation tells what became of the request. */
export async function accepted(
  { baseUrl }: HttpRequest,
  { operationId, status }: OperationStarted,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const waiting = status === 'running' ? RETRY_WHILE_RUNNING : {};
  return {
    status: 202,
    headers: { ...operationHeaders(baseUrl, { operationId }), ...waiting, ...headers },
    json: await encodeText(JSON.stringify({ operationId, status })),
  };
}
