import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { CreateSecretCommand, PutSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { addCompany, type PartnerKey, printedKey, segueHere } from '../../support/segue.ts';
import type { Caller } from '../asking.ts';

/** A server in front of a service. The service itself may accept a revoked key for another 30 seconds. */
interface Guard {
  readonly url: string;
  /** Returns the number of refused requests. */
  refusals(): number;
  /** Answers every request with this `Authorization` header with 401 from now on. Other requests are passed on. */
  refuse(authorization: string): void;
  stop(): Promise<void>;
}

async function startGuard(service: string): Promise<Guard> {
  const refused = new Set<string>();
  let refusals = 0;
  const server = createServer((received, response) => {
    if (!refused.has(received.headers.authorization ?? '')) return passOn(service, received, response);
    refusals += 1;
    received.resume().once('end', () => response.writeHead(401).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    refusals: () => refusals,
    refuse: (authorization) => void refused.add(authorization),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Uses a new connection: a kept connection may be closed at the moment of its next use. */
function passOn(service: string, received: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = received;
  const forwarded = request(service, { agent: false, method, path: url, headers: { ...headers, connection: 'close' } });
  forwarded.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)));
  forwarded.on('error', () => response.destroy());
  received.pipe(forwarded);
}

const ACCOUNT = 'segue';

/** Segue in front of Segue, with functions that rotate the keys of both. */
interface Upstream {
  /** A company of the gateway in front. */
  readonly company: Caller;
  /** Creates a key at the upstream service, writes it to the secret, and has the previous key refused at once. */
  rotateAccount(): Promise<void>;
  /** Rotates the signing keys of the gateway in front. */
  rotateSigningKeys(): Promise<void>;
  /** Returns the number of requests that the upstream service refused. */
  refusals(): number;
  stop(): Promise<void>;
}

/**
 * Starts two gateways as `npm start` does. The one in front has its account in Secrets Manager.
 * @param aws the environment variables with which it finds Secrets Manager
 */
export async function startUpstream(
  client: SecretsManagerClient,
  aws: Readonly<Record<string, string>>,
): Promise<Upstream> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  const started = async <T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> => {
    const one = await starting;
    stops.push(() => one.stop());
    return one;
  };
  try {
    const service = await started(startGateway());
    const guard = await started(startGuard(service.url));
    let account = await addCompany(service.dataDir, ACCOUNT);
    const secret = `segue/${randomUUID()}`;
    await client.send(new CreateSecretCommand({ Name: secret, SecretString: textOf(account) }));
    const upstream = { url: guard.url, companyId: '', apiKey: '' };
    const front = await started(startGateway({ upstream, env: { ...aws, SEGUE_UPSTREAM_SECRET: secret } }));
    return {
      company: { url: front.url, ...(await addCompany(front.dataDir, 'partner')) },
      async rotateAccount() {
        const old = account;
        account = printedKey(ACCOUNT, await segueHere(service.dataDir, 'company', 'rotate', ACCOUNT));
        await client.send(new PutSecretValueCommand({ SecretId: secret, SecretString: textOf(account) }));
        guard.refuse(old.authorization);
        await done(service, 'company', 'revoke', old.keyId);
      },
      rotateSigningKeys: () => done(front, 'signing-keys', 'rotate'),
      refusals: guard.refusals,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function textOf({ companyId, apiKey }: PartnerKey): string {
  return JSON.stringify({ companyId, apiKey });
}

async function done({ dataDir }: StartedGateway, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await segueHere(dataDir, ...args);
  assert.equal(code, 0, stderr);
}
