import type { FunctionName } from '../../infra/functions/catalogue.ts';
import type { ServiceName } from '../../infra/functions/function-spec.ts';

type Names = readonly FunctionName[];

const HTTP: Names = [
  'changeProjects',
  'changeTranslations',
  'readProjects',
  'events',
  'tokens',
  'receiveWebhook',
  'pages',
  'console',
  'agents',
];
/** The tasks of workflows that get a project. */
const PROJECT_TASKS: Names = ['createProjectTask', 'putProjectTask'];
const WAITS: Names = ['waitForProjectTask', 'reportWaits'];
const CREATING: Names = ['changeProjects', 'agents', ...PROJECT_TASKS, 'deliveries', 'bulkLine'];
const WITH_PROJECTS: Names = [...CREATING, 'readProjects', 'deleteProjectTask', 'getProgressTask', ...WAITS];
const WITH_SERVICE: Names = [...WITH_PROJECTS, 'changeTranslations'];
/** The functions that call the upstream service, which has no operations for translations. */
const UPSTREAM: Names = [...WITH_PROJECTS, 'reconciler', 'audit'];
const WITH_KEYS: Names = ['tokens', 'authorizer'];
const WITH_TABLE: Names = [...WITH_KEYS, 'receiveWebhook', 'events', 'publishEvents', 'prepareBulk'];
const BULK: Names = ['prepareBulk', 'bulkLine'];

/** The most that the functions for which a caller waits may read at their start, in KB. Only lower these numbers. */
export const START_KB = {
  changeProjects: { upstream: 214, hosted: 225 },
  changeTranslations: { upstream: 101, hosted: 189 },
  readProjects: { upstream: 160, hosted: 172 },
  events: { upstream: 93, hosted: 93 },
  tokens: { upstream: 133, hosted: 133 },
  receiveWebhook: { upstream: 95, hosted: 95 },
  authorizer: { upstream: 85, hosted: 85 },
  agents: { upstream: 344, hosted: 375 },
} satisfies Partial<Record<FunctionName, Readonly<Record<ServiceName, number>>>>;

/** A part of the code, and the functions whose bundles may contain it. */
export interface Part {
  readonly part: string;
  /** A pattern for the part's files, relative to the repository. */
  readonly files: RegExp;
  readonly upstream: Names;
  readonly hosted: Names;
}

const part = (part: string, files: RegExp, upstream: Names, hosted = upstream): Part => ({
  part,
  files,
  upstream,
  hosted,
});

