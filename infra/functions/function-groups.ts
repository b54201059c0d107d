import type { FunctionName } from './catalogue.ts';

/** Functions whose failure costs the same people the same thing. */
export type FunctionGroup = 'Projects' | 'Credentials' | 'Webhooks' | 'Pages' | 'Tasks' | 'Background';

/** The group of every function. */
export const GROUP_OF: Record<FunctionName, FunctionGroup> = {
  createProject: 'Projects',
  listProjects: 'Projects',
  getProject: 'Projects',
  getProjectByCustomId: 'Projects',
  deleteProject: 'Projects',
  deleteProjectByCustomId: 'Projects',
  getOperation: 'Projects',
  authorizer: 'Credentials',
  obtainToken: 'Credentials',
  refreshToken: 'Credentials',
  receiveWebhook: 'Webhooks',
  listLanguages: 'Pages',
  health: 'Pages',
  getProblemType: 'Pages',
  getDescription: 'Pages',
  getReference: 'Pages',
  createProjectTask: 'Tasks',
  deleteProjectTask: 'Tasks',
  prepareBulk: 'Tasks',
  bulkLine: 'Tasks',
  sweeper: 'Background',
  publishEvents: 'Background',
  deliveries: 'Background',
  reconciler: 'Background',
  audit: 'Background',
  rotateSigningKeys: 'Background',
};

/**
 * Functions of which the log alone tells what is a failure: they say no by throwing, to wrong credentials and to faulty
 * projects, or go on with old signing keys while nobody notices.
 */
export const TOLD_BY_LOG: readonly FunctionName[] = [
  'authorizer',
  'obtainToken',
  'refreshToken',
  'createProjectTask',
  'deleteProjectTask',
  'prepareBulk',
  'bulkLine',
];
