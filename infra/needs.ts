import type { BucketUse } from './bucket.ts';
import type { FunctionName, ServiceName } from './catalogue.ts';
import type { TableUse } from './table.ts';

/** What a function is given, and so all that its role allows beside its log. */
export interface Needs {
  readonly table?: TableUse;
  readonly bucket?: BucketUse;
  readonly signingSecret?: 'read' | 'rotate';
  readonly bus?: true;
  readonly upstream?: true;
  /** How far off a start date may be. */
  readonly clock?: true;
}

const NOTHING: Needs = {};
const UPSTREAM: Needs = { upstream: true };
const READING: Needs = { table: 'readProjects', bucket: 'read' };
const CHANGING: Needs = { table: 'changeProjects', bucket: 'write' };
const DELETING_BY_KEY: Needs = { table: 'deleteByKey', bucket: 'write' };

/** With the service itself, or in front of another one. */
function either(hosted: Needs, upstream: Needs): Record<ServiceName, Needs> {
  return { hosted, upstream };
}

/** With whatever service. */
function both(needs: Needs): Record<ServiceName, Needs> {
  return { hosted: needs, upstream: needs };
}

/** The needs of every function with each service. */
export const NEEDS: Record<FunctionName, Record<ServiceName, Needs>> = {
  createProject: either({ ...CHANGING, clock: true }, { ...UPSTREAM, clock: true }),
  listProjects: either({ table: 'listProjects' }, UPSTREAM),
  getProject: either(READING, UPSTREAM),
  getProjectByCustomId: either(READING, UPSTREAM),
  deleteProject: either(DELETING_BY_KEY, UPSTREAM),
  deleteProjectByCustomId: either(DELETING_BY_KEY, UPSTREAM),
  listLanguages: both(NOTHING),
  obtainToken: both({ table: 'issueTokens', signingSecret: 'read' }),
  refreshToken: both({ table: 'refreshTokens', signingSecret: 'read' }),
  health: both(NOTHING),
  getProblemType: both(NOTHING),
  authorizer: both({ table: 'authenticate', signingSecret: 'read' }),
  createProjectTask: either({ ...CHANGING, clock: true }, { ...UPSTREAM, clock: true }),
  // a workflow has no key that would have to be active still
  deleteProjectTask: either(CHANGING, UPSTREAM),
  sweeper: both({ table: 'sweep', bucket: 'sweep' }),
  publishEvents: both({ bus: true }),
  rotateSigningKeys: both({ signingSecret: 'rotate' }),
};
