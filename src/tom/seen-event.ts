/** The events of the small worlds (nano, swap): what shows where the object is, and to whom. */

export interface SeenEvent {
  /** `start` for the announcement. */
  actor: string;
  /** Where the object is after the event. */
  place: string;
  /** Everybody who saw it, the actor included. */
  witnesses: string[];
}

/** Whether all of the chain saw the event. */
export function isSeenByAll({ witnesses }: SeenEvent, chain: readonly string[]): boolean {
  return chain.every((agent) => witnesses.includes(agent));
}

/** Index of the last event that all of the chain saw together; the start is one, so there always is such an event. */
export function decidingEvent(events: readonly SeenEvent[], chain: readonly string[]): number {
  return events.findLastIndex((event) => isSeenByAll(event, chain));
}
