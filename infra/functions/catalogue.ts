import { CANARY_MINUTES } from '../../lib/contract/canary.ts';
import { GATEWAY_LIMITS } from '../../lib/contract/limits.ts';
import { SWITCHES } from '../../lib/contract/switches.ts';
import type { FunctionAccess, FunctionOption, FunctionSpec, QueueSpec, ServiceName } from './function-spec.ts';

const HTTP_SECONDS = GATEWAY_LIMITS.timeoutMs / 1_000;

const READ_HOSTED: FunctionAccess = {
  // To read an operation, the function ends the lease of an abandoned attempt before it reports a failure.
  table: ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem'],
  payloads: 'read',
};
const READ_UPSTREAM: FunctionAccess = { table: ['GetItem', 'Query'], upstreamSecret: true };

const CREATE_HOSTED: FunctionAccess = {
  table: ['GetItem', 'BatchGetItem', 'UpdateItem', 'PutItem', 'DeleteItem'],
  payloads: 'write',
  settings: ['startToleranceSeconds', 'recoveryDays'],
};
const CREATE_UPSTREAM: FunctionAccess = {
  table: ['GetItem', 'UpdateItem', 'DeleteItem'],
  upstreamSecret: true,
  settings: ['startToleranceSeconds'],
};
// A deletion's transaction checks that the API key or the company is still active. A deletion of a task counts the
// translations that are left.
const CHANGE_HOSTED: FunctionAccess = {
  ...CREATE_HOSTED,
  credentials: ['checkGuards'],
  table: ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem', 'PutItem', 'DeleteItem'],
};
const CHANGE_UPSTREAM: FunctionAccess = { ...CREATE_UPSTREAM, credentials: ['checkGuards'] };
// The transaction of a put that changes nothing checks that the project, or its revision, is still the same.
const PUT_HOSTED: FunctionAccess = {
  ...CHANGE_HOSTED,
  table: ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
};
const PUT_UPSTREAM: FunctionAccess = {
  ...CHANGE_UPSTREAM,
  table: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
};

/** The access of a function without an API key, which reads whether its company may delete. */
const FOR_COMPANY = ['readCompany', 'checkGuards'] as const;

