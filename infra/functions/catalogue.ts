import { functionFileOf, ROUTES } from '../../lib/contract/routes.ts';

/** What may be behind the port: the service itself, or another one. */
export const SERVICES = ['hosted', 'upstream'] as const;
export type ServiceName = (typeof SERVICES)[number];

const HOSTED = ['hosted'] as const satisfies readonly ServiceName[];
const UPSTREAM = ['upstream'] as const satisfies readonly ServiceName[];

/** Every function that is deployed, and with which services. `entry` is relative to the repository. */
export const FUNCTIONS = [
  ...ROUTES.map(
    (route) => ({ name: route.id, kind: 'http', entry: functionFileOf(route), services: SERVICES }) as const,
  ),
  { name: 'authorizer', kind: 'authorizer', entry: 'functions/authorizer.ts', services: SERVICES },
  { name: 'createProjectTask', kind: 'task', entry: 'functions/tasks/createProject.ts', services: SERVICES },
  { name: 'deleteProjectTask', kind: 'task', entry: 'functions/tasks/deleteProject.ts', services: SERVICES },
  { name: 'prepareBulk', kind: 'bulk', entry: 'functions/tasks/prepareBulk.ts', services: SERVICES },
  { name: 'bulkLine', kind: 'bulk', entry: 'functions/tasks/bulkLine.ts', services: SERVICES },
  { name: 'sweeper', kind: 'background', entry: 'functions/background/sweeper.ts', services: HOSTED },
  { name: 'publishEvents', kind: 'background', entry: 'functions/background/publishEvents.ts', services: SERVICES },
  { name: 'deliveries', kind: 'background', entry: 'functions/background/deliveries.ts', services: SERVICES },
  { name: 'reconciler', kind: 'background', entry: 'functions/background/reconciler.ts', services: UPSTREAM },
  { name: 'audit', kind: 'background', entry: 'functions/background/audit.ts', services: UPSTREAM },
  {
    name: 'rotateSigningKeys',
    kind: 'background',
    entry: 'functions/background/rotateSigningKeys.ts',
    services: SERVICES,
  },
] as const;

export type FunctionEntry = (typeof FUNCTIONS)[number];
export type FunctionName = FunctionEntry['name'];
export type FunctionKind = FunctionEntry['kind'];

/** What is chosen when bundling: the service, and what is under the functions (`imports` in package.json). */
export interface Composition {
  readonly service: ServiceName;
  readonly platform: 'aws' | 'local';
}

/** What AWS alone has: one machine works behind its API in its process, and reads manifests of its own. */
const OF_AWS: readonly FunctionKind[] = ['background', 'bulk'];

/** The functions of a composition. */
export function functionsOf({ service, platform }: Composition): FunctionEntry[] {
  return FUNCTIONS.filter(
    ({ kind, services }) => services.some((name) => name === service) && (platform === 'aws' || !OF_AWS.includes(kind)),
  );
}
