import { join } from 'node:path';
import type { Construct } from 'constructs';
import type { FunctionName } from './catalogue.ts';
import type { ServiceName } from './function-spec.ts';

/**
 * Finds the bundles of a service in the package `segue-cdk`. In the package, this module is `#bundle-folders`.
 * @returns a function that returns the folder of a bundle
 */
export function bundleFolders(_: Construct, service: ServiceName): (name: FunctionName) => string {
  // The package has the compiled constructs in `dist` and the bundles beside it.
  return (name) => join(import.meta.dirname, '../bundles', service, name);
}
