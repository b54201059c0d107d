import type { FunctionName } from '../../infra/catalogue.ts';

const EVERY_HTTP: readonly FunctionName[] = [
  'createProject',
  'listProjects',
  'getProject',
  'getProjectByCustomId',
  'deleteProject',
  'deleteProjectByCustomId',
  'getOperation',
  'listLanguages',
  'obtainToken',
  'refreshToken',
  'health',
  'getProblemType',
  'getDescription',
  'getReference',
];
const TASKS: readonly FunctionName[] = ['createProjectTask', 'deleteProjectTask'];
const WITHOUT_SERVICE: readonly FunctionName[] = [
  'listLanguages',
  'obtainToken',
  'refreshToken',
  'health',
  'getProblemType',
  'getDescription',
  'getReference',
];
const WITH_SERVICE = [...EVERY_HTTP.filter((name) => !WITHOUT_SERVICE.includes(name)), ...TASKS];
const CREATING: readonly FunctionName[] = ['createProject', 'createProjectTask'];
const WITH_PAGES: readonly FunctionName[] = ['getProblemType'];
const WITH_DESCRIPTION: readonly FunctionName[] = ['getDescription', 'getReference'];
const WITH_KEYS: readonly FunctionName[] = ['obtainToken', 'refreshToken', 'authorizer'];

const STREAMS: readonly FunctionName[] = ['sweeper', 'publishEvents'];
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

/** What is the same wherever a function runs and whatever is behind it. */
function everywhere(part: string, files: RegExp, functions: readonly FunctionName[]): Part {
  return { part, files, upstream: functions, hosted: functions, local: functions };
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
    local: WITH_SERVICE,
  },
  {
    part: 'the store on one machine',
    files: /^lib\/storage\/sqlite\//,
    upstream: [],
    hosted: [],
    local: [...WITH_SERVICE, ...WITH_KEYS],
  },
  {
    part: 'the table on AWS',
    files: /^lib\/storage\/dynamodb\/items\.ts$/,
    upstream: [...BEHIND, ...WITH_KEYS, 'publishEvents'],
    hosted: [...WITH_SERVICE_ON_AWS, ...WITH_KEYS, ...STREAMS],
    local: [],
  },
  {
    part: 'the table’s client',
    files: /\/@aws-sdk\/client-dynamodb\//,
    upstream: [...BEHIND, ...WITH_KEYS, 'publishEvents'],
    hosted: [...WITH_SERVICE_ON_AWS, ...WITH_KEYS, ...STREAMS],
    local: [],
  },
  {
    part: 'the bucket’s client',
    files: /\/@aws-sdk\/client-s3\//,
    upstream: BULK,
    hosted: [...WITH_SERVICE, ...BULK, 'sweeper'],
    local: [],
  },
  {
    part: 'the secrets’ client',
    files: /\/@aws-sdk\/client-secrets-manager\//,
    upstream: [...BEHIND, ...WITH_KEYS, 'rotateSigningKeys'],
    hosted: [...WITH_KEYS, 'rotateSigningKeys'],
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
    files: /^lib\/doors\/background\/stream\.ts$/,
    upstream: ['publishEvents'],
    hosted: STREAMS,
    local: [],
  },
  {
    part: 'the project’s fields',
    files: /^lib\/contract\/project\.ts$/,
    upstream: BEHIND,
    hosted: WITH_SERVICE_ON_AWS,
    local: WITH_SERVICE,
  },
  {
    part: 'the rules of a new project',
    files: /^lib\/contract\/rules\.ts$/,
    upstream: [...CREATING, 'bulkLine'],
    hosted: [...CREATING, 'bulkLine'],
    local: CREATING,
  },
  { part: 'CSV', files: /\/csv-parse\//, upstream: BULK, hosted: BULK, local: [] },
  everywhere('the words of the problems’ pages', /^lib\/contract\/problem-/, WITH_PAGES),
  everywhere('the description of the API', /^lib\/contract\/openapi\.json$/, WITH_DESCRIPTION),
  everywhere('tokens', /\/node_modules\/jose\/|^lib\/credentials\/tokens/, WITH_KEYS),
  everywhere('middy', /\/@middy\//, EVERY_HTTP),
  everywhere('classic zod', /\/zod\/.*\/(classic|locales)\//, []),
];
