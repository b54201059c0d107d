import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { httpTransport } from '../../../lib/service/http-client/transport.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import { serviceUrl } from '../../../lib/upstream/requests.ts';
import { hosted } from '../../lib/hosted/fixture.ts';
import { callOf, expectProblem } from '../../lib/support.ts';
import { World } from '../../lib/upstream/world.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { type JsonObject, member, segment, smallProject, target } from '../../support/projects.ts';
import { run, tasksOn } from './tasks.ts';

let behind: StartedGateway;
beforeAll(async () => {
  behind = await startGateway();
});
afterAll(() => behind.stop());

/** A service that another server provides. */
function upstream(): ProjectService {
  const { url: baseUrl, companyId, apiKey } = behind;
  const account = async () => JSON.stringify({ companyId, apiKey });
  const credentials = cachedSecret(account, readUpstreamCredentials, { now });
  const transport = httpTransport(serviceUrl(baseUrl), now);
  return new World(now()).service({ transport, credentials });
}

const call = callOf();
const now = Date.now;

/** The example's input, whose start date is each attempt's. */
function inputOf(fields: JsonObject = {}) {
  const segments = [segment({ taskId: 'a' }), segment({ taskId: 'b' })];
  const { startDateUtc: _, ...project } = smallProject({ customId: 'x', segments, ...fields });
  return { project, taskId: 'a' };
}

describe.each([
  ['the hosted service', () => hosted({ now })],
  ['the service behind Segue', upstream],
])('the example on %s', (_, serviceFor) => {
  it('creates, deletes a task, deletes, and leaves nothing', async () => {
    const service = serviceFor();
    const { visited, failures, output } = await run(tasksOn(service, { now }), inputOf());
    expect({ visited, failures }).toEqual({
      visited: ['CreateProject', 'DeleteTask', 'DeleteProject', 'Done'],
      failures: [],
    });
    expect(output).toMatchObject({
      deletedTask: { outcome: 'deleted', removed: { segments: 1, tasks: 1 } },
      deletedProject: { outcome: 'deleted' },
    });
    expect((await service.list({ limit: 100 }, call)).projects).toEqual([]);
  });

  it('fails with 500 for a team with a proofreader and no translator, and nothing is written', async () => {
    const service = serviceFor();
    const team = [member({ isTranslator: false, isProofreader: true })];
    const input = inputOf({ targetLanguages: [target({ team })] });
    const { error, cause, failures, visited } = await run(tasksOn(service, { now }), input);
    expect({ error, failures, visited }).toEqual({
      error: 'TeamToComplete',
      failures: ['Segue.Terminal.team-without-translator', 'TeamToComplete'],
      visited: ['CreateProject', 'TeamToComplete'],
    });
    expect(JSON.parse(cause ?? '')).toMatchObject({
      status: 500,
      errors: [{ pointer: '/targetLanguages/0/team', code: 'team-without-translator' }],
    });
    expect((await service.list({ limit: 100 }, call)).projects).toEqual([]);
    await expectProblem('project-not-found', () => service.get({ customId: 'x' }, undefined, call));
  });
});
