import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { keyGuard } from '../../functions/compose/key-guard.ts';
import type { Authentication } from '../../lib/credentials/authentication.ts';
import { keysInTable } from '../../lib/credentials/keys.ts';
import { cachedSecret } from '../../lib/credentials/secrets.ts';
import { readSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { signingKeysInFolder } from '../../lib/credentials/signing-keys-file.ts';
import { authorizer } from '../../lib/doors/http/authorizer.ts';
import type { HttpHandler as OperationHandler } from '../../lib/doors/http/operation.ts';
import { createProject } from '../../lib/doors/http/operations/create-project.ts';
import { deleteProject, deleteProjectByCustomId } from '../../lib/doors/http/operations/delete-project.ts';
import { getDescription } from '../../lib/doors/http/operations/get-description.ts';
import { getOperation } from '../../lib/doors/http/operations/get-operation.ts';
import { getProblemType } from '../../lib/doors/http/operations/get-problem-type.ts';
import { getProject, getProjectByCustomId } from '../../lib/doors/http/operations/get-project.ts';
import { getReference } from '../../lib/doors/http/operations/get-reference.ts';
import { health } from '../../lib/doors/http/operations/health.ts';
import { listLanguages } from '../../lib/doors/http/operations/list-languages.ts';
import { listProjects } from '../../lib/doors/http/operations/list-projects.ts';
import { obtainToken } from '../../lib/doors/http/operations/obtain-token.ts';
import { refreshToken } from '../../lib/doors/http/operations/refresh-token.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { createGateway } from '../../local/gateway.ts';
import type { HttpHandler } from '../../local/pipeline.ts';
import { contextOf } from '../lib/doors/http/fixture.ts';
import { openSqlite } from '../lib/storage/folder.ts';

/** What the local gateway calls: it gives a function less than the types of Lambda say. */
const called =
  (handler: OperationHandler): HttpHandler =>
  (event, context) =>
    handler(event, contextOf(context.getRemainingTimeInMillis()));

/** A gateway on a data folder as `npm start` has it, in this process and with a clock that is moved by hand. */
export async function openGateway(folder: string) {
  const clock = { nowMs: Date.now() };
  const now = () => clock.nowMs;
  const store = openSqlite(folder);
  const keys = keysInTable(store);
  const signingKeys = cachedSecret(signingKeysInFolder(folder), readSigningKeys, { now });
  const authentication: Authentication = {
    keys,
    store,
    signingKeys: () => signingKeys.read(),
    now,
    newId: randomUUID,
  };
  const service = hostedService({
    storage: store,
    now,
    random: Math.random,
    guard: keyGuard(keys),
  });
  const log = () => {};
  const options = { now, log };
  const gateway = createGateway({
    now,
    authorizer: authorizer(authentication, log),
    handlers: {
      createProject: called(createProject(service, options)),
      listProjects: called(listProjects(service, options)),
      getProject: called(getProject(service, options)),
      getProjectByCustomId: called(getProjectByCustomId(service, options)),
      deleteProject: called(deleteProject(service, options)),
      deleteProjectByCustomId: called(deleteProjectByCustomId(service, options)),
      getOperation: called(getOperation(service, options)),
      listLanguages: called(listLanguages(options)),
      obtainToken: called(obtainToken(authentication, options)),
      refreshToken: called(refreshToken(authentication, options)),
      health: called(health(options)),
      getProblemType: called(getProblemType(options)),
      getDescription: called(getDescription(options)),
      getReference: called(getReference(options)),
    },
  });
  const port = await gateway.listen(0);
  onTestFinished(() => gateway.close());
  return { clock, url: `http://127.0.0.1:${port}` };
}
