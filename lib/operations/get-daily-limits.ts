import * as z from 'zod/mini';
import { required } from '../contract/fields.ts';
import type { Route } from '../contract/routes.ts';
import { callContext, type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeObject } from '../service/encoded-text.ts';
import type { ProjectReads } from '../service/port.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { READ } from './route-parts.ts';

/** The schema of the answer. It is made in a pure call, so that a bundle without its documentation has none of it. */
const DailyAllowance = /* @__PURE__ */ (() => {
  const count = (description: string) => required(z.nullable(z.int()), description);
  return z.strictObject({
    projectsADay: count('How many projects the company may create in a day. Null without a limit.'),
    projectsToday: count(
      'How many of them it has created today. Null without a limit, because nothing is counted then.',
    ),
    automaticCharactersADay: count(
      'How many characters an engine may translate for the company in a day. Null without a limit, and in front of another service, which translates by its own rules.',
    ),
    automaticCharactersToday: count(
      'How many of them are used today. A running translation has reserved some of them, and returns the rest. Null without a limit.',
    ),
    nextDayAtUtc: required(z.string(), 'When the next day begins: 00:00 UTC.'),
  });
})();

export const getDailyLimitsRoute = {
  ...READ,
  id: 'getDailyLimits',
  function: 'readProjects',
  path: '/daily-limits',
  summary: 'Get the limits of a day, and today’s use',
  query: [],
  problems: ['unexpected-body'],
} as const satisfies Route;

/** Makes the handler of `GET /daily-limits`. */
export function getDailyLimits(service: ProjectReads, options: OperationOptions): OperationHandler {
  return operation(getDailyLimitsRoute, options, async (request) => {
    return { status: 200, json: await encodeObject(await service.dailyAllowance(callContext(request))) };
  });
}

export const getDailyLimitsDocs = (): OperationDocs => {
  const example: z.infer<typeof DailyAllowance> = {
    projectsADay: 100,
    projectsToday: 12,
    automaticCharactersADay: 500_000,
    automaticCharactersToday: 48_210,
    nextDayAtUtc: '2026-11-21T00:00:00.000Z',
  };
  return {
    tag: 'Projects',
    description:
      'Returns what the company may do in a day (UTC), and what it has used today. Only the operator can change the limits.',
    forAgents:
      'Returns what the company may do in a day (UTC), and what it has used today. Null means that there is no limit, and that nothing is counted. Only the operator can change the limits.',
    answers: [{ status: 200, description: 'The limits, and today’s use.', schema: DailyAllowance, example }],
    schemas: { DailyAllowance },
  };
};
