/** The imports that the files of a folder may have. */
interface Room {
  /** The files and folders that may be imported. The folder itself is listed if its files may import each other. */
  readonly may: readonly string[];
  /**
   * The packages that may be imported, by name or by the beginning of the name up to a slash. `node:` allows all
   * built-ins.
   */
  readonly packages: readonly string[];
}

const CONTRACT = 'lib/contract';
const CONTENT = 'lib/content';
const AWS = 'lib/aws';
/** What every user of a store may import: its interface, and how records are read tolerantly. */
const PORT = ['port', 'transaction-size', 'record', 'shards'].map((name) => `lib/storage/${name}.ts`);
const RECORDS = 'lib/records';
const SERVICE = 'lib/service';
/** Of the service, stores may import only the retry mechanism, and credentials also the map of recent entries and the writer of files. */
const RETRY = 'lib/service/retry.ts';
const RECENT = 'lib/service/recent.ts';
const PUBLISH = 'lib/service/publish-file.ts';
/** Of the service, the client may import only how requests are sent and repeated. */
const HTTP_CLIENT = ['lib/service/http-client', 'lib/service/deadline.ts', RETRY];
const CREDENTIALS = 'lib/credentials';
const SIGNATURES = 'lib/signatures';

/**
 * The rules of each folder, lowest first. The longest path that fits a file applies. Files outside (`test`, `bench`,
 * `tools`) may import from every folder here, and no file here may import from them.
 */
