import type { BucketUse } from '../stores/buckets.ts';
import type { DeliveriesUse } from '../stores/deliveries-table.ts';
import type { ManifestsUse } from '../stores/manifests.ts';
import type { TableUse } from '../stores/tables.ts';
import type { FunctionName, ServiceName } from './catalogue.ts';

/** What a function is given, and so all that its role allows beside its log. */
export interface Needs {
  readonly table?: TableUse;
  readonly bucket?: BucketUse;
  /** The table of what webhooks brought. */
  readonly deliveries?: DeliveriesUse;
  readonly webhookSecrets?: true;
  /** The bucket of manifests, indexes and results. */
  readonly manifests?: ManifestsUse;
  readonly signingSecret?: 'read' | 'rotate';
  readonly bus?: true;
  readonly upstream?: true;
  /** The rate of each company, which the usage plan does not apply to. */
  readonly rate?: true;
  /** How far off a start date may be. */
  readonly clock?: true;
  /** Projects that are in buckets. */
  readonly projectsFrom?: true;
}

const NOTHING: Needs = {};
const READING_OWNED: Needs = { upstream: true, table: 'readLedger' };
const CHANGING_OWNED: Needs = { upstream: true, table: 'changeLedger' };
const DELETING_OWNED: Needs = { upstream: true, table: 'deleteOwned' };
const READING: Needs = { table: 'readProjects', bucket: 'read' };
const CHANGING: Needs = { table: 'changeProjects', bucket: 'write' };
const DELETING: Needs = { table: 'delete', bucket: 'write' };

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
  createProject: either({ ...CHANGING, clock: true }, { ...CHANGING_OWNED, clock: true }),
  listProjects: either({ table: 'listProjects', bucket: 'read' }, { upstream: true, table: 'listLedger' }),
  getProject: either(READING, READING_OWNED),
  getProjectByCustomId: either(READING, READING_OWNED),
  deleteProject: either(DELETING, DELETING_OWNED),
  deleteProjectByCustomId: either(DELETING, DELETING_OWNED),
  // in front of another service a request that may have been sent is never reported as failed by a lease alone
  getOperation: either({ ...READING, table: 'readOperations' }, READING_OWNED),
  listLanguages: both(NOTHING),
  obtainToken: both({ table: 'issueTokens', signingSecret: 'read', rate: true }),
  refreshToken: both({ table: 'refreshTokens', signingSecret: 'read', rate: true }),
  receiveWebhook: both({ table: 'readSources', deliveries: 'receive', webhookSecrets: true }),
  health: both(NOTHING),
  getProblemType: both(NOTHING),
  getDescription: both(NOTHING),
  getReference: both(NOTHING),
  authorizer: both({ table: 'authenticate', signingSecret: 'read' }),
  createProjectTask: either(
    { ...CHANGING, clock: true, projectsFrom: true },
    { ...CHANGING_OWNED, clock: true, projectsFrom: true },
  ),
  deleteProjectTask: either(DELETING, DELETING_OWNED),
  prepareBulk: both({ table: 'readCompanies', manifests: 'index' }),
  bulkLine: either(
    { ...DELETING, clock: true, manifests: 'read' },
    { ...DELETING_OWNED, clock: true, manifests: 'read' },
  ),
  sweeper: both({ table: 'sweep', bucket: 'sweep' }),
  publishEvents: both({ table: 'publish', bus: true }),
  // it does what both tasks do, and reads sources in the table
  deliveries: either(
    { ...DELETING, deliveries: 'work', clock: true },
    { ...DELETING_OWNED, deliveries: 'work', clock: true },
  ),
  reconciler: both({ upstream: true, table: 'settleLedger' }),
  audit: both({ upstream: true, table: 'listLedger' }),
  rotateSigningKeys: both({ signingSecret: 'rotate' }),
};
