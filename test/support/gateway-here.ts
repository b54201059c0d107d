import { randomUUID } from 'node:crypto';
import { cachedSecret, type ReadSecret } from '../../lib/credentials/cached-secret.ts';
import { findCompany } from '../../lib/credentials/company-record.ts';
import { keyGuard, storedKeys } from '../../lib/credentials/key-directory.ts';
import { lastUseIn } from '../../lib/credentials/last-use.ts';
import { cachedSigningKeys, parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { authorizer } from '../../lib/http/authorizer.ts';
import { httpFunction } from '../../lib/http/http-function.ts';
import type { HttpHandler as LambdaHandler } from '../../lib/http/operation.ts';
import { health } from '../../lib/operations/health.ts';
import { listLanguages } from '../../lib/operations/list-languages.ts';
import { changeProjects, changeTranslations, readProjects, tokens } from '../../lib/operations/routes.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { createGateway, type Gateway } from '../../local/gateway.ts';
import type { HttpHandler } from '../../local/pipeline.ts';
import { contextOf } from '../lib/http/fixture.ts';
import { forEachOperation } from './routes.ts';

/** Adapts a function to the local gateway, whose context has fewer members than Lambda's. */
const called =
  (handler: LambdaHandler): HttpHandler =>
  (event, context) =>
    handler(event, contextOf(context.getRemainingTimeInMillis()));

interface GatewayHere {
  readonly store: Storage;
  /** Reads the signing keys. */
  readonly secret: ReadSecret;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** The service; by default the hosted one. */
  readonly service?: ProjectService;
}

/**
 * Returns a gateway in front of a service as `npm start` has it, but in this process and with its own clock. It
 * serves only projects, translations, languages, tokens and health.
 */
export function gatewayHere({ store, secret, now, service = hostedHere(store, now) }: GatewayHere): Gateway {
  const signingKeys = cachedSigningKeys(cachedSecret(secret, parseSigningKeys, { now }));
  const authentication = { keys: storedKeys(store), store, signingKeys, now, newId: randomUUID };
  const log = () => {};
  const options = { now, log };
  return createGateway({
    now,
    authorizer: authorizer(authentication, { recordUse: lastUseIn(store, now), log }),
    handlers: forEachOperation(() =>
      called(
        httpFunction([
          ...[...changeProjects, ...readProjects, ...changeTranslations].map((operation) =>
            operation(service, options),
          ),
          health(options),
          listLanguages(options),
          ...tokens.map((operation) => operation(authentication, options)),
        ]),
      ),
    ),
  });
}

function hostedHere(store: Storage, now: () => number): ProjectService {
  const guard = keyGuard(() => storedKeys(store), now);
  const limitsOf = async (companyId: string) => (await findCompany(store, companyId))?.record.limits;
  return hostedService({ storage: store, now, random: Math.random, newEventId: randomUUID, guard, limitsOf });
}
