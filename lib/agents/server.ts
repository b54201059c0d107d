import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  type Tool as ListedTool,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { scopeMissing } from '../contract/failures.ts';
import { nearest } from '../contract/nearest.ts';
import { Problem, type ProblemBody } from '../contract/problem.ts';
import type { Scope } from '../contract/routes.ts';
import { usedParams } from './message-params.ts';
import { type OperationRequest, operationRequest } from './tool-request.ts';
import { type OperationAnswer, refusal, toolResult } from './tool-result.ts';
import type { Tool, Toolbox } from './tools.ts';

/** What a server of agents does for one key. */
interface AgentServerOptions {
  readonly toolbox: Toolbox;
  /** The scopes of the key. */
  readonly scopes: readonly Scope[];
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Calls an operation. It may throw a `Problem`. */
  readonly call: (request: OperationRequest) => Promise<OperationAnswer>;
  /** Makes the body of a problem. */
  readonly bodyOf: (problem: Problem) => ProblemBody;
}

/** What a model reads before the tools. */
const INSTRUCTIONS = `Segue translates projects. A project has a source language, target languages, and segments of text.
To translate texts: create a project for each file, with one segment for each text and serviceAutomaticTranslation in each target language. Then call getProgress until each language has 100, and read its segments with getSegments.
If the progress does not move, call getProject: a language in the state InPreparation, without a service and a team, or with a failed automaticTranslation makes none. Then stop, and tell the user.
A refusal is a problem as JSON. Its "errors" say what is wrong and where: correct that, and call the tool again. If "outcome" is "unknown", repeat the call with the same idempotencyKey.
A deletion is for good. It needs a plan that shows how much it removes. A plan is no permission: ask the user.`;

/** Creates a server of the Model Context Protocol, whose tools are operations of the API. */
export function agentServer({ toolbox, scopes, now, call, bodyOf }: AgentServerOptions): Server {
  const { tools, version } = toolbox;
  const mayCall = (tool: Tool) => tool.scopes.length === 0 || tool.scopes.some((scope) => scopes.includes(scope));
  const server = new AgentServer(
    { name: 'segue', title: 'Segue', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.filter(mayCall).map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    const tool = tools.find(({ name }) => name === params.name);
    const args = params.arguments ?? {};
    if (!tool) throw new MessageError(ErrorCode.InvalidParams, unknownTool(params.name, tools.filter(mayCall)));
    try {
      if (!mayCall(tool)) throw scopeMissing(tool.scopes);
      return toolResult(tool, args, await call(operationRequest(tool, args, now())), bodyOf);
    } catch (error) {
      if (error instanceof Problem) return refusal(bodyOf(error));
      // Its own message may quote content.
      throw new MessageError(ErrorCode.InternalError, 'The tool failed, and nobody knows what it did.');
    }
  });
  return server;
}

/** A server that sees only the parameters that it uses, and refuses wrong ones with a sentence. */
class AgentServer extends Server {
  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    const pass = transport.onmessage;
    transport.onmessage = (message, extra) => {
      if (!('method' in message && 'id' in message)) return pass?.(message, extra);
      const { id, method } = message;
      const params = usedParams(method, message.params);
      if (typeof params !== 'string') return pass?.({ ...message, params }, extra);
      const error = { code: ErrorCode.InvalidParams, message: params };
      void transport.send({ jsonrpc: '2.0', id, error }).catch((thrown: unknown) => this.onerror?.(asError(thrown)));
    };
  }
}

/** An error of a message. That of the SDK begins its text with the code, which clients do again. */
class MessageError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new TypeError('A message was not sent');
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((each) => each.name);
  const [meant] = nearest(name, names, 1);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `There is no tool with this name.${hint} The tools are ${names.join(', ')}.`;
}

function listed({ name, title, description, inputSchema, routes }: Tool): ListedTool {
  const methods = routes.map(({ method }) => method);
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema },
    annotations: {
      readOnlyHint: methods.every((method) => method === 'GET'),
      destructiveHint: methods.some((method) => method === 'DELETE' || method === 'PUT'),
      // With its idempotency key, a repetition of a creation or a change does nothing.
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

/** The server asks its clients for nothing, so it checks no answers of theirs. The default takes milliseconds to make. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new TypeError('The server of agents checks no answers of its clients');
  },
};
