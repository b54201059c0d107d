import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { type HttpAnswer, send } from '../support/http.ts';
import { smallProject } from '../support/projects.ts';
import { addCompany, printedKey, segue } from '../support/segue.ts';

/** How long after its revocation a key may still be accepted, in milliseconds. */
const LIMITS_MS = { delete: 0, read: 60_000, create: 60_000 } as const;
type Use = keyof typeof LIMITS_MS;
const USES = ['delete', 'read', 'create'] as const satisfies readonly Use[];

const PROJECTS = '/segments/projects';
/** Between two requests of a kind. */
const PAUSE_MS = 20;

const Created = z.object({ id: z.int() });
const Pair = z.object({ AccessToken: z.string() });

/**
 * Uses a key without a pause, by itself and by its token, revokes it with the command line, and goes on until every kind
 * of request is refused, as often as `times` says.
 * @returns how long after the revocation the last request of each kind was accepted. @throws if one took too long
 */
export async function checkRevocation(times: number): Promise<object> {
  const figures: Record<string, string> = {};
  for (let time = 1; time <= times; time++) await revokeOnce(figures);
  return figures;
}

async function revokeOnce(figures: Record<string, string>): Promise<void> {
  const gateway = await startGateway();
  try {
    const key = await addCompany(gateway.dataDir, 'acme');
    // What the deletions are to delete is made by another key, which stays.
    const other = printedKey('acme', await segue(gateway.dataDir, 'company', 'rotate', 'acme'));
    const obtained = await ask(gateway, key.authorization, 'POST', '/authentication/token');
    const schemes = {
      Basic: key.authorization,
      token: `Bearer ${Pair.parse(JSON.parse(obtained.text)).AccessToken}`,
    };
    const lanes = Object.entries(schemes).flatMap(([scheme, authorization]) =>
      USES.map((use) => useUntilRefused(gateway, use, scheme, authorization, other.authorization)),
    );
    const ended = Promise.all(lanes.map((lane) => lane.lastLetInMs));
    await Promise.race([Promise.all(lanes.map((lane) => lane.inUse)), ended]);
    assert.equal((await segue(gateway.dataDir, 'company', 'revoke', key.keyId)).code, 0);
    const revokedMs = performance.now();
    const lastMs = await ended;
    for (const [index, { what, limitMs }] of lanes.entries()) {
      const afterMs = Math.max(0, Math.round((lastMs[index] ?? 0) - revokedMs));
      assert(afterMs <= limitMs, `${what} was accepted for ${afterMs} ms, the limit is ${limitMs} ms`);
      figures[what] = `refused after ${afterMs} ms`;
    }
  } finally {
    await gateway.stop();
  }
}

/** Sends requests of a kind, one after the other, until one is refused. */
function useUntilRefused(gateway: StartedGateway, use: Use, scheme: string, authorization: string, other: string) {
  const what = `${use} by ${scheme}`;
  const { promise: inUse, resolve } = Promise.withResolvers<void>();
  async function run(): Promise<number> {
    for (let lastMs = 0; ; await setTimeout(PAUSE_MS)) {
      const request = await requestOf(use, gateway, other);
      const sentMs = performance.now();
      const { status } = await request(authorization);
      if (status === 401) return lastMs;
      assert(status < 300, `${what} came to ${status}`);
      lastMs = sentMs;
      resolve();
    }
  }
  return { what, limitMs: LIMITS_MS[use], inUse, lastLetInMs: run() };
}

/** A request of a kind that would succeed, to be sent with some credentials. */
async function requestOf(use: Use, gateway: StartedGateway, other: string) {
  if (use === 'read') return (authorization: string) => ask(gateway, authorization, 'GET', PROJECTS);
  const create = (authorization: string) => ask(gateway, authorization, 'POST', PROJECTS, smallProject());
  if (use === 'create') return create;
  const { id } = Created.parse(JSON.parse((await create(other)).text));
  return (authorization: string) => ask(gateway, authorization, 'DELETE', `${PROJECTS}/${id}`);
}

function ask(
  { url }: StartedGateway,
  authorization: string,
  method: string,
  path: string,
  json?: unknown,
): Promise<HttpAnswer> {
  const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
  return send(url, { method, path, headers, ...(json !== undefined && { body: JSON.stringify(json) }) });
}
