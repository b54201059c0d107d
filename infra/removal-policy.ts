import { RemovalPolicy } from 'aws-cdk-lib';
import type { StageSettings } from './stages.ts';

/**
 * Returns what happens to a resource with data when its stack is deleted. A kept resource goes only if the deployment
 * that creates it fails: it is empty then, and the next deployment would create another one.
 */
export function removalPolicyOf({ keepsData }: Pick<StageSettings, 'keepsData'>): RemovalPolicy {
  return keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
