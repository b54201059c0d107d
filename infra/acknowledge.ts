import { CfnElement, Names, Stack, Validations } from 'aws-cdk-lib';
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

/**
 * Returns the ARN of a construct's resource as cdk-nag names it in findings of a stack. A nested stack gets the ARN of a
 * resource in its parent as a parameter.
 */
export function arnInFindings(construct: IConstruct, stack: Stack): string {
  const { defaultChild } = construct.node;
  if (stack.nestedStackParent !== Stack.of(construct) || !defaultChild) return `<${logicalIdOf(construct)}.Arn>`;
  return `<referenceto${Names.nodeUniqueId(defaultChild.node)}Arn>`;
}
