import { join } from 'node:path';
import { Stack, Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { bundlesIn, ROOT } from '../bundle.ts';
import type { FunctionName } from './catalogue.ts';
import type { ServiceName } from './function-spec.ts';

/**
 * The folder used as every function's code when the CDK needs no code, as for `cdk ls` and `cdk destroy`. It saves
 * seconds of bundling.
 */
const SOURCES = join(ROOT, 'functions');

/**
 * Bundles the functions of a service for the stack of a construct. In the repository, this module is `#bundle-folders`.
 * @returns a function that returns the folder of a bundle
 */
export function bundleFolders(scope: Construct, service: ServiceName): (name: FunctionName) => string {
  return Stack.of(scope).bundlingRequired ? bundlesIn(Stage.of(scope)?.outdir ?? '.', service) : () => SOURCES;
}
