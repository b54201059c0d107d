import { DomainEvent, EventData, PublishedEvent } from '../contract/event.ts';
import { Receipt, RequestedBy } from '../contract/receipt.ts';
import { recordOf } from '../storage/record.ts';

/*
 * The objects of the contract that records contain. Unlike the schemas of the contract, these keep the fields that a
 * newer release added.
 */

export const StoredRequestedBy = recordOf(() => RequestedBy.shape);
export const StoredCounts = recordOf(() => Receipt.shape.removed.shape);
export const StoredReceipt = recordOf(() => ({
  ...Receipt.shape,
  removed: StoredCounts,
  requestedBy: StoredRequestedBy,
}));

const StoredEventData = recordOf(() => EventData.shape);
export const StoredDomainEvent = recordOf(() => ({ ...DomainEvent.shape, data: StoredEventData }));
export const StoredPublishedEvent = recordOf(() => ({ ...PublishedEvent.shape, data: StoredEventData }));
