import type { Template } from 'aws-cdk-lib/assertions';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import * as z from 'zod/mini';
import type { FunctionName, ServiceName } from '../../../infra/catalogue.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEM_TYPES, type ProblemType } from '../../../lib/contract/problems.ts';
import { type Sweep, sweeper } from '../../../lib/doors/background/sweeper.ts';
import { authorizer } from '../../../lib/doors/http/authorizer.ts';
import { createProject } from '../../../lib/doors/http/operations/create-project.ts';
import { deleteProject, deleteProjectByCustomId } from '../../../lib/doors/http/operations/delete-project.ts';
import { getProject, getProjectByCustomId } from '../../../lib/doors/http/operations/get-project.ts';
import { listProjects } from '../../../lib/doors/http/operations/list-projects.ts';
import { createProjectTask } from '../../../lib/doors/workflow/create-project.ts';
import { deleteProjectTask } from '../../../lib/doors/workflow/delete-project.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { authenticationWith } from '../../lib/credentials/fixture.ts';
import { contextOf, eventOf, fakeService } from '../../lib/doors/http/fixture.ts';
import { NOW_MS, project } from '../../lib/support.ts';
import { constructOf, propertiesOf } from '../template.ts';

const Filter = z.object({
  FilterPattern: z.string(),
  LogGroupName: z.object({ Ref: z.string() }),
  MetricTransformations: z.tuple([z.object({ MetricValue: z.string() })]),
});

/** What Lambda itself writes of a function that it ended. */
const ENDED = [
  '2026-11-20T09:30:29.000Z 3b241101-e2bb-4255-8caf-4136c566a962 Task timed out after 29.00 seconds',
  'RequestId: 3b241101-e2bb-4255-8caf-4136c566a962 Error: Runtime exited with error: signal: killed',
];
/** What a request may end in when nobody is to be woken. */
const USUAL: readonly ProblemType[] = ['project-not-found', 'custom-id-in-use', 'rate-limited'];

const options = { now: () => NOW_MS };
const body = () => JSON.stringify(project());

/** Runs a function whose every need fails with a problem. It logs as it does on AWS. */
const RUNS: Partial<Record<FunctionName, (problem: Problem) => Promise<unknown>>> = {
  createProject: ofService((service) =>
    createProject(service, options)(eventOf('createProject', { body: body() }), contextOf()),
  ),
  listProjects: ofService((service) => listProjects(service, options)(eventOf('listProjects'), contextOf())),
  getProject: ofService((service) => getProject(service, options)(eventOf('getProject'), contextOf())),
  getProjectByCustomId: ofService((service) =>
    getProjectByCustomId(service, options)(eventOf('getProjectByCustomId'), contextOf()),
  ),
  deleteProject: ofService((service) => deleteProject(service, options)(eventOf('deleteProject'), contextOf())),
  deleteProjectByCustomId: ofService((service) =>
    deleteProjectByCustomId(service, options)(eventOf('deleteProjectByCustomId'), contextOf()),
  ),
  createProjectTask: ofService((service) =>
    createProjectTask(service, options)({ companyId: 'acme', project: project() }, contextOf()),
  ),
  deleteProjectTask: ofService((service) =>
    deleteProjectTask(service, options)({ companyId: 'acme', scope: 'project', projectId: 5 }, contextOf()),
  ),
  authorizer: (problem) => {
    const keys = { byApiKey: () => Promise.reject(problem), byKeyId: never, guard: never };
    return authorizer(authenticationWith(keys))({
      methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:api/v1/GET/segments/projects',
      headers: { Authorization: `Basic ${btoa('acme:key')}` },
      requestContext: { requestId: 'request-1' },
    });
  },
  sweeper: (failure) => {
    const sweep: Sweep = { all: async () => ({ removed: 0, left: 1, oldestMs: 60_000, failure }), one: never };
    return sweeper(sweep)({}, contextOf());
  },
};