// A move of events changes the feed in the table.
const MOVE_EVENTS: FunctionAccess = { table: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'] };
// With the hosted service, it also opens deliveries to the receivers of projects.
const OPEN_DELIVERIES: FunctionAccess = { deliveriesTable: ['UpdateItem'] };

// With the option, it opens deliveries to destinations too.
const OPEN_RESULTS: FunctionAccess['with'] = { destinations: { settings: ['destinations'] } };

function both(access: FunctionAccess): Record<ServiceName, FunctionAccess> {
  return { hosted: access, upstream: access };
}

/** The queue trigger of the function `jobs`. */
export const JOBS_QUEUE: QueueSpec = { maxConcurrency: 20, maxDeliveries: 5 };

/** Checks descriptions, and keeps only their names in the type, which is part of the package's declarations. */
function named<Name extends string>(functions: Readonly<Record<Name, FunctionSpec>>) {
  return functions;
}

/** Every function that a gateway can have, by name. `access` lists the services for which it is deployed. */
export const FUNCTIONS = named({
  changeProjects: {
    entry: 'functions/changeProjects.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: { hosted: { ...PUT_HOSTED, translation: 'languages' }, upstream: PUT_UPSTREAM },
    log: 'Http',
  },
  changeTranslations: {
    entry: 'functions/changeTranslations.ts',
    timeoutSeconds: HTTP_SECONDS,
    // In front of an upstream service, the operations are not supported: the function calls nothing.
    access: {
      hosted: {
        table: ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
        payloads: 'write',
      },
      upstream: {},
    },
    log: 'Http',
  },
  readProjects: {
    entry: 'functions/readProjects.ts',
    timeoutSeconds: HTTP_SECONDS,
    // The limits of a day are in the record of the company.
    access: {
      hosted: { ...READ_HOSTED, credentials: ['readCompany'], settings: ['translationCharactersPerDay'] },
      upstream: { ...READ_UPSTREAM, credentials: ['readCompany'] },
    },
    log: 'Http',
  },
  events: {
    entry: 'functions/events.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: {
      hosted: { ...MOVE_EVENTS, ...OPEN_DELIVERIES, eventSecrets: 'write', with: OPEN_RESULTS },
      upstream: { ...MOVE_EVENTS, eventSecrets: 'write' },
    },
    log: 'Http',
    option: 'events',
  },
  tokens: {
    entry: 'functions/tokens.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: both({
      credentials: ['issueTokens'],
      signingSecret: 'read',
      settings: ['rate'],
    }),
    log: 'Http',
  },
  receiveWebhook: {
    entry: 'functions/receiveWebhook.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: both({
      table: ['GetItem'],
      credentials: ['readCompany'],
      deliveriesTable: ['GetItem', 'UpdateItem'],
      webhookSecrets: true,
    }),
    log: 'Http',
    option: 'webhooks',
  },
  pages: {
    entry: 'functions/pages.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: both({ settings: ['securityContact', 'switchedOff'] }),
    log: 'Http',
  },
  console: {
    entry: 'functions/console.ts',
    timeoutSeconds: HTTP_SECONDS,
    access: both({}),
    log: 'Http',
    option: 'console',
  },
  agents: {
    entry: 'functions/agents.ts',
    timeoutSeconds: HTTP_SECONDS,
    // A message of an agent may be a request to any operation of changeProjects, changeTranslations and readProjects.
    access: {
      hosted: {
        ...PUT_HOSTED,
        credentials: FOR_COMPANY,
        settings: ['startToleranceSeconds', 'recoveryDays', 'translationCharactersPerDay'],
        translation: 'languages',
      },
      upstream: { ...PUT_UPSTREAM, credentials: FOR_COMPANY },
    },
    log: 'Http',
    option: 'agents',
  },
  authorizer: {
    entry: 'functions/authorizer.ts',
    timeoutSeconds: 10,
    access: both({ credentials: ['authenticate'], signingSecret: 'read' }),
    log: 'Http',
  },
  createProjectTask: {
    entry: 'functions/tasks/createProject.ts',
    timeoutSeconds: 60,
    access: {
      hosted: { ...CREATE_HOSTED, credentials: ['readCompany'], projectsFrom: true },
      upstream: { ...CREATE_UPSTREAM, credentials: ['readCompany'], projectsFrom: true },
    },
    log: 'Tasks',
  },
  putProjectTask: {
    entry: 'functions/tasks/putProject.ts',
    timeoutSeconds: 60,
    access: {
      hosted: { ...PUT_HOSTED, credentials: FOR_COMPANY, projectsFrom: true },
      upstream: { ...PUT_UPSTREAM, credentials: ['readCompany'], projectsFrom: true },
    },
    log: 'Tasks',
  },
  deleteProjectTask: {
    entry: 'functions/tasks/deleteProject.ts',
    timeoutSeconds: 60,
    access: {
      hosted: { ...CHANGE_HOSTED, credentials: FOR_COMPANY, settings: ['recoveryDays'] },
      upstream: { ...CHANGE_UPSTREAM, credentials: FOR_COMPANY, settings: [] },
    },
    log: 'Tasks',
  },
  getProgressTask: {
    entry: 'functions/tasks/getProgress.ts',
    timeoutSeconds: 60,
    access: {
      hosted: { ...READ_HOSTED, table: ['GetItem', 'BatchGetItem', 'Query'], credentials: ['readCompany'] },
      upstream: { ...READ_UPSTREAM, table: ['GetItem'], credentials: ['readCompany'] },
    },
    log: 'Tasks',
  },
  waitForProjectTask: {
    entry: 'functions/tasks/waitForProject.ts',
    timeoutSeconds: 60,
    access: {
      hosted: {
        ...READ_HOSTED,
        table: ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem'],
        credentials: ['readCompany'],
      },
      upstream: { ...READ_UPSTREAM, table: ['GetItem', 'Query', 'UpdateItem'], credentials: ['readCompany'] },
    },
    log: 'Tasks',
    option: 'waits',
  },
  prepareBulk: {
    entry: 'functions/tasks/prepareBulk.ts',
    // The function reads the whole manifest.
    timeoutSeconds: 900,
    access: both({ credentials: ['readCompany'], manifests: 'writeIndex' }),
    log: 'Tasks',
    option: 'bulk',
  },
  bulkLine: {
    entry: 'functions/tasks/bulkLine.ts',
    timeoutSeconds: 60,
    access: {
      hosted: { ...PUT_HOSTED, credentials: FOR_COMPANY, manifests: 'read' },
      upstream: { ...PUT_UPSTREAM, credentials: FOR_COMPANY, manifests: 'read' },
    },
    log: 'Tasks',
    option: 'bulk',
  },
  sweeper: {
    entry: 'functions/background/sweeper.ts',
    // The function must end before its next run starts.
    timeoutSeconds: 240,
    access: { hosted: { table: ['Query', 'GetItem', 'UpdateItem', 'DeleteItem'], payloads: 'sweep' } },
    log: 'Background',
    stream: { table: 'table', keys: [{ partition: { prefix: 'sweep/' } }], retries: 3 },
    schedule: {
      expression: 'rate(5 minutes)',
      description: 'Objects that are still to be swept',
      maxAgeMinutes: 5,
    },
  },
  publishEvents: {
    entry: 'functions/background/publishEvents.ts',
    timeoutSeconds: 240,
    access: {
      hosted: {
        ...MOVE_EVENTS,
        jobQueue: true,
        with: { events: { ...OPEN_DELIVERIES, eventBus: true }, ...OPEN_RESULTS },
      },
      upstream: { ...MOVE_EVENTS, with: { events: { eventBus: true } } },
    },
    log: 'Background',
    // No schedule publishes missed events later, so the stream is retried longer while the event bus fails. The function
    // moves new records of the outbox, and publishes the events that it or a request has moved. It also puts jobs on
    // their queue, because a stream serves at most two functions. Without the option `events`, it still moves the
    // records, because the outbox would grow, and a restore reads the moved events.
    stream: {
      table: 'table',
      keys: [
        { sort: { prefix: 'outbox/' } },
        { sort: { prefix: 'feed/' }, option: 'events' },
        { partition: { prefix: 'jobs/' } },
        // The sweeper and the reconciler write these, so that the function runs although nothing happens.
        { partition: 'heartbeats' },
      ],
      retries: 30,
    },
  },
  sendEvents: {
    entry: 'functions/background/sendEvents.ts',
    // The function needs time for a receiver that does not answer.
    timeoutSeconds: 55,
    access: {
      hosted: {
        table: ['GetItem'],
        deliveriesTable: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'],
        eventSecrets: 'read',
      },
    },
    log: 'Background',
    option: 'events',
    stream: { table: 'deliveriesTable', keys: [{ partition: { prefix: 'event-delivery/' } }], retries: 3 },
    schedule: {
      expression: 'rate(1 minute)',
      description: 'Events that are due to be sent',
      maxAgeMinutes: 1,
    },
  },
  jobs: {
    entry: 'functions/background/jobs.ts',
    // The function translates until its time is over, and then continues in another run.
    timeoutSeconds: 240,
    access: {
      hosted: {
        table: ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
        // A company may have a limit of characters.
        credentials: ['readCompany'],
        payloads: 'write',
        translation: 'translate',
      },
    },
    log: 'Background',
    queue: JOBS_QUEUE,
    schedule: { expression: 'rate(1 minute)', description: 'Jobs that are due', maxAgeMinutes: 1 },
  },
  sendMail: {
    entry: 'functions/background/sendMail.ts',
    timeoutSeconds: 55,
    access: {
      hosted: {
        table: ['GetItem', 'Query', 'UpdateItem'],
        credentials: ['listCompanies'],
        payloads: 'read',
        mail: true,
      },
    },
    log: 'Background',
    option: 'mail',
    schedule: { expression: 'rate(1 minute)', description: 'E-mails that are due', maxAgeMinutes: 1 },
  },
  sendResults: {
    entry: 'functions/background/sendResults.ts',
    // The function must end before its lease of a delivery does.
    timeoutSeconds: 55,
    access: {
      hosted: {
        table: ['GetItem', 'BatchGetItem', 'Query'],
        credentials: ['readCompany'],
        payloads: 'read',
        deliveriesTable: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'],
        destinationSecrets: true,
      },
    },
    log: 'Background',
    option: 'destinations',
    // The stream of the table has two readers already, which is the most.
    schedule: {
      expression: 'rate(1 minute)',
      description: 'Results that are due to be sent',
      maxAgeMinutes: 1,
    },
  },
  deliveries: {
    entry: 'functions/background/deliveries.ts',
    // The function must end before its lease of a delivery does.
    timeoutSeconds: 55,
    access: {
      hosted: {
        ...PUT_HOSTED,
        credentials: FOR_COMPANY,
        deliveriesTable: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'],
        fetchSecrets: true,
      },
      upstream: {
        ...PUT_UPSTREAM,
        credentials: FOR_COMPANY,
        deliveriesTable: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'],
        fetchSecrets: true,
      },
    },
    log: 'Background',
    option: 'webhooks',
    stream: { table: 'deliveriesTable', keys: [{ sort: 'state' }], retries: 3 },
    schedule: {
      expression: 'rate(1 minute)',
      description: 'Webhook deliveries that are due',
      maxAgeMinutes: 1,
    },
  },
  reportWaits: {
    entry: 'functions/background/reportWaits.ts',
    // The function must end before its next run starts.
    timeoutSeconds: 55,
    access: {
      hosted: {
        ...READ_HOSTED,
        table: ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem', 'DeleteItem'],
        credentials: ['readCompany'],
        taskTokens: true,
      },
      upstream: {
        ...READ_UPSTREAM,
        table: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'],
        credentials: ['readCompany'],
        taskTokens: true,
      },
    },
    log: 'Background',
    option: 'waits',
    schedule: {
      expression: 'rate(1 minute)',
      description: 'Projects for which workflows wait',
      maxAgeMinutes: 1,
    },
  },
  reconciler: {
    entry: 'functions/background/reconciler.ts',
    timeoutSeconds: 55,
    // The function removes an operation's open marker only if the operation's record is unchanged.
    access: {
      upstream: { table: ['Query', 'GetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'], upstreamSecret: true },
    },
    log: 'Background',
    schedule: {
      expression: 'rate(1 minute)',
      description: 'Operations with an open outcome',
      maxAgeMinutes: 1,
    },
  },
  audit: {
    entry: 'functions/background/audit.ts',
    timeoutSeconds: 900,
    access: { upstream: { ...READ_UPSTREAM, credentials: ['listCompanies'] } },
    log: 'Background',
    schedule: {
      expression: 'cron(30 2 * * ? *)',
      description: 'Comparison of the ledger with the upstream service',
    },
  },
  canary: {
    entry: 'functions/background/canary.ts',
    // The function must end before its next run starts.
    timeoutSeconds: 240,
    access: both({ canarySecret: true }),
    log: 'Background',
    option: 'canary',
    schedule: {
      expression: `rate(${CANARY_MINUTES} minutes)`,
      description: 'Requests like those of a partner',
      maxAgeMinutes: CANARY_MINUTES,
    },
  },
  rotateSigningKeys: {
    entry: 'functions/background/rotateSigningKeys.ts',
    timeoutSeconds: 240,
    access: both({ signingSecret: 'rotate' }),
    log: 'Background',
  },
});

