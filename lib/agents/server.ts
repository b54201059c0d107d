import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  type Tool as ListedTool,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { scopeMissing } from '../contract/failures.ts';
import { Problem, type ProblemBody } from '../contract/problem.ts';
import type { Scope } from '../contract/routes.ts';
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
To translate texts: create a project for each file, with one segment for each text and serviceAutomaticTranslation in each target language. Then ask for its progress until each language has 100, and read its segments.
A refusal is a problem as JSON. Its "errors" say what is wrong and where: correct that, and call the tool again. If "outcome" is "unknown", repeat the call with the same idempotencyKey.
A deletion is for good. It needs a plan that shows what it removes.`;

/** Creates a server of the Model Context Protocol, whose tools are operations of the API. */
export function agentServer({ toolbox, scopes, now, call, bodyOf }: AgentServerOptions): Server {
  const { tools, version } = toolbox;
  const mayCall = (tool: Tool) => tool.scopes.length === 0 || tool.scopes.some((scope) => scopes.includes(scope));
  const server = new Server(
    { name: 'segue', title: 'Segue', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.filter(mayCall).map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, unknownTool(tools.filter(mayCall)));
    try {
      if (!mayCall(tool)) throw scopeMissing(tool.scopes);
      return toolResult(tool, await call(operationRequest(tool, params.arguments ?? {}, now())), bodyOf);
    } catch (error) {
      if (error instanceof Problem) return refusal(bodyOf(error));
      // Its own message may quote content.
      throw new McpError(ErrorCode.InternalError, 'The tool failed, and nobody knows what it did.');
    }
  });
  return server;
}

function unknownTool(tools: readonly Tool[]): string {
  return `There is no tool with this name. The tools are ${tools.map(({ name }) => name).join(', ')}.`;
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
