import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, CallToolResultSchema, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { answerAgent } from '../../../lib/agents/answer-agent.ts';
import { answerAgentRoute } from '../../../lib/contract/agents.ts';
import { SCOPES } from '../../../lib/contract/routes.ts';
import type { OperationHandler } from '../../../lib/http/operation.ts';
import { getProblemType } from '../../../lib/operations/get-problem-type.ts';
import { listLanguages } from '../../../lib/operations/list-languages.ts';
import { changeProjects, changeTranslations, ROUTES, readProjects } from '../../../lib/operations/routes.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { everyOperation } from '../../support/world.ts';
import { contextOf, type EventOptions, eventAt, readAnswer } from '../http/fixture.ts';

/** The clock of a service. */
interface Clock {
  readonly now: () => number;
}

/** The door of agents in front of a service, with the log lines that it has written. */
export function doorTo(service: ProjectService, { now }: Clock) {
  const lines: LogLine[] = [];
  const options = { now, log: (line: LogLine) => lines.push(line) };
  const complete = everyOperation(service);
  const operations = [...changeProjects, ...readProjects, ...changeTranslations].map((operation) =>
    operation(complete, options),
  );
  const door = answerAgent([...operations, listLanguages(options), getProblemType(ROUTES, options)], options);
  return { door, lines };
}

/** Who sends messages. */
export interface Sender extends Pick<EventOptions, 'headers' | 'prefix'> {
  readonly companyId?: string;
  readonly scopes?: readonly string[];
}

/** Sends a body to the door, as API Gateway passes it on. */
export async function post(door: OperationHandler, body: unknown, sender: Sender = {}) {
  const { companyId = 'acme', scopes = SCOPES, ...others } = sender;
  const authorizer = { companyId, keyId: 'key-1', scopes: scopes.join(' ') };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readAnswer(await door(eventAt(answerAgentRoute, { authorizer, body: text, ...others }), contextOf()));
}

/** Connects a client of the SDK to the door, until the test ends. */
export async function connect(door: OperationHandler, sender: Sender = {}): Promise<Client> {
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    async send(message) {
      const { json } = await post(door, message, sender);
      if (json !== undefined) transport.onmessage?.(JSONRPCMessageSchema.parse(json));
    },
  };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** Calls a tool. */
export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<CallToolResult> {
  return CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
}

/** Returns the texts of a result: all that a model reads. */
export function textsOf({ content }: CallToolResult): string[] {
  return content.flatMap((each) => (each.type === 'text' ? [each.text] : []));
}
