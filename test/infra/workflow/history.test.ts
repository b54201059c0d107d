import { describe, expect, it } from 'vitest';
import { createProjectTask } from '../../../lib/workflow/create-project.ts';
import { spoiled, spots } from '../../contract/spoiling.ts';
import { CANARY, FIELDS } from '../../faults/canary.ts';
import { hosted } from '../../lib/hosted/fixture.ts';
import { contextOf, fakeService } from '../../lib/http/fixture.ts';
import { project } from '../../lib/support.ts';
import { failureOf, options } from '../../lib/workflow/fixture.ts';
import { segment, target } from '../../support/projects.ts';
import { run, tasksOn } from './tasks.ts';

const MOST_STATE_BYTES = 65_536;
/** Of the service: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html */
const MOST_CAUSE_BYTES = 8_192;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('the history of an execution', () => {
  it('has nothing of a project by reference, but for its ids', async () => {
    const sent = project({ ...FIELDS, customId: 'x', taskId: 'own' });
    const { output, history } = await run(tasksOn(hosted()), { project: sent, taskId: 't' });
    expect(output).toMatchObject({ deletedTask: { outcome: 'deleted' }, deletedProject: { customId: 'x' } });
    expect(JSON.stringify(sent)).toContain(CANARY);
    expect(JSON.stringify(history)).not.toContain(CANARY);
  });

  it('has nothing of one that is refused, whatever is wrong with it, and little of what that is', async () => {
    const sent = project(FIELDS);
    // one that is left out is the time of the attempt
    const faulty = spots(sent).filter(({ pointer, value }) => pointer !== '/startDateUtc' || value !== undefined);
    for (const spot of faulty) {
      const handler = createProjectTask(fakeService(), {
        ...options,
        readObject: async () => Buffer.from(JSON.stringify(spoiled(sent, spot))),
      });
      const command = { companyId: 'acme', projectFrom: { bucket: 'exports', key: 'x' } };
      const { name, message } = await failureOf(handler, command);
      expect(name).toMatch(/^Segue\.Terminal\./);
      expect(message).not.toContain(CANARY);
      expect(Buffer.byteLength(message)).toBeLessThan(MOST_CAUSE_BYTES);
    }
  });

  it('has small states, whatever the project and however long its names', async () => {
    const control = '\u0001';
    const taskId = `x${control.repeat(999)}`;
    const large = project({
      customId: control.repeat(255),
      targetLanguages: [
        target({ team: null }),
        target({ targetLanguageId: 1179, targetLanguageCode: 'fr-FR', team: null }),
      ],
      segments: Array.from({ length: 1_000 }, (_, n) => segment({ content: `${n} `.repeat(500), taskId })),
    });
    expect(bytesOf(large)).toBeGreaterThan(1_000_000);
    const { output, history } = await run(tasksOn(hosted()), { project: large, taskId });
    expect(output).toMatchObject({ deletedTask: { removed: { segments: 1_000 } } });
    expect(Math.max(...history.map(bytesOf))).toBeLessThan(MOST_STATE_BYTES);
  });

  it('has a small output of the largest project that there may be', async () => {
    const segments = Array.from({ length: 50_000 }, () => ({ content: 'x' }));
    const { createProject } = tasksOn(hosted());
    const output = await createProject({ companyId: 'acme', project: project({ segments }) }, contextOf());
    expect(bytesOf(output)).toBeLessThan(200);
  });
});