function ofService(run: (service: ProjectService) => Promise<unknown>): (problem: Problem) => Promise<unknown> {
  return (problem) => {
    const fail = () => Promise.reject(problem);
    return run(fakeService({ create: fail, get: fail, list: fail, delete: fail }));
  };
}

function never(): never {
  throw new Error('Nobody asks for this here');
}

/** Whether CloudWatch counts a line by a pattern, as far as the stack's patterns go. */
function matches(pattern: string, line: string): boolean {
  const [, condition] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (condition === undefined)
    return [...pattern.matchAll(/\?"([^"]+)"/g)].some(([, text = '']) => line.includes(text));
  if (!line.startsWith('{')) return false;
  const fields = z.record(z.string(), z.unknown()).parse(JSON.parse(line));
  return condition.split(' || ').some((part) => {
    const [, field = '', operator, value = ''] = /^\(?\$\.(\w+) (=|>=) ("?[\w-]+"?)\)?$/.exec(part) ?? [];
    if (operator === undefined) throw new Error(`The test does not know the pattern ${pattern}`);
    const is = fields[field];
    return operator === '=' ? is === JSON.parse(value) : typeof is === 'number' && is >= Number(value);
  });
}

/** That what is counted in logs is what the functions write there. */
export function logLines(template: Template, service: ServiceName): void {
  const filters = [...propertiesOf(template, 'AWS::Logs::MetricFilter')].map(([id, filter]) => {
    const { FilterPattern, LogGroupName, MetricTransformations } = Filter.parse(filter);
    const name = Object.keys(RUNS).find(
      (of) => LogGroupName.Ref.replace(/[0-9A-F]{8}$/, '') === `${constructOf(of)}Log`,
    );
    return { id, name, pattern: FilterPattern, value: MetricTransformations[0].MetricValue };
  });
  let write: MockInstance<typeof process.stderr.write>;
  beforeEach(() => {
    write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => write.mockRestore());

  /** The lines that a function writes when all that it needs fails with a problem. */
  async function linesOf(name: string | undefined, type: ProblemType): Promise<string[]> {
    const run = Object.entries(RUNS).find(([of]) => of === name)?.[1];
    if (!run) throw new Error(`The test does not know how to run ${name}`);
    write.mockClear();
    await run(new Problem(type, { detail: 'A planted fault.' }, { cause: new Error('A planted cause') })).catch(
      () => {},
    );
    const lines = write.mock.calls.map(([line]) => String(line).trimEnd());
    expect(lines).toHaveLength(1);
    return lines;
  }

  it('has filters of its functions’ logs', () => {
    expect(filters.length).toBeGreaterThan(service === 'hosted' ? 14 : 13);
    expect(filters.filter(({ name }) => name === undefined)).toEqual([]);
  });

  it.each(filters)('$id counts a line that $name writes, for each problem that it names', async ({ name, pattern }) => {
    if (pattern.startsWith('?')) {
      expect(ENDED.map((line) => matches(pattern, line))).toEqual([true, true]);
      return;
    }
    const [first = 'unavailable', ...others] = PROBLEM_TYPES.filter((type) =>
      pattern.includes(`$.problem = "${type}"`),
    );
    for (const type of [first, ...others]) {
      const lines = await linesOf(name, type);
      expect({ lines, counted: lines.filter((line) => matches(pattern, line)) }).toEqual({ lines, counted: lines });
    }
  });

  it.each(filters.filter(({ name }) => name !== 'sweeper'))(
    '$id counts nothing that is as it should be',
    async ({ name, pattern }) => {
      for (const type of USUAL) {
        for (const line of await linesOf(name, type))
          expect({ line, isCounted: matches(pattern, line) }).toEqual({ line, isCounted: false });
      }
    },
  );

  if (service !== 'hosted') return;

  it('takes the age of what is left from the sweeper’s line', async () => {
    const [line = ''] = await linesOf('sweeper', 'unavailable');
    const [field] = filters.flatMap(({ name, value }) => (name === 'sweeper' ? [value.replace('$.', '')] : []));
    expect(JSON.parse(line)).toMatchObject({ [field ?? '']: 60_000 });
  });
}
