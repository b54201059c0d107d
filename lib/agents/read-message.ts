import { fieldsOf } from '../contract/pointer.ts';

/** A request of JSON-RPC. Its parameters are not checked yet. */
export interface AgentRequest {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** What a body is. */
export type AgentMessage =
  | { readonly kind: 'request'; readonly request: AgentRequest }
  /** A message without an answer: a notification, or the answer of a client. */
  | { readonly kind: 'notification' }
  /** A body that is no message, and what it must be. */
  | { readonly kind: 'no-message'; readonly message: string };

/** Reads a message of JSON-RPC. */
export function readMessage(body: unknown): AgentMessage {
  if (Array.isArray(body)) return { kind: 'no-message', message: ONE_MESSAGE };
  const fields = fieldsOf(body);
  if (fields?.['jsonrpc'] !== '2.0') return { kind: 'no-message', message: NO_MESSAGE };
  const { id, method, params = {} } = fields;
  const given = Array.isArray(params) ? undefined : fieldsOf(params);
  const isAnswer = method === undefined && ('result' in fields || 'error' in fields);
  if (isAnswer || (typeof method === 'string' && !('id' in fields))) return { kind: 'notification' };
  const isNamed = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
  if (typeof method !== 'string' || !isNamed || !given) return { kind: 'no-message', message: NO_MESSAGE };
  return { kind: 'request', request: { jsonrpc: '2.0', id, method, params: given } };
}

const NO_MESSAGE =
  'The body must be one JSON-RPC 2.0 message: an object with "jsonrpc": "2.0", "method" and, for a request, an "id" that is a text or a whole number. "params" is an object, or absent.';
const ONE_MESSAGE = 'The body must be one JSON-RPC message: Segue takes no batches. Send each message on its own.';