export type FunctionName = keyof typeof FUNCTIONS;

/** A deployed function's description, with the function's name. */
export interface FunctionEntry extends FunctionSpec {
  readonly name: FunctionName;
}

/**
 * Lists the functions that are deployed for a service, with the stream filters that they have there.
 * @param options the options that the gateway has. Default: what is on unless it is switched off
 */
export function functionsOf(service: ServiceName, options: readonly FunctionOption[] = SWITCHES): FunctionEntry[] {
  const names = Object.keys(FUNCTIONS).filter((name): name is FunctionName => name in FUNCTIONS);
  const isOn = ({ option }: { readonly option?: FunctionOption }) => option === undefined || options.includes(option);
  return names
    .map((name): FunctionEntry => ({ name, ...FUNCTIONS[name] }))
    .filter((entry) => entry.access[service] !== undefined && isOn(entry))
    .map(({ stream, ...entry }) => ({
      ...entry,
      ...(stream && { stream: { ...stream, keys: stream.keys.filter(isOn) } }),
    }));
}

/** Returns the access of a function for a service, with that of the options that the gateway has. */
export function accessOf(
  { access }: Pick<FunctionSpec, 'access'>,
  service: ServiceName,
  options: readonly FunctionOption[],
): FunctionAccess {
  const { with: more = {}, ...always } = access[service] ?? {};
  return Object.assign({}, always, ...options.map((option) => more[option]));
}
