import { App } from 'aws-cdk-lib';
import { BulkStack } from './bulk-stack.ts';

new BulkStack(new App(), 'Bulk');