export const PARTS: readonly Part[] = [
  part('the upstream service', /^lib\/upstream\//, UPSTREAM, []),
  part('the audit', /^lib\/upstream\/audit\.ts$/, ['audit'], []),
  part('the reconciler', /^lib\/upstream\/reconciler\.ts$/, ['reconciler'], []),
  part('the hosted service', /^lib\/hosted\//, [], [...WITH_SERVICE, 'sendMail', 'sendResults', 'jobs']),
  part('automatic translation', /^lib\/hosted\/translation\/(?!engines)/, [], ['jobs']),
  part(
    'the grammar of contents',
    /^lib\/content\/|\/htmlparser2\/|\/@formatjs\//,
    ['changeProjects', 'agents'],
    ['changeProjects', 'agents', 'jobs'],
  ),
  part('quotes', /^lib\/service\/quote\.ts$/, ['changeProjects', 'agents']),
  part(
    'translation engines',
    /^lib\/hosted\/translation\/engines|\/client-translate\//,
    [],
    ['changeProjects', 'agents', 'jobs'],
  ),
  part('the queue of jobs', /^lib\/aws\/fifo-queue\.ts$/, ['publishEvents']),
  part('the documentation of operations', /^lib\/operations\/docs\//, []),
  part('SQLite', /^lib\/storage\/sqlite\//, []),
  part(
    'DynamoDB',
    /^lib\/storage\/dynamodb\/(items|client)\.ts$/,
    [...UPSTREAM, ...WITH_TABLE],
    [...WITH_SERVICE, ...WITH_TABLE, 'sweeper', 'sendEvents', 'sendMail', 'sendResults', 'jobs'],
  ),
  part(
    'the client of S3',
    /\/@aws-sdk\/client-s3\//,
    [...PROJECT_TASKS, ...BULK],
    [...WITH_SERVICE, 'prepareBulk', 'sweeper', 'sendMail', 'sendResults', 'jobs'],
  ),
  part('projects by reference in S3', /^lib\/workflow\/projects-in-s3\.ts$/, PROJECT_TASKS),
  part('projects by reference in a folder', /^lib\/workflow\/projects-in-folder\.ts$/, []),
  part(
    'the reader of secrets',
    /^lib\/aws\/secrets-manager\.ts$/,
    [...UPSTREAM, ...WITH_KEYS, 'receiveWebhook', 'canary'],
    [
      ...WITH_KEYS,
      'changeProjects',
      'agents',
      'receiveWebhook',
      'deliveries',
      'sendEvents',
      'sendResults',
      'jobs',
      'canary',
    ],
  ),
  part('the SDK’s client of secrets', /\/@aws-sdk\/client-secrets-manager\//, ['rotateSigningKeys', 'events']),
  part('the client of the event bus', /\/@aws-sdk\/client-eventbridge\//, ['publishEvents']),
  part(
    'the SDK',
    /\/@(aws-sdk|smithy)\//,
    ['publishEvents', 'rotateSigningKeys', 'events', ...PROJECT_TASKS, ...BULK],
    [
      ...WITH_SERVICE,
      'prepareBulk',
      'sweeper',
      'publishEvents',
      'rotateSigningKeys',
      'events',
      'sendMail',
      'sendResults',
      'jobs',
    ],
  ),
  part(
    'stream events',
    /^lib\/background\/stream\.ts$/,
    ['publishEvents', 'deliveries'],
    ['publishEvents', 'deliveries', 'sweeper', 'sendEvents'],
  ),
  part(
    'the schema of projects',
    /^lib\/contract\/project\.ts$/,
    [...WITH_PROJECTS, 'reconciler'],
    [...WITH_PROJECTS, 'sendResults'],
  ),
  part('the rules of new projects', /^lib\/contract\/rules\.ts$/, CREATING, [...CREATING, 'deleteProjectTask']),
  part('the feed of events', /^lib\/events\/feed\.ts$/, ['events'], ['events', 'sendMail']),
  part('the mover of events', /^lib\/events\/feed-positions\.ts$/, ['events', 'publishEvents']),
  part('e-mail', /^lib\/(hosted\/people\/mail-|aws\/ses-)|\/@aws-sdk\/client-sesv2\//, [], ['sendMail']),
  part('a package', /^packages\//, []),
  part('the API of a partner', /^lib\/canary\//, ['canary']),
  part('e-mail over SMTP', /\/nodemailer\//, []),
  part(
    'requests to URLs that others name',
    /^lib\/service\/http-client\/public-transport\.ts$/,
    ['deliveries'],
    ['deliveries', 'sendEvents', 'sendResults'],
  ),
  part('fetches', /^lib\/webhooks\/(fetch-entry|source-fetch)\.ts$/, ['deliveries'], ['deliveries', 'sendResults']),
  part('the sender of results', /^lib\/destinations\/(?!deliveries\.ts)/, [], ['sendResults']),
  part('mappings', /^lib\/webhooks\/mapping\/|\/jsonata\//, ['deliveries'], ['deliveries', 'sendResults']),
  part('the text of problem pages', /^lib\/contract\/problem-/, ['pages', 'agents']),
  part('the description of the API', /^lib\/contract\/openapi\.json$/, ['pages', 'agents']),
  part('the viewer of the reference', /^dist\/viewer\//, ['pages']),
  part('the files of the console', /^dist\/console/, ['console']),
  part('tokens', /\/node_modules\/jose\/|^lib\/credentials\/tokens/, WITH_KEYS),
  part('the schemes with templates', /^lib\/signatures\/(template-schemes|senders|template|token)\.ts$/, [
    'receiveWebhook',
  ]),
  part('the schemes that sign', /^lib\/signatures\/schemes\.ts$/, []),
  part('the settings of schemes', /^lib\/signatures\/stored-scheme\.ts$/, ['receiveWebhook', 'deliveries']),
  part(
    'signatures',
    /^lib\/signatures\/(scheme|hmac)\.ts$/,
    ['receiveWebhook', 'deliveries'],
    ['receiveWebhook', 'deliveries', 'sendEvents'],
  ),
  part('the parser of mappings', /\/node_modules\/jsonata\//, []),
  part('middy', /\/@middy\//, HTTP),
  part('the Model Context Protocol', /\/@modelcontextprotocol\/|^lib\/agents\//, ['agents']),
  // The SDK of the protocol would bring it.
  part('the compiler of JSON schemas', /\/node_modules\/(ajv|ajv-formats|fast-uri)\//, []),
  // The SDK of the protocol brings it.
  part('classic zod', /\/zod\/.*\/(classic|locales)\//, ['agents']),
];
