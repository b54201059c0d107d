import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { fieldsOf } from '../contract/pointer.ts';
import { Problem, type ProblemBody } from '../contract/problem.ts';
import { toolNotes } from './tool-notes.ts';
import { toolProblem } from './tool-problem.ts';
import type { Tool } from './tools.ts';

/** The answer of an operation. */
export interface OperationAnswer {
  readonly status: number;
  /** Returns a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The body; empty if there is none. */
  readonly text: string;
}

/**
 * The longest text in the answer of a tool, in bytes. A message quotes the text, which at most doubles it, so the message
 * still fits into an answer of API Gateway without compression.
 */
export const MAX_TEXT_BYTES = 2_097_152;

/**
 * Turns the answer of an operation into the result of its tool.
 * @param args the arguments of the call
 * @param bodyOf makes the body of a problem
 */
export function toolResult(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  answer: OperationAnswer,
  bodyOf: (problem: Problem) => ProblemBody,
): CallToolResult {
  const { status, text } = answer;
  const bytes = Buffer.byteLength(text);
  if (status >= 400) return bytes > MAX_TEXT_BYTES ? refusal(bodyOf(unreadable())) : refused(tool, text);
  const isRead = tool.routes.every(({ method }) => method === 'GET');
  if (bytes > MAX_TEXT_BYTES && isRead) return refusal(toolProblem(tool, { ...bodyOf(tooLarge(tool, bytes)) }));
  const shown = bytes > MAX_TEXT_BYTES ? `Done. The answer has ${bytes} bytes, which is too large for a tool.` : text;
  return {
    content: [shown || 'Done.', ...notes(answer), ...toolNotes(tool, args)].map((each) => ({
      type: 'text',
      text: each,
    })),
  };
}

/** Returns the result for a problem: its text for models, and its fields for programs. */
export function refusal(problem: object): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(problem) }],
    structuredContent: { ...problem },
  };
}

function refused(tool: Tool, text: string): CallToolResult {
  const fields = parsed(text);
  return fields ? refusal(toolProblem(tool, fields)) : { isError: true, content: [{ type: 'text', text }] };
}

/** Returns the fields of a JSON object; `undefined` if a server in between has answered with another text. */
function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? undefined : fieldsOf(value);
  } catch {
    return undefined;
  }
}

/** Returns what the headers of an answer say, in sentences. */
function notes({ status, header }: OperationAnswer): string[] {
  const cursor = /[?&]cursor=([^&>]+)/.exec(header('link') ?? '')?.[1];
  const location = status === 201 ? header('location') : undefined;
  return [
    ...(cursor === undefined
      ? []
      : [`There is more: call the tool again with the same arguments and cursor=${cursor}`]),
    ...(location === undefined ? [] : [`Created: ${location}`]),
    ...(header('idempotent-replayed') === 'true'
      ? ['An earlier call had the same idempotencyKey. This call changed nothing.']
      : []),
  ];
}

function tooLarge({ inputSchema }: Tool, bytes: number): Problem {
  const ways = ['limit', 'taskId', 'languageCode', 'status'].filter((name) => name in inputSchema.properties);
  return new Problem('not-acceptable', {
    detail: `The answer has ${bytes} bytes, and a tool answers with at most ${MAX_TEXT_BYTES}. Ask for less${ways.length > 0 ? `, with ${ways.join(', ')}` : ''}.`,
  });
}

function unreadable(): Problem {
  return new Problem('internal-error', { detail: 'The answer is a refusal that is too large to show.' });
}
