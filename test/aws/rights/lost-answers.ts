import * as z from 'zod/mini';
import { operationIdOf } from '../../../lib/service/port.ts';
import { openMarkerWrite, openOperations } from '../../../lib/upstream/open-operations.ts';
import { absent, type Fate, failing, lost, swallowed } from '../../lib/upstream/world.ts';
import { smallProject } from '../../support/projects.ts';
import { type Doors, json, keyed, type Upstream } from './stack.ts';

/** A time that suffices to send a request, but not to find out its outcome. */
const SHORT_MS = 4_000;

const Created = z.object({ projectId: z.number() });

/** Causes lost answers of the upstream service, and runs the reconciler and the audit. */
export async function lostAnswers(doors: Doors): Promise<void> {
  const { ask, create, upstream, functions, table } = doors;
  await during({ create: lost }, () => create(smallProject({ customId: 'lost' })));
  const project = smallProject({ customId: 'lost task' });
  await during({ create: lost }, async () =>
    Created.parse(await functions.call('createProjectTask', { companyId: 'acme', project })),
  );
  const doomed = await create(smallProject({ taskId: 'a' }));

  // The requests run at the same time, because each takes its whole time limit.
  const isSent = Promise.withResolvers<void>();
  const lostThenSwallowed: Fate = (reach) => {
    upstream.fates.create = swallowed;
    isSent.resolve();
    return lost(reach);
  };
  const removed: Fate = (reach) => {
    upstream.fates.read = failing;
    return lost(reach);
  };
  await during({ create: lostThenSwallowed, find: absent, remove: removed }, () =>
    Promise.all([
      leaveOpen('created'),
      isSent.promise.then(() => leaveOpen('swallowed')),
      ask('deleteProject', 504, { segment: String(doomed), headers: keyed('doomed'), remainingMs: SHORT_MS }),
    ]),
  );
  for (const key of ['created', 'swallowed', 'doomed']) await became(key, 'running');

  // A marker of a finished operation, and a marker without a record.
  const outlived = ['k', 'nobody’s'].map((key) => ({ companyId: 'acme', operationId: operationIdOf(key) }));
  await table.commit({ writes: outlived.map((operation) => openMarkerWrite(operation, Date.now())) });
  z.undefined().parse(await functions.call('reconciler', {}));
  z.tuple([]).parse(await Array.fromAsync(openOperations(table)));
  await became('created', 'done');
  await became('swallowed', 'failed');
  await became('doomed', 'done');
  z.undefined().parse(await functions.call('audit', {}));

  function leaveOpen(key: string): Promise<unknown> {
    const sent = { ...json(smallProject({ customId: key })), headers: keyed(key) };
    return ask('createProject', 504, { ...sent, remainingMs: SHORT_MS });
  }

  async function became(key: string, status: string): Promise<void> {
    const operation = await ask('getOperation', 200, { segment: operationIdOf(key) });
    z.object({ status: z.literal(status) }).parse(operation);
  }

  async function during(fates: Upstream['fates'], work: () => Promise<unknown>): Promise<void> {
    upstream.fates = fates;
    await work();
    upstream.fates = {};
  }
}
