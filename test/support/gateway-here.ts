import { randomUUID } from 'node:crypto';
import { cachedSecret, type ReadSecret } from '../../lib/credentials/cached-secret.ts';
import { keyGuard, storedKeys } from '../../lib/credentials/key-directory.ts';
import { lastUseIn } from '../../lib/credentials/last-use.ts';
import { cachedSigningKeys, parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { authorizer } from '../../lib/http/authorizer.ts';
import type { HttpHandler as OperationHandler } from '../../lib/http/operation.ts';
import { createProject } from '../../lib/http/operations/create-project.ts';
import { deleteProject, deleteProjectByCustomId } from '../../lib/http/operations/delete-project.ts';
import { getProgress, getProgressByCustomId } from '../../lib/http/operations/get-progress.ts';
import { getProject, getProjectByCustomId } from '../../lib/http/operations/get-project.ts';
import { getSegments, getSegmentsByCustomId } from '../../lib/http/operations/get-segments.ts';
import { health } from '../../lib/http/operations/health.ts';
import { listLanguages } from '../../lib/http/operations/list-languages.ts';
import { listProjects } from '../../lib/http/operations/list-projects.ts';
import { obtainOAuthToken } from '../../lib/http/operations/obtain-oauth-token.ts';
import { obtainToken } from '../../lib/http/operations/obtain-token.ts';
import { planDeletion, planDeletionByCustomId } from '../../lib/http/operations/plan-deletion.ts';
import { refreshToken } from '../../lib/http/operations/refresh-token.ts';
import { writeTranslations, writeTranslationsByCustomId } from '../../lib/http/operations/write-translations.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { createGateway, type Gateway } from '../../local/gateway.ts';
import type { HttpHandler } from '../../local/pipeline.ts';
import { contextOf } from '../lib/http/fixture.ts';

/** Adapts a function to the local gateway, whose context has fewer members than Lambda's. */
const called =
  (handler: OperationHandler): HttpHandler =>
  (event, context) =>
    handler(event, contextOf(context.getRemainingTimeInMillis()));

const unused: HttpHandler = () =>
  Promise.reject(new Error('This gateway serves only projects, languages, tokens and health'));

interface GatewayHere {
  readonly store: Storage;
  /** Reads the signing keys. */
  readonly secret: ReadSecret;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Returns a gateway in front of the hosted service as `npm start` has it, but in this process and with its own clock.
 */
export function gatewayHere({ store, secret, now }: GatewayHere): Gateway {
  const signingKeys = cachedSigningKeys(cachedSecret(secret, parseSigningKeys, { now }));
  const authentication = { keys: storedKeys(store), store, signingKeys, now, newId: randomUUID };
  const guard = keyGuard(() => authentication.keys, now);
  const service = hostedService({ storage: store, now, random: Math.random, newEventId: randomUUID, guard });
  const log = () => {};
  const options = { now, log };
  return createGateway({
    now,
    authorizer: authorizer(authentication, { recordUse: lastUseIn(store, now), log }),
    handlers: {
      createProject: called(createProject(service, options)),
      listProjects: called(listProjects(service, options)),
      getProject: called(getProject(service, options)),
      getProjectByCustomId: called(getProjectByCustomId(service, options)),
      getSegments: called(getSegments(service, options)),
      getSegmentsByCustomId: called(getSegmentsByCustomId(service, options)),
      getProgress: called(getProgress(service, options)),
      getProgressByCustomId: called(getProgressByCustomId(service, options)),
      planDeletion: called(planDeletion(service, options)),
      planDeletionByCustomId: called(planDeletionByCustomId(service, options)),
      deleteProject: called(deleteProject(service, options)),
      deleteProjectByCustomId: called(deleteProjectByCustomId(service, options)),
      health: called(health(options)),
      listLanguages: called(listLanguages(options)),
      obtainToken: called(obtainToken(authentication, options)),
      refreshToken: called(refreshToken(authentication, options)),
      obtainOAuthToken: called(obtainOAuthToken(authentication, options)),
      writeTranslations: called(writeTranslations(service, options)),
      writeTranslationsByCustomId: called(writeTranslationsByCustomId(service, options)),
      ...{ changeLanguage: unused, changeLanguageByCustomId: unused },
      ...{
        getOperation: unused,
        listEvents: unused,
        createEventSecret: unused,
        receiveWebhook: unused,
      },
      ...{ listProblemTypes: unused, getProblemType: unused, getDescription: unused },
      ...{ getReference: unused, getReferenceFile: unused, getSecurityText: unused },
    },
  });
}
