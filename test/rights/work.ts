import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import type { ServiceName } from '../../infra/catalogue.ts';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { listItems } from '../../lib/storage/dynamodb/list.ts';
import { SWEEP } from '../../lib/storage/dynamodb/marks.ts';
import { type EventOptions, eventOf, readAnswer } from '../lib/doors/http/fixture.ts';
import { type JsonObject, smallProject } from '../support/projects.ts';
import type { Aws } from './aws.ts';
import type { Deployed } from './deployed.ts';

type Operation = Parameters<typeof eventOf>[0];
const Answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBase64Encoded: z.boolean(),
});
const Pair = z.object({ AccessToken: z.string(), RefreshToken: z.string() });

/** More than fits into an item, however well it is compressed: two tasks, each of which alone is too large too. */
const large = () =>
  smallProject({
    segments: ['a', 'b'].map((taskId) => ({ taskId, content: randomBytes(500_000).toString('base64') })),
  });

/**
 * Has every function of a stack do all that it does otherwise than before: small payloads and large ones, first requests
 * and later ones with their key, whole projects and tasks, wrong credentials and used tokens.
 */
export async function work({ call }: Deployed, { dynamoDb }: Aws, service: ServiceName): Promise<void> {
  const { client, tableName } = dynamoDb;
  const items = dynamoDbItems(tableName, client);
  const list = listItems.bind(undefined, tableName, client);
  const key = createApiKey();
  await companiesIn({ ...items, list }, Date.now).add('acme', key);
  const basic = `Basic ${Buffer.from(`acme:${key.apiKey}`).toString('base64')}`;
  const principal = { companyId: 'acme', keyId: key.keyId, scopes: 'create read delete' };
  const authorizer = { ...principal, keyVersion: '1' };

  /** @throws where the answer has another status */
  async function ask(name: Operation, status: number, options: EventOptions = {}): Promise<unknown> {
    const answer = await call(name, eventOf(name, { authorizer, ...options }));
    const read = readAnswer(Answer.parse(answer));
    if (read.status !== status) throw new Error(`${name} answered ${read.status}, not ${status}: ${read.text}`);
    return read.json;
  }
  const once = (value: string) => ({ 'Idempotency-Key': value });
  const json = (body: unknown) => ({ body: JSON.stringify(body) });
  const create = async (fields: JsonObject, headers = {}) =>
    z.object({ id: z.number() }).parse(await ask('createProject', 201, { ...json(fields), headers })).id;

  await credentials();
  await pages();
  await projects();
  await tasks();
  await behindTheApi();

  async function credentials() {
    const methodArn = 'arn:aws:execute-api:eu-central-1:000000000000:api/stage/GET/segments/projects';
    const authorize = (Authorization: string) =>
      call('authorizer', { methodArn, headers: { Authorization }, requestContext: { requestId: 'request' } });
    const Policy = z.object({ principalId: z.literal('acme') });
    Policy.parse(await authorize(basic));
    await authorize(basic.slice(0, -8));
    const first = Pair.parse(await ask('obtainToken', 200, { headers: { Authorization: basic } }));
    await ask('obtainToken', 401, { headers: { Authorization: 'Basic YTpi' } });
    Policy.parse(await authorize(`Bearer ${first.AccessToken}`));

    const refresh = (status: number, token: string, headers = {}) =>
      ask('refreshToken', status, { ...json({ token }), headers });
    const second = Pair.parse(await refresh(200, first.RefreshToken));
    const third = Pair.parse(await refresh(200, second.RefreshToken, once('r')));
    await refresh(200, second.RefreshToken, once('r'));
    await refresh(422, third.RefreshToken, once('r'));
    await refresh(401, second.RefreshToken, once('s'));
    await refresh(401, third.RefreshToken);
    await refresh(401, 'none of ours');
  }

  async function pages() {
    await ask('listLanguages', 200);
    await ask('health', 200);
    await ask('getProblemType', 200, { segment: 'invalid-project' });
  }

  async function projects() {
    const small = smallProject({ customId: 'small', taskId: 'a' });
    const ids = [await create(small, once('k')), await create(large(), once('l'))];
    await ask('createProject', 409, json(small));
    await ask('createProject', 409, { ...json(small), query: { validateOnly: ['true'] } });
    await ask('createProject', 400, json({}));
    if (service === 'hosted') {
      await create(small, once('k'));
      await ask('createProject', 422, { ...json(large()), headers: once('k') });
      await ask('createProject', 422, { ...json(large()), headers: once('l') });
    }
    await ask('listProjects', 200);
    await ask('listProjects', 200, { query: { limit: ['1'] } });
    for (const id of ids) {
      await ask('getProject', 200, { segment: String(id) });
      await ask('getProject', 200, { segment: String(id), query: { taskId: ['a'] } });
    }
    await ask('getProject', 404, { segment: '5' });
    await ask('getProjectByCustomId', 200, { segment: 'small' });
    const another = await create({ ...large(), customId: 'large' });
    await ask('getProjectByCustomId', 200, { segment: 'large' });
    await ask('getProjectByCustomId', 404, { segment: 'none' });

    const remove = deletion('deleteProject');
    await remove(404, '5');
    for (const id of [...ids, another]) {
      await remove(404, String(id), { query: { taskId: ['none'] } });
      await remove(204, String(id), { query: { taskId: ['a'] } });
      // the key is looked up where the authorizer has not said as what it found it
      await remove(204, String(id), { headers: once(`d${id}`), authorizer: principal });
      if (service === 'hosted') await remove(204, String(id), { headers: once(`d${id}`) });
    }
    const removeByCustomId = deletion('deleteProjectByCustomId');
    await removeByCustomId(404, 'none');
    for (const project of [smallProject({ taskId: 'a' }), large()]) {
      await create({ ...project, customId: 'c' });
      await removeByCustomId(204, 'c', { query: { taskId: ['a'] } });
      await removeByCustomId(204, 'c', { authorizer: principal });
    }
  }

  function deletion(name: 'deleteProject' | 'deleteProjectByCustomId') {
    return (status: number, segment: string, options: EventOptions = {}) => ask(name, status, { segment, ...options });
  }

  async function tasks() {
    const at = (state: string) => ({ companyId: 'acme', execution: { id: 'execution', state } });
    const Created = z.object({ projectId: z.number() });
    const Deleted = z.object({ outcome: z.enum(['deleted', 'already-absent']) });
    const remove = async (command: object) => Deleted.parse(await call('deleteProjectTask', command));
    const sent = [smallProject({ taskId: 'a' }), large()].map((project, n) => ({ ...at(`create ${n}`), project }));
    for (const command of sent) {
      const { projectId } = Created.parse(await call('createProjectTask', command));
      if (service === 'hosted') Created.parse(await call('createProjectTask', command));
      await remove({ companyId: 'acme', scope: 'task', projectId, taskId: 'a' });
      const whole = { ...at(`delete ${projectId}`), scope: 'project', projectId };
      await remove(whole);
      await remove(whole);
    }
    await remove({ companyId: 'acme', scope: 'project', customId: 'none' });
  }

  async function behindTheApi() {
    for (const Step of ['createSecret', 'setSecret', 'testSecret', 'finishSecret']) {
      const event = { Step, SecretId: 'StoresSigningSecret', ClientRequestToken: 'second' };
      const failure = await call('rotateSigningKeys', event);
      if (failure instanceof Error) throw failure;
    }
    if (service === 'upstream') return;
    const marks = await list(SWEEP, { prefix: '', limit: 100, maxBytes: 1_000_000 });
    const [mark] = marks.items;
    const NewImage = { sort: { S: mark?.sort }, data: { S: JSON.stringify(mark?.data) } };
    const Listened = z.object({ batchItemFailures: z.tuple([]) });
    Listened.parse(await call('sweeper', { Records: [{ dynamodb: { SequenceNumber: '1', NewImage } }] }));
    z.undefined().parse(await call('sweeper', { source: 'aws.events' }));
    const events = await list('company/acme', { prefix: 'event/', limit: 100, maxBytes: 1_000_000 });
    const Records = events.items.map(({ sort, data }, n) => ({
      dynamodb: { SequenceNumber: String(n), NewImage: { sort: { S: sort }, data: { S: JSON.stringify(data) } } },
    }));
    z.object({ batchItemFailures: z.array(z.unknown()) }).parse(await call('publishEvents', { Records }));
  }
}
