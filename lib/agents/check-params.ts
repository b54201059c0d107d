import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { fieldsOf } from '../contract/pointer.ts';

/** What the parameters of a message must be, by its method. The server would answer with its own schemas. */
const RULES = [
  {
    method: 'initialize',
    schema: InitializeRequestSchema,
    rule: 'params of initialize must have protocolVersion (a text), capabilities (an object), and clientInfo with name and version.',
  },
  {
    method: 'tools/call',
    schema: CallToolRequestSchema,
    rule: 'params of tools/call must have name (the name of a tool), and arguments: an object with the arguments by their names.',
  },
  {
    method: 'tools/list',
    schema: ListToolsRequestSchema,
    rule: 'params of tools/list must be an object, or be left out.',
  },
] as const;

/** Returns a message as the server reads it: without arguments that are null. */
export function withoutNull(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCRequest(message) || message.method !== 'tools/call' || message.params?.['arguments'] !== null) {
    return message;
  }
  return { ...message, params: { ...message.params, arguments: {} } };
}

/** Returns the error that answers a request with wrong parameters; `undefined` if they are right. */
export function wrongParams(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if (!isJSONRPCRequest(message)) return undefined;
  const found = RULES.find(({ method }) => method === message.method);
  if (!found) return undefined;
  const isList = Array.isArray(fieldsOf(message.params)?.['arguments']);
  if (!isList && found.schema.safeParse(message).success) return undefined;
  return { jsonrpc: '2.0', id: message.id, error: { code: ErrorCode.InvalidParams, message: found.rule } };
}
