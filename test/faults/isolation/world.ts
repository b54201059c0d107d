import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, vi } from 'vitest';
import * as z from 'zod/mini';
import { startGateway } from '../../support/gateway.ts';
import { type HttpAnswer, type HttpRequest, send } from '../../support/http.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';

export const PROJECTS = '/segments/projects';
const Made = z.object({ id: z.int() });

/** A request by a company. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: HttpRequest['headers'];
  readonly json?: unknown;
}

/** Starts a gateway, and opens its store as any program with access to the file can. */
export async function startWorld() {
  const gateway = await startGateway();
  const database = new DatabaseSync(join(gateway.dataDir, 'segue.db'), { readOnly: true });
  afterAll(async () => {
    database.close();
    await gateway.stop();
  });

  const ask = (authorization: string | undefined, { method, path, headers, json }: Asked): Promise<HttpAnswer> =>
    send(gateway.url, {
      method,
      path,
      headers: {
        ...(authorization !== undefined && { Authorization: authorization }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });

  /** Creates a project, and returns its id. */
  async function create(authorization: string, json: unknown, headers?: HttpRequest['headers']): Promise<number> {
    const { text } = await ask(authorization, { method: 'POST', path: PROJECTS, json, ...(headers && { headers }) });
    return Made.parse(JSON.parse(text)).id;
  }

  return {
    dataDir: gateway.dataDir,
    ask,
    create,
    /** Waits until all jobs are done, and all events are in the feed. */
    whenIdle: () =>
      vi.waitFor(() => {
        const open = "SELECT sort FROM items WHERE partition LIKE 'jobs/%' OR sort LIKE 'outbox/%'";
        expect(database.prepare(open).all()).toEqual([]);
      }, MUCH_WORK_MS),
    /** Returns everything that the store holds about a company, except data that the sweeper removes. */
    kept: (companyId: string) => [
      database
        .prepare('SELECT * FROM items WHERE partition IN (?, ?) ORDER BY sort')
        .all(`company/${companyId}`, `company/${companyId}/events`),
      database
        .prepare(
          `SELECT id, hex(bytes) FROM payloads
           WHERE id LIKE ? AND NOT EXISTS (SELECT 1 FROM dropped WHERE dropped.id = payloads.id) ORDER BY id`,
        )
        .all(`company/${companyId}/%`),
    ],
  };
}

/** Returns an answer byte for byte, without the request id and the time. */
export function bytesOf({ status, headers, text }: HttpAnswer): unknown {
  const { 'x-request-id': requestId = '', date: _, ...rest } = headers;
  return { status, headers: rest, text: text.replace(String(requestId), '<request id>') };
}
