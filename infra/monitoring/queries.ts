import { Names } from 'aws-cdk-lib';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Api } from '../api/api.ts';
import type { GatewayFunctions } from '../functions/functions.ts';
import { queryText, SAVED_QUERIES, type SavedQuery } from './saved-queries.ts';

/** Saves the queries of `SAVED_QUERIES` in CloudWatch Logs Insights. They cost nothing until somebody runs one. */
export function createQueries(gateway: Construct, functions: GatewayFunctions, { accessLog }: Api): void {
  const scope = new Construct(gateway, 'Queries');
  const folder = Names.uniqueResourceName(gateway, { maxLength: 100, separator: '-' });
  const { Http, Background } = functions.logs;
  const all = Object.values(functions.logs);
  const logsOf: Record<SavedQuery['logs'], readonly ILogGroup[]> = {
    functions: accessLog ? [...all, accessLog] : all,
    background: [Background],
    api: [accessLog ?? Http],
  };
  SAVED_QUERIES.forEach((query, index) => {
    new CfnQueryDefinition(scope, `Query${index}`, {
      name: `Segue/${folder}/${query.name}`,
      queryString: queryText(query),
      logGroupNames: logsOf[query.logs].map(({ logGroupName }) => logGroupName),
    });
  });
}
