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
}

/** What is the same wherever a function runs and whatever is behind it. */
function everywhere(part: string, files: RegExp, functions: readonly FunctionName[]): Part {
  return { part, files, upstream: functions, hosted: functions };
}

export const PARTS: readonly Part[] = [
  {
    part: 'the port’s upstream side',
    files: /^lib\/upstream\//,
    upstream: BEHIND,
    hosted: [],
  },
  { part: 'the audit', files: /^lib\/upstream\/audit\.ts$/, upstream: ['audit'], hosted: [] },
  {
    part: 'the hosted service',
    files: /^lib\/hosted\//,
    upstream: [],
    hosted: WITH_SERVICE_ON_AWS,
  },
  {
    part: 'the store on one machine',
    files: /^lib\/storage\/sqlite\//,
    upstream: [],
    hosted: [],
  },
  {
    part: 'the table on AWS',
    files: /^lib\/storage\/dynamodb\/items\.ts$/,
    upstream: [...BEHIND, ...WITH_KEYS, ...WITH_MESSAGES, 'publishEvents', 'prepareBulk'],
    hosted: [...WITH_SERVICE_ON_AWS, ...WITH_KEYS, ...WITH_MESSAGES, 'sweeper', 'publishEvents', 'prepareBulk'],
  },
  {
    part: 'the table’s client',
    files: /^lib\/storage\/dynamodb\/client\.ts$/,
    upstream: [...BEHIND, ...WITH_KEYS, ...WITH_MESSAGES, 'publishEvents', 'prepareBulk'],
    hosted: [...WITH_SERVICE_ON_AWS, ...WITH_KEYS, ...WITH_MESSAGES, 'sweeper', 'publishEvents', 'prepareBulk'],
  },
  {
    part: 'the bucket’s client',
    files: /\/@aws-sdk\/client-s3\//,
    upstream: [...BY_REFERENCE, ...BULK],
    hosted: [...WITH_SERVICE, ...BULK, 'sweeper'],
  },
  {
    part: 'projects by reference on AWS',
    files: /^lib\/workflow\/projects-in-s3\.ts$/,
    upstream: BY_REFERENCE,
    hosted: BY_REFERENCE,
  },
  {
    part: 'projects by reference on one machine',
    files: /^lib\/workflow\/projects-in-folder\.ts$/,
    upstream: [],
    hosted: [],
  },
  {
    part: 'what reads secrets',
    files: /^lib\/aws\/secrets-manager\.ts$/,
    upstream: [...BEHIND, ...WITH_KEYS, ...WITH_MESSAGES],
    hosted: [...WITH_KEYS, ...WITH_MESSAGES],
  },
  {
    part: 'the SDK’s client of secrets',
    files: /\/@aws-sdk\/client-secrets-manager\//,
    upstream: ['rotateSigningKeys'],
    hosted: ['rotateSigningKeys'],
  },
  {
    part: 'the SDK',
    files: /\/@(aws-sdk|smithy)\//,
    upstream: ['publishEvents', 'rotateSigningKeys', ...BY_REFERENCE, ...BULK],
    hosted: [...WITH_SERVICE, ...BULK, 'sweeper', 'publishEvents', 'rotateSigningKeys'],
  },
  {
    part: 'the bus’s client',
    files: /\/@aws-sdk\/client-eventbridge\//,
    upstream: ['publishEvents'],
    hosted: ['publishEvents'],
  },
  {
    part: 'records of a stream',
    files: /^lib\/background\/stream\.ts$/,
    upstream: ['publishEvents', 'deliveries'],
    hosted: STREAMS,
  },
  {
    part: 'the project’s fields',
    files: /^lib\/contract\/project\.ts$/,
    upstream: BEHIND,
    hosted: WITH_SERVICE_ON_AWS,
  },
  {
    part: 'the rules of a new project',
    files: /^lib\/contract\/rules\.ts$/,
    upstream: [...CREATING, 'bulkLine'],
    hosted: [...CREATING, 'bulkLine'],
  },
  everywhere('the mapping of messages', /^lib\/webhooks\/mapping\/|\/jsonata\//, ['deliveries']),
  everywhere('the words of the problems’ pages', /^lib\/contract\/problem-/, PAGES),
  everywhere('the description of the API', /^lib\/contract\/openapi\.json$/, PAGES),
  everywhere('tokens', /\/node_modules\/jose\/|^lib\/credentials\/tokens/, WITH_KEYS),
  {
    // a source says how it signs, and the store on one machine brings the sources with it
    ...everywhere('what proves a message', /^lib\/webhooks\/signature-schemes\//, [...WITH_MESSAGES, 'deliveries']),
  },
  everywhere('what reads mappings', /\/node_modules\/jsonata\//, []),
  everywhere('middy', /\/@middy\//, EVERY_HTTP),
  everywhere('classic zod', /\/zod\/.*\/(classic|locales)\//, []),
];
