import { CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings of cdk-nag on a construct and its children.
 * @param reasons the reason to accept each finding, by the finding's id
 */
export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  Validations.of(construct).acknowledge(...Object.entries(reasons).map(([id, reason]) => ({ id, reason })));
}

/**
 * Returns the logical id of a construct's CloudFormation resource. cdk-nag uses it in the ids of findings.
 * @returns `undefined` if the construct has no resource in the stack, such as an imported bucket
 */
export function logicalIdOf(construct: IConstruct): string | undefined {
  const { defaultChild } = construct.node;
  return defaultChild instanceof CfnElement ? Stack.of(construct).getLogicalId(defaultChild) : undefined;
}
