import { fieldsOf } from '../contract/pointer.ts';

/** A request of the Model Context Protocol, with the parameters that Segue uses, and no others. */
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
  /** A body that is no message. */
  | { readonly kind: 'no-message'; readonly message: string }
  /** A request with parameters that its method does not take. */
  | { readonly kind: 'wrong-params'; readonly id: string | number; readonly message: string };

/**
 * Reads a message, without the schemas of the SDK: these collect every fault of a client's description, and a small body can
 * have half a million of them. What Segue does not use is left out, and so is never checked.
 */
export function readMessage(body: unknown): AgentMessage {
  if (Array.isArray(body)) return { kind: 'no-message', message: ONE_MESSAGE };
  const fields = fieldsOf(body);
  if (fields?.['jsonrpc'] !== '2.0') return { kind: 'no-message', message: NO_MESSAGE };
  const { id, method, params = {} } = fields;
  const isAnswer = method === undefined && ('result' in fields || 'error' in fields);
  if (isAnswer || (typeof method === 'string' && !('id' in fields))) return { kind: 'notification' };
  if (typeof method !== 'string' || !(typeof id === 'string' || Number.isSafeInteger(id)))
    return { kind: 'no-message', message: NO_MESSAGE };
  const named = typeof id === 'string' ? id : Number(id);
  const given = Array.isArray(params) ? undefined : fieldsOf(params);
  const used = given && usedBy(method, given);
  if (typeof used === 'string') return { kind: 'wrong-params', id: named, message: used };
  if (!used) return { kind: 'wrong-params', id: named, message: '“params” must be an object, or be left out.' };
  return { kind: 'request', request: { jsonrpc: '2.0', id: named, method, params: used } };
}

/** Returns the parameters of a method that Segue uses, or what is wrong with them. */
function usedBy(method: string, params: Readonly<Record<string, unknown>>): Record<string, unknown> | string {
  switch (method) {
    case 'initialize': {
      const { protocolVersion } = params;
      if (typeof protocolVersion !== 'string') return 'initialize needs “protocolVersion”, such as "2025-11-25".';
      // Segue asks nothing of its clients, whatever they can do and are called.
      return { protocolVersion, capabilities: {}, clientInfo: { name: 'client', version: '0' } };
    }
    case 'tools/call': {
      const { name } = params;
      if ('task' in params) return 'Segue runs no tools as tasks. Call the tool without “task”, and use its answer.';
      const args = params['arguments'] ?? {};
      if (typeof name !== 'string') return 'tools/call needs “name”: the name of a tool that tools/list shows.';
      if (Array.isArray(args) || !fieldsOf(args)) return '“arguments” must be an object with the arguments by name.';
      return { name, arguments: args };
    }
    default:
      return {};
  }
}

const NO_MESSAGE =
  'The body must be one JSON-RPC 2.0 message: an object with "jsonrpc": "2.0", "method" and, for a request, an "id" that is a text or a whole number.';
const ONE_MESSAGE = 'The body must be one JSON-RPC message: Segue takes no batches. Send each message on its own.';
