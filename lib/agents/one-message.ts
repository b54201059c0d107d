import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';

/** What a server and a transport have in common: a server is connected to its transport. */
interface Connectable {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

/**
 * Passes one request to a server, and returns its answer. The transports of the SDK for HTTP load undici, and keep more than
 * a function needs that answers one message.
 */
export async function answerTo(server: Connectable, request: JSONRPCRequest): Promise<JSONRPCMessage> {
  const { promise: answer, resolve } = Promise.withResolvers<JSONRPCMessage>();
  const transport: Transport = {
    start: async () => {},
    // A server sends nothing before its answer, because it knows no client to notify.
    send: async (message) => resolve(message),
    close: async () => transport.onclose?.(),
  };
  await server.connect(transport);
  transport.onmessage?.(request);
  try {
    return await answer;
  } finally {
    await server.close();
  }
}
