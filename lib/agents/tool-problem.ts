import * as z from 'zod/mini';
import { pointerTo } from '../contract/pointer.ts';
import { isProblemType, PROBLEMS, type ProblemType } from '../contract/problems.ts';
import { inToolTerms } from './tool-terms.ts';
import type { Tool } from './tools.ts';

/** The fields of a problem that depend on how it is asked. */
const ToolProblem = z.looseObject({
  type: z.string(),
  detail: z.string(),
  errors: z.optional(z.array(z.looseObject({ pointer: z.string(), code: z.string(), detail: z.string() }))),
});
type Fault = NonNullable<z.infer<typeof ToolProblem>['errors']>[number];

/** What an agent can do about a problem of a tool, by the type of the problem. */
const ADVICE: Readonly<Partial<Record<ProblemType, (tool: Tool) => string | undefined>>> = {
  'plan-outdated': ({ planning }) =>
    planning && `${planning}. Show the answer to the user, and pass its \`plan\` unchanged.`,
  'not-acceptable': ({ name }) =>
    name === 'getProject' ? 'To read its segments in pages, call getSegments with limit.' : undefined,
  'route-not-found': ({ name }) =>
    name === 'getProblemType' ? `The types are ${Object.keys(PROBLEMS).join(', ')}.` : undefined,
};

/**
 * Says a problem of an operation in the terms of its tool: the same fields, with pointers that are places in the arguments.
 * The detail ends with what an agent can do, and with which tool. Fields that are no problem stay as they are.
 */
export function toolProblem(tool: Tool, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const problem = ToolProblem.safeParse(fields).data;
  if (!problem) return fields;
  const type = problem.type.split('/').at(-1) ?? '';
  const errors = problem.errors?.map((fault) => toolFault(tool, fault));
  const said = type === 'invalid-header' && errors ? errors.map(({ detail }) => detail).join(' ') : problem.detail;
  const advice = isProblemType(type) ? ADVICE[type]?.(tool) : undefined;
  const detail = [inToolTerms(said), ...(advice === undefined ? [] : [advice])].join(' ');
  return { ...problem, detail, ...(errors && { errors }) };
}

function toolFault(tool: Tool, fault: Fault): Fault {
  const { pointer, code, detail } = fault;
  if (code === 'plan-differs') {
    const place = pointer === '' ? '' : `At ${pointer} of the answer with the plan: `;
    return { ...fault, pointer: pointerTo(['arguments', 'plan']), detail: place + inToolTerms(detail) };
  }
  const argument = argumentAt(tool, pointer);
  if (argument === undefined) return { ...fault, pointer: bodyPlace(tool, pointer), detail: inToolTerms(detail) };
  // A header is only a form of its argument, so how to write it says nothing.
  const said = code === 'invalid-header' ? `The argument ${argument} is wrong. ${tool.explained(argument)}` : detail;
  return { ...fault, pointer: pointerTo(['arguments', argument]), detail: inToolTerms(said) };
}

/** The beginnings of pointers to what is no body. */
const SOURCES = { query: 'query', header: 'headers', path: 'path' } as const;

function argumentAt({ places }: Tool, pointer: string): string | undefined {
  for (const [argument, place] of places) {
    if (place.in === 'body') continue;
    const name = place.in === 'header' ? place.name.toLowerCase() : place.name;
    if (pointer === pointerTo([SOURCES[place.in], name])) return argument;
  }
  return undefined;
}

function bodyPlace({ places }: Tool, pointer: string): string {
  const body = [...places].find(([, place]) => place.in === 'body')?.[0];
  return body === undefined ? pointer : pointerTo(['arguments', body]) + pointer;
}
