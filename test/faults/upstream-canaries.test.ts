import { expect, it, onTestFinished } from 'vitest';
import { byKind, json, kindOf, type Play, playService, type Received } from '../lib/upstream/server.ts';
import { answeredTo } from '../lib/upstream/world.ts';
import { startGateway } from '../support/gateway.ts';
import { type JsonObject, nowUtc, smallProject } from '../support/projects.ts';
import { ask } from './asking.ts';
import { bytesIn, CANARY, FIELDS, TASK } from './canary.ts';

const ACCOUNT = { companyId: 'account-at-the-service', apiKey: 'key-at-the-service' };
const BASIC = Buffer.from(`${ACCOUNT.companyId}:${ACCOUNT.apiKey}`).toString('base64');
/** The secrets that only the upstream service and Segue may know. */
const SECRETS = [ACCOUNT.companyId, ACCOUNT.apiKey, BASIC];

/** Answers with the whole request, in every part of the answer. */
function indiscreet(status: number): Play {
  return (request, response) => {
    const { url, headers, body } = request;
    const told = `${url} ${JSON.stringify(headers)} ${ACCOUNT.companyId}:${ACCOUNT.apiKey} ${body}`;
    const header = encodeURIComponent(told.slice(0, 2_000)) + SECRETS.join(' ');
    const errors = [{ pointer: `/${told}`, code: 'too-long', detail: told, allowed: [told] }, told];
    const type = `https://service.example/problems/${status === 400 ? 'invalid-project' : told}`;
    json(
      status,
      { type, title: told, detail: told, instance: told, message: told, errors, traceId: told, [told]: told },
      {
        'content-type': 'application/problem+json',
        location: `/${header}`,
        server: header,
        'x-request-id': header,
        'www-authenticate': `Basic realm="${header}"`,
        'retry-after': header,
        'set-cookie': header,
      },
    )(request, response);
  };
}

/** Starts Segue in front of an upstream service whose answers the test can change. */
async function started() {
  let play: Play = indiscreet(400);
  const { url } = await playService((...exchange) => play(...exchange));
  const gateway = await startGateway({ upstream: { url, ...ACCOUNT } });
  onTestFinished(async () => void (await gateway.stop()));
  let told = '';
  const send = async (method: string, path: string, body?: JsonObject) => {
    const headers = body ? { 'Content-Type': 'application/json' } : {};
    const text = body && JSON.stringify(body);
    const answer = await ask(gateway, {
      method,
      path: `/segments/projects${path}`,
      headers,
      ...(text && { body: text }),
    });
    if (answer.status >= 400) told += `${JSON.stringify(answer.headers)} ${answer.text}\n`;
    return answer;
  };
  return {
    send,
    answerWith(next: Play) {
      play = next;
    },
    /** Returns the answers of all failures, and the log. */
    told: () => told + gateway.stderr(),
    kept: () => bytesIn(gateway.dataDir),
  };
}

/** Returns a project. The ledger keeps its custom id, so that id has no canary. */
const project = (customId: string) => smallProject({ ...FIELDS, customId });
/** Statuses without 404, which makes Segue look for a new project again. */
const STATUSES = [301, 400, 401, 403, 405, 413, 422, 429, 503];

it('a refused create leaves nothing of its request or account in answers, log or ledger', async () => {
  const { send, answerWith, told, kept } = await started();
  for (const status of STATUSES) {
    answerWith(indiscreet(status));
    expect((await send('POST', '', project(`${status}`))).status).toBeGreaterThan(status === 413 ? 412 : 500);
  }
  expect(told()).toContain('upstream-refused');
  for (const secret of [CANARY, ...SECRETS]) {
    expect(told()).not.toContain(secret);
    expect(kept().includes(secret)).toBe(false);
  }
});

it('of an existing project, only the fields of lists are kept, and failures show nothing of it', async () => {
  const { send, answerWith, told, kept } = await started();
  let made = '';
  const whole: Play = (request: Received, response) =>
    json(200, { ...answeredTo(made), creationDateUtc: nowUtc() })(request, response);
  const creating: Play = (request, response) => {
    made = request.body;
    indiscreet(500)(request, response);
  };
  // A create whose answer repeats secrets but has no project, so Segue looks for the project.
  answerWith(byKind({ create: creating, find: whole }));
  expect((await send('POST', '', project('made'))).status).toBe(201);
  for (const status of STATUSES) {
    answerWith(indiscreet(status));
    expect((await send('GET', `/custom/made?taskId=${TASK}`)).status).toBeGreaterThanOrEqual(404);
    answerWith((request, response) =>
      (kindOf(request.method, request.url) === 'remove' ? indiscreet(status) : whole)(request, response),
    );
    expect((await send('DELETE', '/custom/made')).status).toBeGreaterThanOrEqual(404);
  }
  for (const secret of [CANARY, ...SECRETS]) expect(told()).not.toContain(secret);
  for (const secret of [`${CANARY} content`, `${CANARY} notes`, ...SECRETS])
    expect(kept().includes(secret)).toBe(false);
  expect(kept().includes(FIELDS.name)).toBe(true);
});
