import { describe, expect, it } from 'vitest';
import { bulkDefinition } from '../../../infra/workflow/bulk-definition.ts';
import type { Json } from '../../support/projects.ts';
import { readDefinition } from './definitions.ts';
import { NAMES, NOT_NOW, OPEN } from './failure-names.ts';
import { execute } from './machine.ts';

const { Prepare, Lines } = bulkDefinition({
  companyId: 'acme',
  prepareBulk: 'arn:aws:lambda:eu-central-1:123456789012:function:prepareBulk',
  bulkLine: 'arn:aws:lambda:eu-central-1:123456789012:function:bulkLine',
  bucket: 'manifests',
  concurrency: 10,
  toleratedFailurePercentage: 5,
}).States;
const { Next: _, ...alone } = Prepare;

/** What is before the map, and what it runs for each line: the interpreter itself knows no distributed map. */
const MACHINES = {
  Prepare: readDefinition({ StartAt: 'Prepare', States: { Prepare: { ...alone, End: true } } }),
  CarryOut: readDefinition({ StartAt: Lines.ItemProcessor.StartAt, States: Lines.ItemProcessor.States }),
} as const;

/** How often a task is tried again whose failure may pass. */
const RETRIES = 9;

const run = (
  task: keyof typeof MACHINES,
  work: () => Promise<unknown>,
  input: Json = { key: 'manifests/acme/a.jsonl' },
) => execute(MACHINES[task], () => work, input);

describe.each(['Prepare', 'CarryOut'] as const)('%s', (task) => {
  it.each(NAMES)('%s is tried again where that may help, and then told', async (name) => {
    const execution = await run(task, async () => {
      throw Object.assign(new Error('The cause.'), { name });
    });
    const mayHelp = NOT_NOW.includes(name) || OPEN.includes(name);
    expect(execution).toMatchObject({ error: name, visited: [task] });
    expect(execution.retries).toEqual(Array(mayHelp ? RETRIES : 0).fill(task));
  });

  it.each([...NOT_NOW, ...OPEN])('%s that passes is forgotten', async (name) => {
    let times = 0;
    const execution = await run(task, async () => {
      if (times++ === 0) throw Object.assign(new Error('The cause.'), { name });
      return { outcome: 'deleted' };
    });
    expect(execution).toMatchObject({ output: { outcome: 'deleted' }, retries: [task] });
  });
});

it('a line that can never succeed fails by its own name, with all that is wrong with it', async () => {
  const result = { outcome: 'failed', failure: 'Segue.Terminal.invalid-project', cause: '{"faults":2}' };
  const { error, cause, visited } = await run('CarryOut', async () => result);
  expect({ error, cause, visited }).toEqual({
    error: 'Segue.Terminal.invalid-project',
    cause: '{"faults":2}',
    visited: ['CarryOut', 'IsDone', 'LineFailed'],
  });
});
