import { randomUUID } from 'node:crypto';
import type { AuthDeps } from '../../lib/credentials/authenticate.ts';
import { cachedSecret, type ReadSecret } from '../../lib/credentials/cached-secret.ts';
import { requireActiveCompany } from '../../lib/credentials/company-record.ts';
import { keyGuard, storedKeys } from '../../lib/credentials/key-directory.ts';
import { cachedSigningKeys, parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { authorizer } from '../../lib/http/authorizer.ts';
import type { HttpHandler as OperationHandler } from '../../lib/http/operation.ts';
import { createProject } from '../../lib/http/operations/create-project.ts';
import { deleteProject, deleteProjectByCustomId } from '../../lib/http/operations/delete-project.ts';
import { getDescription } from '../../lib/http/operations/get-description.ts';
import { getOperation } from '../../lib/http/operations/get-operation.ts';
import { getProblemType } from '../../lib/http/operations/get-problem-type.ts';
import { getProject, getProjectByCustomId } from '../../lib/http/operations/get-project.ts';
import { getReference } from '../../lib/http/operations/get-reference.ts';
import { health } from '../../lib/http/operations/health.ts';
import { listLanguages } from '../../lib/http/operations/list-languages.ts';
import { listProjects } from '../../lib/http/operations/list-projects.ts';
import { obtainToken } from '../../lib/http/operations/obtain-token.ts';
import { refreshToken } from '../../lib/http/operations/refresh-token.ts';
import type { ItemStore, Storage } from '../../lib/storage/port.ts';
import { inboxOn } from '../../lib/webhooks/deliveries.ts';
import { receiveWebhook } from '../../lib/webhooks/receive.ts';
import { sourcesIn } from '../../lib/webhooks/sources.ts';
import { createGateway, type Gateway } from '../../local/gateway.ts';
import type { HttpHandler } from '../../local/pipeline.ts';
import { contextOf } from '../lib/http/fixture.ts';

/** What the local gateway calls: it gives a function less than the types of Lambda say. */
const called =
  (handler: OperationHandler): HttpHandler =>
  (event, context) =>
    handler(event, contextOf(context.getRemainingTimeInMillis()));

export interface AuthenticationHere {
  readonly store: ItemStore;
  /** The keys that sign tokens. */
  readonly secret: ReadSecret;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Company keys in a store, and signing keys in a secret. */
export function authenticationHere({ store, secret, now }: AuthenticationHere): AuthDeps {
  const signingKeys = cachedSigningKeys(cachedSecret(secret, parseSigningKeys, { now }));
  return { keys: storedKeys(store), store, signingKeys, now, newId: randomUUID };
}

export interface GatewayHere {
  readonly store: Storage;
  readonly authentication: AuthDeps;
}

/** A gateway in front of the hosted service as `npm start` has it, in this process. */
export function gatewayHere({ store, authentication }: GatewayHere): Gateway {
  const { now } = authentication;
  const service = hostedService({
    storage: store,
    now,
    random: Math.random,
    guard: keyGuard(authentication.keys),
  });
  const log = () => {};
  const options = { now, log };
  return createGateway({
    now,
    authorizer: authorizer(authentication, log),
    handlers: {
      createProject: called(createProject(service, options)),
      listProjects: called(listProjects(service, options)),
      getProject: called(getProject(service, options)),
      getProjectByCustomId: called(getProjectByCustomId(service, options)),
      deleteProject: called(deleteProject(service, options)),
      deleteProjectByCustomId: called(deleteProjectByCustomId(service, options)),
      listLanguages: called(listLanguages(options)),
      obtainToken: called(obtainToken(authentication, options)),
      refreshToken: called(refreshToken(authentication, options)),
      receiveWebhook: called(
        receiveWebhook(
          {
            sources: sourcesIn(store),
            secretsOf: async () => [],
            requireCompany: requireActiveCompany(() => store),
            inbox: inboxOn(store, { now }),
          },
          options,
        ),
      ),
      health: called(health(options)),
      getProblemType: called(getProblemType(options)),
      getOperation: called(getOperation(service, options)),
      getDescription: called(getDescription(options)),
      getReference: called(getReference(options)),
    },
  });
}
