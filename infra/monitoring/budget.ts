import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';

/** When AWS Budgets sends a warning: at this percentage of the budget, spent or forecast. */
const WARNINGS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const;

/**
 * Creates a budget for the whole AWS account. A budget for the stack alone would select its costs by a tag, and count
 * nothing until somebody activates this tag in the account's billing settings.
 * @param usd the budget of a month, in US dollars
 * @param email the address that gets the warnings
 */
export function createBudget(scope: Construct, usd: number, email: string): void {
  new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usd, unit: 'USD' } },
    notificationsWithSubscribers: WARNINGS.map((warning) => ({
      notification: { ...warning, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    })),
  });
}
