/** A room of the house: what its files may import. */
interface Room {
  /** Files or folders of the repository; the room itself too, where its files may import each other. */
  readonly may: readonly string[];
  /** Packages by name or by the beginning of it up to a slash; `node:` for every built-in. */
  readonly packages: readonly string[];
}

const CONTRACT = 'lib/contract';
const AWS = 'lib/aws';
const CONNECTIONS = 'lib/connections';
const PORT = 'lib/storage/port.ts';
const SERVICE = 'lib/service';
/** What is elsewhere, whoever has it. */
const REFERENCES = ['lib/payloads/port.ts', 'lib/payloads/failures.ts'];
const CREDENTIALS = 'lib/credentials';

/**
 * The house, from the ground up: a file belongs to the room with the longest name that its path begins with. What
 * stands outside (`test`, `bench`, `scripts`) may look into every room, and no room looks out.
 */
export const HOUSE: Readonly<Record<string, Room>> = {
  'lib/contract': { may: [CONTRACT], packages: ['zod/mini', 'node:buffer'] },
  'lib/service': { may: [SERVICE, CONTRACT], packages: ['node:util', 'node:zlib', 'node:crypto', 'zod/mini'] },
  'lib/connections': { may: [], packages: ['node:http', 'node:https'] },
  'lib/aws': { may: [AWS, CONNECTIONS], packages: ['node:', 'zod/mini', '@aws-sdk/client-secrets-manager'] },
  'lib/storage/port.ts': { may: [], packages: [] },
  'lib/storage/sqlite': { may: ['lib/storage/sqlite', PORT, CONTRACT], packages: ['node:'] },
  'lib/storage/dynamodb': {
    may: ['lib/storage/dynamodb', PORT, AWS, CONTRACT],
    packages: ['node:', 'zod/mini', '@aws-sdk/client-s3'],
  },
  'lib/credentials': {
    may: [CREDENTIALS, 'lib/exactly-once', PORT, AWS, CONTRACT],
    packages: ['node:', 'zod/mini', 'jose', '@aws-sdk/client-secrets-manager'],
  },
  'lib/exactly-once': { may: ['lib/exactly-once', PORT, CONTRACT], packages: ['node:crypto', 'zod/mini'] },
  'lib/records': {
    may: ['lib/records', 'lib/exactly-once', PORT, SERVICE, CONTRACT],
    packages: ['node:crypto', 'node:timers/promises', 'zod/mini'],
  },
  'lib/hosted': {
    may: ['lib/hosted', 'lib/records', 'lib/exactly-once', PORT, SERVICE, CONTRACT],
    packages: ['zod/mini'],
  },
  'lib/upstream': {
    may: ['lib/upstream', 'lib/records', 'lib/exactly-once', PORT, CREDENTIALS, CONNECTIONS, SERVICE, CONTRACT],
    packages: ['node:', 'zod/mini'],
  },
  'lib/client': {
    may: ['lib/client', 'lib/upstream', SERVICE, CONTRACT],
    packages: ['node:', 'zod/mini'],
  },
  'lib/webhooks': {
    may: ['lib/webhooks', 'lib/records', 'lib/exactly-once', PORT, CREDENTIALS, SERVICE, CONTRACT, '#jsonata'],
    packages: ['node:', 'zod/mini'],
  },
  'lib/events': { may: ['lib/events', CONTRACT], packages: ['@aws-sdk/client-eventbridge'] },
  'lib/payloads': { may: ['lib/payloads', SERVICE, CONTRACT], packages: ['node:', '@aws-sdk/client-s3'] },
  'lib/doors/background': { may: ['lib/doors/background', SERVICE, CREDENTIALS, CONTRACT], packages: ['zod/mini'] },
  'lib/doors/http': {
    may: ['lib/doors/http', SERVICE, CREDENTIALS, CONTRACT],
    packages: ['node:', 'zod/mini', '@middy/core', 'aws-lambda'],
  },
  'lib/bulk': {
    may: ['lib/bulk', SERVICE, CONTRACT],
    packages: ['node:', 'zod/mini', '@aws-sdk/client-s3'],
  },
  // A webhook comes over HTTP, and is worked on behind it: what is common to every operation is common to it.
  'lib/doors/webhook': {
    may: [
      'lib/doors/webhook',
      'lib/doors/http',
      'lib/doors/background',
      'lib/webhooks',
      SERVICE,
      CREDENTIALS,
      CONTRACT,
    ],
    packages: ['node:', 'zod/mini', '@middy/core', 'aws-lambda'],
  },
  'lib/doors/workflow': {
    may: ['lib/doors/workflow', 'lib/bulk', ...REFERENCES, SERVICE, CREDENTIALS, CONTRACT],
    packages: ['node:', 'zod/mini', 'aws-lambda'],
  },
  'functions/webhooks': { may: ['lib/doors/webhook', 'functions/compose/receiving.ts'], packages: [] },
  'functions/http': { may: ['lib/doors/http', '#service', '#platform'], packages: [] },
  'functions/background': {
    may: ['lib/doors/background', 'lib/doors/webhook', 'functions/compose/deliveries.ts', '#service', '#platform'],
    packages: [],
  },
  'functions/tasks': {
    may: ['lib/doors/workflow', 'functions/compose/aws-manifests.ts', '#service', '#platform'],
    packages: [],
  },
  'functions/authorizer.ts': { may: ['lib/doors/http', '#platform'], packages: [] },
  'functions/compose': {
    may: ['functions/compose', 'lib', '#service', '#platform', '#place'],
    packages: ['node:crypto', 'node:timers/promises', 'zod/mini'],
  },
  local: { may: ['local', 'functions', 'lib', '#service', '#platform'], packages: ['node:', 'zod/mini', 'aws-lambda'] },
  cli: {
    may: ['cli', 'lib', 'functions/compose/settings.ts'],
    packages: ['node:', 'zod/mini', 'commander', '@aws-sdk'],
  },
  infra: {
    may: ['infra', CONTRACT],
    packages: ['node:', 'zod/mini', 'aws-cdk-lib', 'cdk-nag', 'constructs', 'esbuild'],
  },
};

/** The folders that the house fills: a file there without a room is a fault. */
export const HOUSE_FOLDERS = ['lib', 'functions', 'local', 'infra', 'cli'] as const;
