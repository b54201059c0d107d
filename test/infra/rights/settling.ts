import * as z from 'zod/mini';
import { operationIdOf } from '../../../lib/service/port.ts';
import { addOpenMarker, openOperations } from '../../../lib/upstream/open-operations.ts';
import { absent, type Fate, failing, lost, swallowed } from '../../lib/upstream/hosted-upstream.ts';
import { smallProject } from '../../support/projects.ts';
import type { Behind } from './behind.ts';
import { type Doors, json, once } from './doors.ts';

/** Enough to send something, and over before it is settled what became of it. */
const SHORT_MS = 4_000;

const Created = z.object({ projectId: z.number() });

/** What happens in front of a service whose answers get lost, and what is done about it later. */
export async function settling(doors: Doors): Promise<void> {
  const { ask, create, behind, functions, table } = doors;
  await during({ create: lost }, () => create(smallProject({ customId: 'lost' })));
  const project = smallProject({ customId: 'lost task' });
  await during({ create: lost }, async () =>
    Created.parse(await functions.call('createProjectTask', { companyId: 'acme', project })),
  );
  const doomed = await create(smallProject({ taskId: 'a' }));

  await during({ create: lost, find: absent }, () => leaveOpen('made'));
  await during({ create: swallowed, find: absent }, () => leaveOpen('swallowed'));
  const removed: Fate = (reach) => {
    behind.fates = { read: failing };
    return lost(reach);
  };
  await during({ remove: removed }, () =>
    ask('deleteProject', 504, { segment: String(doomed), headers: once('doomed'), remainingMs: SHORT_MS }),
  );
  for (const key of ['made', 'swallowed', 'doomed']) await became(key, 'running');

  // a mark that outlived the end of its operation, and one that outlived its record
  const outlived = ['k', 'nobody’s'].map((key) => ({ companyId: 'acme', operationId: operationIdOf(key) }));
  await table.commit({ writes: outlived.map((operation) => addOpenMarker(operation, Date.now())) });
  z.undefined().parse(await functions.call('reconciler', {}));
  z.tuple([]).parse(await Array.fromAsync(openOperations(table)));
  await became('made', 'done');
  await became('swallowed', 'failed');
  await became('doomed', 'done');
  z.undefined().parse(await functions.call('audit', {}));

  function leaveOpen(key: string): Promise<unknown> {
    const asked = { ...json(smallProject({ customId: key })), headers: once(key) };
    return ask('createProject', 504, { ...asked, remainingMs: SHORT_MS });
  }

  async function became(key: string, status: string): Promise<void> {
    const operation = await ask('getOperation', 200, { segment: operationIdOf(key) });
    z.object({ status: z.literal(status) }).parse(operation);
  }

  async function during(fates: Behind['fates'], work: () => Promise<unknown>): Promise<void> {
    behind.fates = fates;
    await work();
    behind.fates = {};
  }
}
