/** The prefix of the names of webhook secrets. */
export const WEBHOOK_SECRETS = 'segue/bench/webhooks/';

/** Returns the environment variables of a function, as Lambda and the stack would set them. */
export function environmentOf(address: string): Record<string, string> {
  const url = `http://${address}`;
  return {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1769',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/bench',
    AWS_LAMBDA_LOG_STREAM_NAME: 'bench',
    SEGUE_UPSTREAM_URL: url,
    SEGUE_UPSTREAM_SECRET: 'upstream',
    SEGUE_SIGNING_SECRET: 'signing',
    SEGUE_TABLE: 'table',
    SEGUE_CREDENTIALS_TABLE: 'credentials',
    SEGUE_DELIVERIES_TABLE: 'deliveries',
    SEGUE_WEBHOOK_SECRETS: WEBHOOK_SECRETS,
    SEGUE_BUCKET: 'bucket',
  };
}
