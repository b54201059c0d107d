import type { FunctionName } from '../../infra/bundle.ts';

const EVERY_HTTP: readonly FunctionName[] = [
  'createProject',
  'listProjects',
  'getProject',
  'getProjectByCustomId',
  'deleteProject',
  'deleteProjectByCustomId',
  'listLanguages',
  'obtainToken',
  'refreshToken',
  'health',
  'getProblemType',
];
const TASKS: readonly FunctionName[] = ['createProjectTask', 'deleteProjectTask'];
const WITHOUT_SERVICE: readonly FunctionName[] = [
  'listLanguages',
  'obtainToken',
  'refreshToken',
  'health',
  'getProblemType',
];
const WITH_SERVICE = [...EVERY_HTTP.filter((name) => !WITHOUT_SERVICE.includes(name)), ...TASKS];
const CREATING: readonly FunctionName[] = ['createProject', 'createProjectTask'];
const WITH_PAGES: readonly FunctionName[] = ['getProblemType'];
const WITH_KEYS: readonly FunctionName[] = ['obtainToken', 'refreshToken', 'authorizer'];

/** A part of the code, and all the functions whose bundles hold any of it. */
export interface Part {
  readonly part: string;
  /** Tested on paths relative to the repository. */
  readonly files: RegExp;
  /** On AWS, in front of another service. */
  readonly aws: readonly FunctionName[];
  /** On one machine, as the service itself. */
  readonly local: readonly FunctionName[];
}

export const PARTS: readonly Part[] = [
  { part: 'the port’s upstream side', files: /^lib\/upstream\//, aws: WITH_SERVICE, local: [] },
  { part: 'the hosted service', files: /^lib\/hosted\//, aws: [], local: WITH_SERVICE },
  {
    part: 'the store on one machine',
    files: /^lib\/storage\/sqlite\//,
    aws: [],
    local: [...WITH_SERVICE, ...WITH_KEYS],
  },
  { part: 'the table on AWS', files: /^lib\/storage\/dynamodb\//, aws: WITH_KEYS, local: [] },
  { part: 'the project’s fields', files: /^lib\/contract\/project\.ts$/, aws: WITH_SERVICE, local: WITH_SERVICE },
  { part: 'the rules of a new project', files: /^lib\/contract\/rules\.ts$/, aws: CREATING, local: CREATING },
  {
    part: 'the words of the problems’ pages',
    files: /^lib\/contract\/problem-/,
    aws: WITH_PAGES,
    local: WITH_PAGES,
  },
  { part: 'the table’s client', files: /\/@aws-sdk\/client-dynamodb\//, aws: WITH_KEYS, local: [] },
  {
    part: 'the secrets’ client',
    files: /\/@aws-sdk\/client-secrets-manager\//,
    aws: [...WITH_SERVICE, ...WITH_KEYS],
    local: [],
  },
  { part: 'tokens', files: /\/node_modules\/jose\/|^lib\/credentials\/tokens/, aws: WITH_KEYS, local: WITH_KEYS },
  { part: 'middy', files: /\/@middy\//, aws: EVERY_HTTP, local: EVERY_HTTP },
  { part: 'classic zod', files: /\/zod\/.*\/(classic|locales)\//, aws: [], local: [] },
];
