import { Problem } from '../../../lib/contract/problem.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { accountOf, readUpstreamCredentials } from '../../../lib/upstream/accounts.ts';
import { upstreamClient } from '../../../lib/upstream/client.ts';
import { upstreamService } from '../../../lib/upstream/service.ts';
import type { Subject } from './world.ts';

/** The hosted service on a store of its own, which is right without anything behind it. */
export const HOSTED: Subject = {
  isItself: true,
  make: ({ storage, now, random }) => ({
    ...hostedService({ storage, now, random }),
    reconcile: async () => undefined,
  }),
};

/** Segue in front of the service: two companies on one account, and one on its own, which is shown by tokens. */
export const UPSTREAM: Subject = {
  make({ storage, transport, secret, now, sleep, random, newId, propagationMs }) {
    const credentials = cachedSecret(secret, readUpstreamCredentials, { now });
    const service = upstreamService({
      client: upstreamClient({ transport, credentials, now, sleep, timer: sleep, random }),
      isOwnAccount: async (companyId) => accountOf(await credentials.read(), companyId).isOwn,
      storage,
      now,
      sleep,
      newId,
      propagationMs,
    });
    return { ...service, reconcile: () => service.reconcile(() => true) };
  },
};

/** The hosted service with one method that does something else. */
function withMethods(change: (right: ProjectService) => Partial<ProjectService>): Subject {
  return {
    ...HOSTED,
    make: (surroundings) => {
      const right = HOSTED.make(surroundings);
      return { ...right, ...change(right) };
    },
  };
}

const NOTHING_REMOVED = { targetLanguages: 0, segments: 0, tasks: 0 };

/** Services that are wrong in one way each, with what must be found of it. */
export const WRONG: Readonly<Record<string, { readonly subject: Subject; readonly found: RegExp }>> = {
  'forgets keys': {
    subject: withMethods(({ create }) => ({
      create: (project, call) => create(project, { ...call, idempotency: undefined }),
    })),
    found: /was made \d times/,
  },
  'makes a project with each content that a key comes with': {
    subject: withMethods(({ create }) => ({
      create: (project, call) =>
        create(project, {
          ...call,
          idempotency: call.idempotency && { ...call.idempotency, key: call.idempotency.key + project.name },
        }),
    })),
    found: /two projects were made with the key/,
  },
  'says of what it made that it was not made': {
    subject: withMethods(({ create }) => ({
      create: async (project, call) => {
        await create(project, call);
        throw new Problem('upstream-unavailable', { detail: 'A planted lie.' });
      },
    })),
    found: /nobody was told but that it was not/,
  },
  'says of what it did not make that it was made': {
    subject: withMethods(({ create, list, get }) => ({
      create: async (project, call) => {
        const [newest] = (await list({ limit: 1 }, call)).projects;
        return newest ? get({ id: newest.id }, undefined, call) : create(project, call);
      },
    })),
    found: /is said to be made, and is not/,
  },
  'deletes the whole for a task': {
    subject: withMethods(({ delete: remove }) => ({
      delete: (ref, scope, call) =>
        remove(ref, { kind: 'project' }, call).then((receipt) => ({ ...receipt, scope: scope.kind })),
    })),
    found: /the whole of project \d+ of .* is gone, unasked/,
  },
  'deletes what it says it did not': {
    subject: withMethods(({ delete: remove }) => ({
      delete: async (ref, scope, call) => {
        await remove(ref, scope, call);
        throw new Problem('project-not-found', { detail: 'A planted lie.' });
      },
    })),
    found: /is gone, unasked/,
  },
  'says of what can be read that it is deleted': {
    subject: withMethods(({ list }) => ({
      delete: async (_, scope, call): Promise<Receipt> => {
        const [{ id = 0, customId = null } = {}] = (await list({ limit: 1 }, call)).projects;
        const taskId = scope.kind === 'task' ? scope.taskId : null;
        const what = { scope: scope.kind, projectId: id, customId, taskId, removed: NOTHING_REMOVED };
        const { requestedBy } = call;
        return { ...what, requestedBy, outcome: 'deleted', deletedAtUtc: '2026-11-20T09:30:00.000Z' };
      },
    })),
    found: /is said to be deleted, and can be read/,
  },
  'shows a company what is another’s': {
    subject: withMethods(({ get }) => ({
      get: (ref, taskId, call) => {
        const own = get(ref, taskId, call);
        return own.catch(() => get(ref, taskId, { ...call, companyId: 'two' })).catch(() => own);
      },
    })),
    found: /is not the company's/,
  },
  'says of what is there that it is not': {
    subject: withMethods(() => ({
      get: async () => {
        throw new Problem('project-not-found', { detail: 'A planted lie.' });
      },
    })),
    found: /is said not to be there, and is/,
  },
  'says of every operation that it failed': {
    subject: withMethods(() => ({
      operation: async () => ({
        kind: 'failed',
        problem: new Problem('unavailable', { detail: 'A planted lie.', retryAfterSeconds: 1 }),
      }),
    })),
    found: /is said to have failed, and has not/,
  },
  'never answers': {
    subject: withMethods(() => ({ list: () => new Promise(() => {}) })),
    found: /never ended/,
  },
};
