import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { CANARY_MINUTES } from '../../lib/contract/canary.ts';
import type { Api } from '../api/api.ts';
import type { GatewayFunctions } from '../functions/functions.ts';
import type { GatewayOptions } from '../options.ts';

/**
 * Gives the canary the URL of the API. This is no circular reference, because the API does not call the canary. In front
 * of an upstream service, the synthesis warns of what the canary creates there.
 */
export function watchApi(scope: Construct, functions: GatewayFunctions, { url }: Api, options: GatewayOptions): void {
  functions.lambda('canary').addEnvironment('SEGUE_CANARY_URL', url);
  if (options.service.name === 'upstream' && options.canary === 'create') {
    Annotations.of(scope).addWarningV2(
      'segue:canaryCreates',
      `The canary creates a real project at the upstream service every ${CANARY_MINUTES} minutes, and deletes it. The service may charge for it. To only read, set canary to reads.`,
    );
  }
}