export const HOUSE: Readonly<Record<string, Room>> = {
  'lib/contract': { may: [CONTRACT], packages: ['zod/mini', 'node:buffer'] },
  'lib/content': { may: [CONTENT, CONTRACT], packages: ['htmlparser2', '@formatjs/icu-messageformat-parser'] },
  'lib/service': { may: [SERVICE, CONTRACT], packages: ['node:', 'zod/mini'] },
  // A quote counts the words of contents.
  'lib/service/quote.ts': { may: [SERVICE, CONTENT, CONTRACT], packages: [] },
  'lib/aws': {
    may: [AWS, SERVICE, CONTRACT],
    packages: [
      'node:',
      'zod/mini',
      '@aws-sdk/client-secrets-manager',
      '@aws-sdk/client-eventbridge',
      '@aws-sdk/client-translate',
      '@aws-sdk/client-sesv2',
    ],
  },
  'lib/storage/port.ts': { may: [CONTRACT], packages: [] },
  'lib/storage/transaction-size.ts': { may: ['lib/storage/port.ts'], packages: [] },
  'lib/storage/shards.ts': { may: [CONTRACT], packages: [] },
  'lib/storage/record.ts': { may: [CONTRACT], packages: ['zod/mini'] },
  'lib/storage/store-owner.ts': { may: [...PORT], packages: ['zod/mini'] },
  'lib/storage/sqlite': { may: ['lib/storage/sqlite', ...PORT, RETRY, CONTRACT], packages: ['node:'] },
  'lib/storage/dynamodb': {
    may: ['lib/storage/dynamodb', ...PORT, RETRY, AWS, CONTRACT],
    packages: ['node:', 'zod/mini', '@aws-sdk/client-s3'],
  },
  'lib/signatures': {
    may: [SIGNATURES, 'lib/storage/record.ts', CONTRACT],
    packages: ['node:buffer', 'node:crypto', 'zod/mini'],
  },
  'lib/credentials': {
    may: [CREDENTIALS, 'lib/idempotency', RECORDS, SIGNATURES, ...PORT, RETRY, RECENT, PUBLISH, AWS, CONTRACT],
    packages: ['node:', 'zod/mini', 'jose'],
  },
  'lib/records': { may: [RECORDS, ...PORT, SERVICE, CONTRACT], packages: ['node:crypto', 'zod/mini'] },
  'lib/idempotency': {
    may: ['lib/idempotency', RECORDS, ...PORT, SERVICE, CONTRACT],
    packages: ['node:crypto', 'zod/mini'],
  },
  'lib/deliveries': {
    may: ['lib/deliveries', ...PORT, SERVICE, CONTRACT],
    packages: ['node:timers/promises', 'zod/mini'],
  },
  'lib/hosted': {
    may: ['lib/hosted', 'lib/deliveries', 'lib/idempotency', RECORDS, ...PORT, SERVICE, CONTRACT],
    packages: ['node:', 'zod/mini'],
  },
  'lib/events': {
    may: [
      'lib/events',
      'lib/background',
      'lib/deliveries',
      'lib/idempotency',
      RECORDS,
      SIGNATURES,
      ...PORT,
      SERVICE,
      CONTRACT,
    ],
    packages: ['node:', 'zod/mini'],
  },
  // Results go to destinations after events, by mappings like those of webhooks.
  'lib/destinations': {
    may: [
      'lib/destinations',
      'lib/background',
      'lib/deliveries',
      'lib/events/feed-positions.ts',
      'lib/http',
      'lib/webhooks/mapping',
      'lib/webhooks/fetch-entry.ts',
      'lib/webhooks/fetch-failure.ts',
      'lib/webhooks/source-fetch.ts',
      'lib/webhooks/source-admin.ts',
      RECORDS,
      ...PORT,
      SERVICE,
      CREDENTIALS,
      CONTRACT,
    ],
    packages: ['node:crypto', 'zod/mini'],
  },
  'lib/hosted/people': {
    may: ['lib/hosted/people', 'lib/hosted', 'lib/idempotency', RECORDS, ...PORT, SERVICE, CONTRACT],
    packages: ['node:', 'zod/mini', 'nodemailer'],
  },
  'lib/hosted/translation': {
    may: ['lib/hosted/translation', CONTENT, SERVICE, CONTRACT],
    packages: ['node:', 'zod/mini'],
  },
  'lib/upstream': {
    may: ['lib/upstream', 'lib/idempotency', RECORDS, ...PORT, CREDENTIALS, SERVICE, CONTRACT],
    packages: ['node:', 'zod/mini'],
  },
  'lib/background': {
    may: [
      'lib/background',
      'lib/deliveries',
      'lib/records/feed-record.ts',
      'lib/records/outbox.ts',
      ...PORT,
      SERVICE,
      CREDENTIALS,
      CONTRACT,
    ],
    packages: ['node:timers/promises', 'zod/mini'],
  },
  'lib/canary': {
    may: ['lib/canary', 'lib/background', SERVICE, CONTRACT],
    packages: ['node:timers/promises', 'zod/mini'],
  },
  'lib/http': {
    may: ['lib/http', SERVICE, CREDENTIALS, CONTRACT],
    packages: ['node:', 'zod/mini', '@middy/core', 'aws-lambda'],
  },
  // A webhook is an HTTP request that is processed in the background, so both parts are here.
  'lib/webhooks': {
    may: [
      'lib/webhooks',
      'lib/http',
      'lib/background',
      'lib/deliveries',
      'lib/idempotency',
      RECORDS,
      SIGNATURES,
      ...PORT,
      SERVICE,
      CREDENTIALS,
      CONTRACT,
      '#jsonata',
    ],
    packages: ['node:', 'zod/mini', '@middy/core', 'aws-lambda'],
  },
  // What each operation is, and how it is carried out for an HTTP request.
  'lib/operations': {
    may: [
      'lib/operations',
      'lib/http',
      'lib/webhooks/receive.ts',
      SERVICE,
      CREDENTIALS,
      CONTRACT,
      '#viewer',
      '#console',
    ],
    packages: ['node:', 'zod/mini'],
  },
  // The door of agents: a tool is an operation.
  'lib/agents': {
    may: ['lib/agents', 'lib/http', SERVICE, CONTRACT],
    packages: ['node:zlib', 'zod/mini', '@modelcontextprotocol/sdk', 'aws-lambda'],
  },
  'lib/workflow': {
    may: ['lib/workflow', SERVICE, CREDENTIALS, CONTRACT],
    packages: ['node:', 'zod/mini', 'aws-lambda', '@aws-sdk/client-s3'],
  },
  // Waits are due work, which the store keeps.
  'lib/workflow/waits': {
    may: ['lib/workflow', 'lib/deliveries', RECORDS, ...PORT, SERVICE, CREDENTIALS, CONTRACT],
    packages: ['node:', 'zod/mini'],
  },
  'functions/changeProjects.ts': { may: ['lib/http', 'lib/operations', '#service', '#engine'], packages: [] },
  'functions/changeTranslations.ts': { may: ['lib/http', 'lib/operations', '#service'], packages: [] },
  'functions/readProjects.ts': { may: ['lib/http', 'lib/operations', '#service'], packages: [] },
  'functions/events.ts': { may: ['lib/http', 'lib/operations', 'functions/compose/events.ts'], packages: [] },
  'functions/tokens.ts': { may: ['lib/http', 'lib/operations', '#platform'], packages: [] },
  'functions/pages.ts': { may: ['lib/http', 'lib/operations', 'functions/compose/environment.ts'], packages: [] },
  'functions/agents.ts': {
    may: ['lib/agents', 'lib/contract/agents.ts', 'lib/http', 'lib/operations', '#service', '#engine'],
    packages: [],
  },
  'functions/console.ts': { may: ['lib/http', 'lib/operations'], packages: [] },
  'functions/receiveWebhook.ts': { may: ['lib/http', 'lib/operations', 'functions/compose/webhooks.ts'], packages: [] },
  'functions/background': {
    may: [
      'lib/background',
      'lib/canary',
      'lib/webhooks',
      'lib/events',
      'lib/destinations',
      'functions/compose/canary.ts',
      'functions/compose/webhooks.ts',
      'functions/compose/events.ts',
      'functions/compose/destinations.ts',
      'functions/compose/heartbeat.ts',
      'functions/compose/jobs.ts',
      'functions/compose/mail.ts',
      'functions/compose/waits.ts',
      'functions/compose/aws-s3.ts',
      'functions/compose/aws-events.ts',
      '#service',
    ],
    packages: [],
  },
  'functions/background/rotateSigningKeys.ts': {
    may: ['lib/background', 'lib/credentials/signing-key-rotation.ts', 'lib/aws/secrets-manager-store.ts'],
    packages: [],
  },
  'functions/tasks': {
    may: ['lib/workflow', 'functions/compose/aws-s3.ts', '#service', '#platform'],
    packages: [],
  },
  'functions/authorizer.ts': { may: ['lib/http', 'lib/credentials/last-use.ts', '#platform'], packages: [] },
  'functions/compose': {
    may: ['functions/compose', 'lib', '#service', '#platform', '#aws-endpoint'],
    packages: ['node:crypto', 'node:timers/promises', 'zod/mini'],
  },
  local: { may: ['local', 'functions', 'lib', '#service', '#platform'], packages: ['node:', 'zod/mini', 'aws-lambda'] },
  'local/stop-signals.ts': { may: ['local/format-error.ts'], packages: [] },
  'packages/files': {
    may: ['packages/files', CONTENT, CONTRACT],
    packages: ['node:', 'zod/mini', 'saxes', 'gettext-parser', '@lezer/markdown'],
  },
  'packages/client': {
    may: ['packages/client', 'packages/files', ...HTTP_CLIENT, CONTRACT],
    packages: ['node:', 'zod/mini'],
  },
  'packages/simulator': { may: ['packages/simulator', 'local', 'functions', 'lib'], packages: ['node:', 'zod/mini'] },
  'packages/cli': {
    may: [
      'packages/cli',
      'packages/client',
      'packages/files',
      'lib',
      'functions/compose',
      'local/stop-signals.ts',
      'package.json',
      '#jsonata',
    ],
    packages: ['node:', 'zod/mini', 'commander', '@aws-sdk', '@modelcontextprotocol/sdk'],
  },
  infra: {
    may: ['infra', 'lib/operations/routes.ts', CONTRACT],
    packages: ['node:', 'zod/mini', 'aws-cdk-lib', 'cdk-nag', 'constructs', 'esbuild'],
  },
};

/** The folders in which every file needs a rule. */
export const HOUSE_FOLDERS = [
  'lib',
  'functions',
  'local',
  'infra',
  'packages/cli',
  'packages/client',
  'packages/files',
  'packages/simulator',
] as const;

/** The tests of a package. They stand outside of the house, like `test`. */
export const PACKAGE_TESTS = /^packages\/[^/]+\/test\//;
