import { deliveries, storage } from '#platform';
import { type DestinationTests, destinationTests } from '../../lib/destinations/destination-tests.ts';
import { openResultParts } from './destinations.ts';

/** Opens the tests of destinations. Only the administration API of `npm start` has them. */
export async function openDestinationTests(): Promise<DestinationTests> {
  return destinationTests({ ...(await openResultParts()), store: storage(), deliveries: deliveries() });
}
