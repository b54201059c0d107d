import { App } from 'aws-cdk-lib';
import { WebsiteStack } from './website-stack.ts';

new WebsiteStack(new App(), 'Website');
