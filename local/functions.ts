import { registerHooks } from 'node:module';
import * as z from 'zod/mini';
import { ROUTES } from '../lib/contract/routes.ts';
import type { UpstreamService } from '../lib/upstream/service.ts';
import type { DeliveryWorker } from '../lib/webhooks/delivery-worker.ts';
import type { AuthorizerHandler, HttpHandler, PipelineOptions } from './pipeline.ts';

/** Chooses the service and the platform of the functions that are imported from now on, as the bundler does for a bundle. */
export function chooseComposition(service: 'hosted' | 'upstream', platform: 'local' | 'local-dynamodb'): void {
  const conditions: Readonly<Record<string, string>> = { '#service': service, '#platform': platform };
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const condition = conditions[specifier];
      if (condition === undefined) return nextResolve(specifier, context);
      return nextResolve(specifier, { ...context, conditions: [...context.conditions, condition] });
    },
  });
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

const Authorizer = z.object({ handler: z.custom<AuthorizerHandler>(isFunction) });
const Operation = z.object({ handler: z.custom<HttpHandler>(isFunction) });
const Operations = z.record(z.enum(ROUTES.map(({ id }) => id)), z.custom<HttpHandler>(isFunction));

/**
 * Imports the deployed functions: those that the route table names, and the authorizer.
 * @throws if a file is missing or exports no `handler`
 */
export async function loadFunctions(): Promise<Pick<PipelineOptions, 'handlers' | 'authorizer'>> {
  const authorizer = importFunction('functions/authorizer.ts').then((module) => Authorizer.parse(module).handler);
  const entries = ROUTES.map(async (route) => {
    return [route.id, Operation.parse(await importFunction(`functions/${route.function}.ts`)).handler];
  });
  const handlers = Operations.parse(Object.fromEntries(await Promise.all(entries)));
  return { handlers, authorizer: await authorizer };
}

const Upstream = z.object({ service: z.object({ reconcile: z.custom<UpstreamService['reconcile']>(isFunction) }) });

/** Imports the reconciler, which only the upstream service has. */
export async function loadReconcile(): Promise<UpstreamService['reconcile']> {
  return Upstream.parse(await import('#service')).service.reconcile;
}

const Webhooks = z.object({ openDeliveryWorker: z.custom<() => DeliveryWorker>(isFunction) });

/** Imports the processing of webhook deliveries. */
export async function loadDeliveryWork(): Promise<Pick<DeliveryWorker, 'workOnDue'>> {
  return Webhooks.parse(await import('../functions/compose/webhooks.ts')).openDeliveryWorker();
}

/** @param file relative to the repository */
function importFunction(file: string): Promise<unknown> {
  return import(new URL(`../${file}`, import.meta.url).href);
}
