import type { PlantedBug } from './bug.ts';

const ROUTES = 'test/infra/workflow/routes.test.ts';
const CONSTRUCTS = 'test/infra/workflow/constructs.test.ts';
const S3 = 'test/lib/workflow/payloads/s3.test.ts';
const FOLDER = 'test/lib/workflow/payloads/folder.test.ts';

/** Of the tasks of workflows, and of the constructs that make states of them. */
export const WORKFLOW_BUGS: readonly PlantedBug[] = [
  {
    name: 'the key of a task goes before the last redrive',
    file: 'lib/workflow/task.ts',
    find: "    retentionMs: retentionMsOf('workflowKey'),\n",
    replace: '',
    tests: ['test/lib/workflow/create-project.test.ts'],
  },
  {
    name: 'the state that finds out what became of a task has a key of its own',
    file: 'infra/workflow/project-task.ts',
    find: '{ ...invocation, inPlaceOf: first }',
    replace: 'invocation',
    tests: [CONSTRUCTS],
  },
  {
    name: 'a terminal failure is tried again',
    file: 'infra/workflow/names.ts',
    find: "...namesOf(PROBLEM_TYPES.filter(isOf('Retryable')).filter((type)",
    replace: '...namesOf(PROBLEM_TYPES.filter((type)',
    tests: [ROUTES],
  },
  {
    name: 'a failure that nobody has heard of ends the execution, whatever was done',
    file: 'infra/workflow/project-task.ts',
    find: 'errors: [ANY], resultPath: JsonPath.DISCARD',
    replace: 'errors: [...AGAIN], resultPath: JsonPath.DISCARD',
    tests: [ROUTES],
  },
  {
    name: 'what may have been done is said not to have been',
    file: 'infra/workflow/project-task.ts',
    find: 'second.addCatch(failures.Unknown',
    replace: 'second.addCatch(failures.Retryable',
    tests: [ROUTES],
  },
  {
    name: 'whoever starts an execution chooses the company',
    file: 'infra/workflow/project-task.ts',
    find: '    requireFixedCompany(companyId);\n',
    replace: '',
    tests: [CONSTRUCTS],
  },
  {
    name: 'a path in place of an id deletes nothing, and that is a success',
    file: 'infra/workflow/fixed.ts',
    find: "text?.startsWith('$')",
    replace: "text?.startsWith('$$$')",
    tests: [CONSTRUCTS],
  },
  {
    name: 'the items of a map are taken for one',
    file: 'infra/workflow/invocation.ts',
    find: '...(index !== undefined && { index }),',
    replace: '',
    tests: [CONSTRUCTS],
  },
  {
    name: 'a state is given up while its function still works',
    file: 'infra/workflow/invocation.ts',
    find: '.plus(Duration.seconds(10))',
    replace: '.minus(Duration.seconds(10))',
    tests: [CONSTRUCTS],
  },
  {
    name: 'an object of any size is read',
    file: 'lib/workflow/payloads/s3.ts',
    find: 'ContentLength > LIMITS.bodyBytes',
    replace: 'ContentLength > Number.MAX_SAFE_INTEGER',
    tests: [S3],
  },
  {
    name: 'an object that may not be read is asked for again and again',
    file: 'lib/workflow/payloads/s3.ts',
    find: "  'AccessDenied',\n",
    replace: '',
    tests: [S3],
  },
  {
    name: 'a key leads out of its bucket',
    file: 'lib/workflow/payloads/folder.ts',
    find: 'if (!path.startsWith(join(root, bucket) + sep)) throw failures.noObject();',
    replace: '',
    tests: [FOLDER],
  },
];
