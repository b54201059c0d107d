import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AwsRefusal, type JsonService, jsonClient, NeverSent, type Post } from '../../../lib/aws/json-client.ts';
import { secretsManagerReader } from '../../../lib/aws/secrets-manager.ts';
import { heldNow } from '../support.ts';

const SERVICE: JsonService = {
  host: 'dynamodb',
  setting: 'AWS_ENDPOINT_URL_DYNAMODB',
  protocol: '1.0',
  target: 'Service_1',
  answerMs: 2_000,
};

/** The server's next answers. The last one is repeated. */
let answers: ((response: ServerResponse) => unknown)[];
let requests: { readonly target: unknown; readonly type: unknown; readonly token: unknown; readonly body: unknown }[];
let server: Server;

beforeEach(async () => {
  answers = [];
  requests = [];
  server = createServer(async (request, response) => {
    const { 'x-amz-target': target, 'content-type': type, 'x-amz-security-token': token } = request.headers;
    requests.push({ target, type, token, body: await json(request) });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${address.port}`);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'nobody');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'nothing');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const answering = (status: number, body: string) => (response: ServerResponse) =>
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(body) }).end(body);
const failure = async (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

describe('a call', () => {
  it('posts JSON and returns the JSON of the answer', async () => {
    answers = [answering(200, '{"Item":{"text":"ä😀"}}')];
    expect(await jsonClient(SERVICE, { now: heldNow })('GetItem', { Key: 'ü' })).toEqual({ Item: { text: 'ä😀' } });
    expect(requests).toEqual([
      { target: 'Service_1.GetItem', type: 'application/x-amz-json-1.0', token: 'session', body: { Key: 'ü' } },
    ]);
  });

  it('uses the connection of the previous call', async () => {
    let connections = 0;
    server.on('connection', () => connections++);
    answers = [answering(200, '{}')];
    const call = jsonClient(SERVICE, { now: heldNow });
    for (const Key of ['a', 'b']) await call('GetItem', { Key });
    expect([requests.length, connections]).toEqual([2, 1]);
  });

  it('signs every header and the body', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL', undefined);
    const sent: object[] = [];
    const post: Post = async ({ headers }) => {
      sent.push(headers);
      return { status: 200, body: '{}' };
    };
    const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);
    await jsonClient(SERVICE, { now, post })('GetItem', { Key: 'ü' });
    expect(sent).toEqual([
      {
        host: 'dynamodb.eu-central-1.amazonaws.com',
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'Service_1.GetItem',
        'x-amz-date': '20260102T030405Z',
        'x-amz-security-token': 'session',
        authorization:
          'AWS4-HMAC-SHA256 Credential=nobody/20260102/eu-central-1/dynamodb/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=4616a1bb0119bbcbaf2c9e0d0de27f277f0997d32bae2a5cc7ce7587aec612f4',
      },
    ]);
  });

  it.each([
    [400, true, 'com.amazonaws.dynamodb.v20120810#ThrottlingException'],
    [500, false, 'ThrottlingException'],
  ])('reports the name of a refusal with %i, without its message', async (status, isOfRequest, __type) => {
    const reasons = [{ Code: 'None' }, { Code: 'TransactionConflict', Message: 'CANARY' }, {}];
    answers = [answering(status, JSON.stringify({ __type, message: 'CANARY', CancellationReasons: reasons }))];
    const error = await failure(jsonClient(SERVICE, { now: heldNow })('GetItem', {}));
    expect(error).toBeInstanceOf(AwsRefusal);
    expect(error).toMatchObject({
      code: 'ThrottlingException',
      isOfRequest,
      reasons: ['None', 'TransactionConflict', ''],
    });
    expect(String(error)).not.toContain('CANARY');
  });

  it.each([
    [{ message: 'User: CANARY is not authorized to perform: dynamodb:Query on resource: CANARY' }, 'dynamodb:Query'],
    [{ Message: 'CANARY is not authorized to perform: kms:Decrypt' }, 'kms:Decrypt'],
    [{ Message: null }, undefined],
    [{}, undefined],
  ])('reads only the denied action from the message of %j', async (fields, action) => {
    answers = [answering(400, JSON.stringify({ __type: 'AccessDeniedException', ...fields }))];
    const error = await failure(jsonClient(SERVICE, { now: heldNow })('Query', {}));
    expect(error).toMatchObject({ code: 'AccessDeniedException', action });
    expect(JSON.stringify(error)).not.toContain('CANARY');
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['without JSON', answering(200, '<html>')],
    [
      'that breaks off',
      (response) => response.writeHead(200, { 'Content-Length': 100 }).write('{', () => response.destroy()),
    ],
    ['of a refusal without a name', answering(400, '{}')],
    ['that never comes', (response) => response.destroy()],
    [
      'that switches protocols',
      ({ socket }) => socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'),
    ],
  ])('reports an answer %s as neither refused nor never sent', async (_, answer) => {
    answers = [answer];
    const error = await failure(jsonClient(SERVICE, { now: heldNow })('GetItem', {}));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(AwsRefusal);
    expect(error).not.toBeInstanceOf(NeverSent);
  });

  it('gives up when the answer takes too long', async () => {
    answers = [() => {}];
    const call = jsonClient({ ...SERVICE, answerMs: 20 }, { now: heldNow })('GetItem', {});
    expect(await failure(call)).toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('connects to an IPv6 address', async () => {
    answers = [answering(200, '{}')];
    const { port } = new URL(process.env['AWS_ENDPOINT_URL'] ?? '');
    vi.stubEnv('AWS_ENDPOINT_URL', `http://[::ffff:127.0.0.1]:${port}`);
    expect(await jsonClient(SERVICE, { now: heldNow })('GetItem', {})).toEqual({});
  });

  it('sends nothing without credentials', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    expect(await failure(jsonClient(SERVICE, { now: heldNow })('GetItem', {}))).toBeInstanceOf(NeverSent);
    expect(requests).toEqual([]);
  });
});

describe('a secret', () => {
  const read = () => secretsManagerReader({ now: heldNow })('name');
  const given = answering(200, '{"SecretString":"text"}');
  const refused = (type: string) => answering(400, JSON.stringify({ __type: type }));

  it('reads its current version', async () => {
    answers = [given];
    expect(await read()).toBe('text');
    expect(requests[0]).toMatchObject({
      target: 'secretsmanager.GetSecretValue',
      body: { SecretId: 'name', VersionStage: 'AWSCURRENT' },
    });
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['throttling', refused('ThrottlingException')],
    ['an error', answering(500, '{"__type":"InternalServiceError"}')],
    ['a connection that ends', (response) => response.destroy()],
  ])('reads once more after %s', async (_, fault) => {
    answers = [fault, given];
    expect(await read()).toBe('text');
    answers = [fault];
    requests = [];
    expect(await failure(read())).toBeInstanceOf(Error);
    expect(requests).toHaveLength(2);
  });

  it('does not repeat a denied read', async () => {
    answers = [refused('AccessDeniedException')];
    expect(await failure(read())).toMatchObject({ code: 'AccessDeniedException' });
    expect(requests).toHaveLength(1);
  });

  it('refuses a secret of bytes', async () => {
    answers = [answering(200, '{"SecretBinary":"AAAA"}')];
    expect(await failure(read())).toBeInstanceOf(Error);
  });
});
