import type { FunctionName } from '../../infra/functions/catalogue.ts';

const EVERY_HTTP: readonly FunctionName[] = ['changeProjects', 'readProjects', 'tokens', 'receiveWebhook', 'pages'];
const WITH_SERVICE: readonly FunctionName[] = [
  'changeProjects',
  'readProjects',
  'createProjectTask',
  'deleteProjectTask',
  'deliveries',
];
const CREATING: readonly FunctionName[] = ['changeProjects', 'createProjectTask', 'deliveries'];
/** What reads projects that are elsewhere. */
const BY_REFERENCE: readonly FunctionName[] = ['createProjectTask'];
const PAGES: readonly FunctionName[] = ['pages'];
const WITH_KEYS: readonly FunctionName[] = ['tokens', 'authorizer'];
/** What has messages of others. */
const WITH_MESSAGES: readonly FunctionName[] = ['receiveWebhook'];

const STREAMS: readonly FunctionName[] = ['sweeper', 'publishEvents', 'deliveries'];
/** What AWS alone has for bulk runs. */
const BULK: readonly FunctionName[] = ['prepareBulk', 'bulkLine'];
const WITH_SERVICE_ON_AWS: readonly FunctionName[] = [...WITH_SERVICE, 'bulkLine'];
/** What knows of the service behind Segue, where there is one. */
const BEHIND: readonly FunctionName[] = [...WITH_SERVICE_ON_AWS, 'reconciler', 'audit'];

/** A part of the code, and all the functions whose bundles hold any of it. */
export interface Part {
  readonly part: string;
  /** Tested on paths relative to the repository. */
  readonly files: RegExp;
  /** On AWS, in front of another service. */
  readonly upstream: readonly FunctionName[];
  /** On AWS, as the service itself. */
  readonly hosted: readonly FunctionName[];
  /** On one machine, as the service itself. */
  readonly local: readonly FunctionName[];
}

/** On one machine, what works behind the API does so in its process. */
const here = (functions: readonly FunctionName[]) => functions.filter((name) => name !== 'deliveries');

/** What is the same wherever a function runs and whatever is behind it. */
function everywhere(part: string, files: RegExp, functions: readonly FunctionName[]): Part {
  return { part, files, upstream: functions, hosted: functions, local: here(functions) };
}

export const PARTS: readonly Part[] = [
  {
    part: 'the port’s upstream side',
    files: /^lib\/upstream\//,
    upstream: BEHIND,
    hosted: [],
    local: [],
  },
  { part: 'the audit', files: /^lib\/upstream\/audit\.ts$/, upstream: ['audit'], hosted: [], local: [] },
  {
    part: 'the hosted service',
    files: /^lib\/hosted\//,
    upstream: [],
    hosted: WITH_SERVICE_ON_AWS,
    local: here(WITH_SERVICE),
  },
  {
    part: 'the store on one machine',
    files: /^lib\/storage\/sqlite\//,
    upstream: [],
    hosted: [],
    local: [...here(WITH_SERVICE), ...WITH_KEYS, ...WITH_MESSAGES],
  },
  {
    part: 'the table on AWS',
    files: /^lib\/storage\/dynamodb\/items\.ts$/,
    upstream: [...BEHIND, ...WITH_KEYS, ...WITH_MESSAGES, 'publishEvents', 'prepareBulk'],
    hosted: [...WITH_SERVICE_ON_AWS, ...WITH_KEYS, ...WITH_MESSAGES, 'sweeper', 'publishEvents', 'prepareBulk'],
    local: [],
  },
  {
    part: 'the table’s client',
    files: /^lib\/storage\/dynamodb\/client\.ts$/,
    upstream: [...BEHIND, ...WITH_KEYS, ...WITH_MESSAGES, 'publishEvents', 'prepareBulk'],
    hosted: [...WITH_SERVICE_ON_AWS, ...WITH_KEYS, ...WITH_MESSAGES, 'sweeper', 'publishEvents', 'prepareBulk'],
    local: [],
  },
  {
    part: 'the bucket’s client',
    files: /\/@aws-sdk\/client-s3\//,
    upstream: [...BY_REFERENCE, ...BULK],
    hosted: [...WITH_SERVICE, ...BULK, 'sweeper'],
    local: [],
  },
  {
    part: 'projects by reference on AWS',
    files: /^lib\/workflow\/projects-in-s3\.ts$/,
    upstream: BY_REFERENCE,
    hosted: BY_REFERENCE,
    local: [],
  },
  {
    part: 'projects by reference on one machine',
    files: /^lib\/workflow\/projects-in-folder\.ts$/,
    upstream: [],
    hosted: [],
    local: BY_REFERENCE,
  },
  {
    part: 'what reads secrets',
    files: /^lib\/aws\/secrets-manager\.ts$/,
    upstream: [...BEHIND, ...WITH_KEYS, ...WITH_MESSAGES],
    hosted: [...WITH_KEYS, ...WITH_MESSAGES],
    local: [],
  },
  {
    part: 'the SDK’s client of secrets',
    files: /\/@aws-sdk\/client-secrets-manager\//,
    upstream: ['rotateSigningKeys'],
    hosted: ['rotateSigningKeys'],
    local: [],
  },
  {
    part: 'the SDK',
    files: /\/@(aws-sdk|smithy)\//,
    upstream: ['publishEvents', 'rotateSigningKeys', ...BY_REFERENCE, ...BULK],
    hosted: [...WITH_SERVICE, ...BULK, 'sweeper', 'publishEvents', 'rotateSigningKeys'],
    local: [],
  },
  {
    part: 'the bus’s client',
    files: /\/@aws-sdk\/client-eventbridge\//,
    upstream: ['publishEvents'],
    hosted: ['publishEvents'],
    local: [],
  },
  {
    part: 'records of a stream',
    files: /^lib\/background\/stream\.ts$/,
    upstream: ['publishEvents', 'deliveries'],
    hosted: STREAMS,
    local: [],
  },
  {
    part: 'the project’s fields',
    files: /^lib\/contract\/project\.ts$/,
    upstream: BEHIND,
    hosted: WITH_SERVICE_ON_AWS,
    local: here(WITH_SERVICE),
  },
  {
    part: 'the rules of a new project',
    files: /^lib\/contract\/rules\.ts$/,
    upstream: [...CREATING, 'bulkLine'],
    hosted: [...CREATING, 'bulkLine'],
    local: here(CREATING),
  },
  everywhere('the mapping of messages', /^lib\/webhooks\/mapping\/|\/jsonata\//, ['deliveries']),
  everywhere('the words of the problems’ pages', /^lib\/contract\/problem-/, PAGES),
  everywhere('the description of the API', /^lib\/contract\/openapi\.json$/, PAGES),
  everywhere('tokens', /\/node_modules\/jose\/|^lib\/credentials\/tokens/, WITH_KEYS),
  {
    // a source says how it signs, and the store on one machine brings the sources with it
    ...everywhere('what proves a message', /^lib\/webhooks\/signature-schemes\//, [...WITH_MESSAGES, 'deliveries']),
    local: [...here(WITH_SERVICE), ...WITH_KEYS, ...WITH_MESSAGES],
  },
  everywhere('what reads mappings', /\/node_modules\/jsonata\//, []),
  everywhere('middy', /\/@middy\//, EVERY_HTTP),
  everywhere('classic zod', /\/zod\/.*\/(classic|locales)\//, []),
];
