import { CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Accepts findings of cdk-nag on a construct and its children. @param reasons by the finding's id */
export function acknowledge(construct: IConstruct, reasons: Readonly<Record<string, string>>): void {
  Validations.of(construct).acknowledge(...Object.entries(reasons).map(([id, reason]) => ({ id, reason })));
}

/** The logical id of a construct's resource, which findings contain. Returns nothing for a resource of another stack. */
export function logicalIdOf(construct: IConstruct): string | undefined {
  const { defaultChild } = construct.node;
  return defaultChild instanceof CfnElement ? Stack.of(construct).getLogicalId(defaultChild) : undefined;
}
